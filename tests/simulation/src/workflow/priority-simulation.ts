import type { ClaimedExecution, Execution } from '@halyard/contracts';
import { createWorkflow, type StepContext } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import type { BodyObserver } from './tree-workflow.ts';
import { must } from './violation.ts';

const sleepMs = 5_000;

/**
 * Several processes share the places of a workflow between executions of different priorities, some
 * of which give their place back while they sleep. Calls fail and processes crash.
 */
export class PrioritySimulation {
  readonly #cluster: SimulatedCluster;
  readonly #limit: number;

  constructor(seed: SimulationSeed) {
    this.#limit = 1 + (seed.seed % 2);
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: (observer) => this.#workflows(observer),
      places: {
        onClaim: (claim) => this.#onClaim(claim),
      },
    });
  }

  get schedule(): Schedule {
    return this.#cluster.schedule;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const { random } = this.#cluster;
    for (let count = random.between(2, 6); count > 0; count -= 1) this.#begin();
    const turns = random.between(40, 200);
    for (let turn = 0; turn < turns && !this.#cluster.isDisturbedEnough; turn += 1) await this.#turn();
    this.#cluster.setFailure(0);
    for (let count = 0; count < 4; count += 1) this.#begin();
    await this.#drain();
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const { random, schedule } = this.#cluster;
    const chance = random.next();
    if (chance < 0.06) this.#begin();
    else if (chance < 0.88 && schedule.pendingCount > 0) schedule.releaseOne();
    else if (chance < 0.96) await this.#cluster.advance(random.pick([50, 3_000, sleepMs]));
    else this.#cluster.randomProcess().renewAndSweep();
    await this.#cluster.settle();
  }

  /** Without faults: everything ends. */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#cluster.settle();
      if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if ((await this.#cluster.rows()).some(isOpen)) await this.#cluster.advance(1_000);
      else return;
    }
  }

  #begin(): void {
    const priority = this.#cluster.random.pick([-1, 0, 0, 5]);
    const options = { priority, metadata: { priority } };
    this.#cluster.begin('shares', this.#cluster.randomProcess(), { options });
  }

  /**
   * Free places go to the highest priority, and of the same to the one that has waited longest; one
   * that has not waited would begin now. So for each claimed execution, there are places also for
   * all that have waited and come before it.
   */
  async #onClaim(claim: () => Promise<readonly ClaimedExecution[]>): Promise<void> {
    const before = new Map((await this.#cluster.rows()).map((row) => [row.id, row]));
    const claimed = await claim();
    const rows = await this.#cluster.rows();
    const running = rows.filter(({ runner }) => runner !== null).length;
    const waiting = rows.filter(
      (row) => isOpen(row) && row.waitingSince !== null && before.get(row.id)?.waitingSince !== null,
    );
    for (const { execution } of claimed) {
      const since = before.get(execution.id)?.waitingSince ?? this.#cluster.clock.now();
      const first = waiting.filter(
        (other) =>
          priorityOf(other) > priorityOf(execution) ||
          (priorityOf(other) === priorityOf(execution) && (other.waitingSince ?? Infinity) < since),
      );
      must(
        running + first.length <= this.#limit,
        () => `${execution.id} started before ${first.map(({ id }) => id).join(', ')}, while ${running} run`,
      );
    }
  }

  /** Two steps with a sleep between them. */
  #workflows(observer: BodyObserver): ReadonlyMap<string, WorkflowDefinition> {
    const work = async ({ idempotencyKey }: StepContext<unknown>): Promise<number> => {
      const slash = idempotencyKey.indexOf('/');
      const path = idempotencyKey.slice(slash + 1);
      await observer.starts(idempotencyKey.slice(0, slash), path, undefined);
      await observer.works(path);
      return 0;
    };
    const shares = createWorkflow({ id: 'shares', concurrency: { limit: this.#limit } })
      .andThen({ id: 'first', execute: work })
      .andSleep({ id: 'pause', durationMs: sleepMs })
      .andThen({ id: 'second', execute: work });
    return new Map<string, WorkflowDefinition>([['shares', shares]]);
  }
}

/** As it was asked for, whatever the store has stored. */
function priorityOf({ metadata }: Execution): number {
  return Number(metadata['priority']);
}
