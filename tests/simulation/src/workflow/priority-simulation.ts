import type { Execution, NextExecutions } from '@halyard/contracts';
import { createWorkflow, type StepContext, type WorkflowDefinition } from '@halyard/core';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import type { BodyObserver } from './tree-workflow.ts';
import { must } from './violation.ts';

const sleepMs = 5_000;

/**
 * Several processes share the places of a workflow between executions of different priorities, some of which give their place back while they sleep. Calls fail and processes crash.
 */
export class PrioritySimulation {
  readonly #cluster: SimulatedCluster;
  readonly #limit: number;
  /** Executions that have got a place and that no process has claimed since. */
  readonly #admitted = new Set<string>();

  constructor(seed: SimulationSeed) {
    this.#limit = 1 + (seed.seed % 2);
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: (observer) => this.#workflows(observer),
      places: {
        onClaim: (id, isClaimed) => this.#onClaim(id, isClaimed),
        onClaimNext: (claim) => this.#onClaimNext(claim),
        onAdmitted: (ids) => this.#onAdmitted(ids),
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

  /** Free places go to the highest priority, and of the same to the one that has waited longest. */
  async #onAdmitted(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#admitted.add(id);
    const waiting = await this.#waiting();
    for (const id of ids) {
      const admitted = await this.#cluster.store.find('anyone', id);
      must(admitted !== undefined, () => `${id} is missing`);
      const passed = waiting.find(
        (other) =>
          priorityOf(other) > priorityOf(admitted) ||
          (priorityOf(other) === priorityOf(admitted) && (other.waitingSince ?? 0) < (admitted.waitingSince ?? 0)),
      );
      must(passed === undefined, () => `${id} was admitted before ${passed?.id}`);
    }
  }

  /** An execution that was not admitted passes those that wait only if its priority is higher. */
  async #onClaim(id: string, isClaimed: boolean): Promise<void> {
    const wasAdmitted = this.#admitted.has(id);
    const row = await this.#cluster.store.find('anyone', id);
    // Its place may have lapsed: then it waits again.
    const isPlaceTaken = wasAdmitted && !isClaimed && (await this.#isWaitingAgain(id));
    if (isClaimed || isPlaceTaken) this.#admitted.delete(id);
    if (!isClaimed || wasAdmitted || row === undefined) return;
    const passed = (await this.#waiting()).find((other) => priorityOf(other) >= priorityOf(row));
    must(passed === undefined, () => `${id} started before ${passed?.id}, which has waited`);
  }

  /** The same for each of several executions. Those that begin to wait with the call have not waited before. */
  async #onClaimNext(claim: () => Promise<NextExecutions>): Promise<NextExecutions> {
    const waiting = await this.#waiting();
    const next = await claim();
    for (const { execution } of next.claimed) {
      if (this.#admitted.delete(execution.id)) continue;
      const passed = waiting.find((other) => other.id !== execution.id && priorityOf(other) >= priorityOf(execution));
      must(passed === undefined, () => `${execution.id} started before ${passed?.id}, which has waited`);
    }
    for (const id of this.#admitted) if (await this.#isWaitingAgain(id)) this.#admitted.delete(id);
    return next;
  }

  /** Those that wait for a place and have not got one. */
  async #waiting(): Promise<readonly Execution[]> {
    const rows = await this.#cluster.rows();
    return rows.filter((row) => isOpen(row) && row.waitingSince !== null && !this.#admitted.has(row.id));
  }

  /** Whether an execution that was admitted is no longer due. */
  async #isWaitingAgain(id: string): Promise<boolean> {
    const { executor } = this.#cluster.last;
    const due = await this.#cluster.store.due(executor.definitions.ids, 1_000);
    return !due.some(({ executionId }) => executionId === id);
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
