import type { Execution, JsonValue } from '@halyard/contracts';
import { andThen, createWorkflow, type StepContext } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import { endingPath } from '../../../../packages/core/src/workflow/interpreter/compensation/recorded-ending.ts';
import { retryExecution } from '../../../../packages/core/src/workflow/rewind/retry.ts';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, sameJson, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import type { BodyObserver } from './tree-workflow.ts';
import { must, type Violation } from './violation.ts';

const rounds = 3;
const undo = '#compensate';

class BodyFailure extends Error {}

/** How the last step of a trip ends. */
type Fate = 'completed' | 'error' | 'cancelled';

/**
 * Several processes run executions whose steps can be undone, and which complete, fail or are
 * cancelled; failed ones are retried. Others continue as new executions. Calls fail and processes
 * crash.
 */
export class EndingSimulation {
  readonly #cluster: SimulatedCluster;
  readonly #fates = new Map<string, Fate>();
  /** What the last step was told, also by retries that failed: `<execution> <fate>`. */
  readonly #told = new Set<string>();
  /** The compensation of this step fails, by execution. */
  readonly #failingUndos = new Map<string, string>();
  #workflow: WorkflowDefinition | undefined;

  constructor(seed: SimulationSeed) {
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: (observer) => this.#workflows(observer),
      onBody: this.#onBody,
      onCreated: (id) => this.#onCreated(id),
    });
  }

  get schedule(): Schedule {
    return this.#cluster.schedule;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const turns = this.#cluster.random.between(20, 150);
    for (let turn = 0; turn < turns && !this.#cluster.isDisturbedEnough; turn += 1) await this.#turn();
    this.#cluster.setFailure(0);
    for (const workflowId of ['trip', 'rounds']) this.#cluster.begin(workflowId, this.#cluster.last);
    await this.#drain();
    for (const row of await this.#cluster.rows()) await this.#checkEnd(row);
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const chance = this.#cluster.random.next();
    if (chance < 0.06)
      this.#cluster.begin(this.#cluster.random.pick(['trip', 'trip', 'rounds']), this.#cluster.randomProcess());
    else if (chance < 0.08) await this.#cancel();
    else if (chance < 0.14) await this.#retry();
    else if (chance < 0.86 && this.schedule.pendingCount > 0) this.schedule.releaseOne();
    else if (chance < 0.95) await this.#cluster.advance(this.#cluster.random.pick([50, 3_000, 10_000]));
    else this.#cluster.randomProcess().renewAndSweep();
    await this.#cluster.settle();
  }

  /** Without faults: everything ends, and ends again after a retry. */
  async #drain(): Promise<void> {
    let retries = this.#cluster.random.below(4);
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#cluster.settle();
      if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if ((await this.#cluster.rows()).some(isOpen)) await this.#cluster.advance(1_000);
      else if (retries === 0) return;
      else {
        retries -= 1;
        await this.#retry();
      }
    }
  }

  async #cancel(): Promise<void> {
    const row = this.#cluster.pick(
      (await this.#cluster.rows()).filter((each) => isOpen(each) && each.workflowId === 'trip'),
    );
    if (row === undefined) return;
    const { executor, store } = this.#cluster.randomProcess();
    this.schedule.note(`${row.id} is to be cancelled`);
    void store
      .request('anyone', row.id, { kind: 'cancel', reason: 'asked' })
      .then(() => executor.signal({ executionId: row.id, workflowId: row.workflowId }, { isUrgent: true }))
      .catch(() => this.schedule.note('a request failed'));
  }

  async #retry(): Promise<void> {
    const root = this.#cluster.pick((await this.#cluster.rows()).filter(({ status }) => status === 'error'));
    if (root === undefined || this.#workflow === undefined) return;
    this.schedule.note(`${root.id} is to be retried`);
    this.#tell(root.id, this.#cluster.random.pick(['completed', 'completed', 'error']));
    void retryExecution(this.#cluster.randomProcess().store, 'anyone', { root, workflow: this.#workflow }).catch(() =>
      this.schedule.note('a retry failed'),
    );
  }

  /**
   * A step is undone after the ending is recorded, once, and after all newer steps. No other step
   * starts then.
   */
  readonly #onBody = (process: string, id: string, path: string): void => {
    const { claim, recorded } = this.#cluster.observedOf(id);
    // A process that lost its lease without noticing may still start a body. The output of that
    // body is not written.
    if (claim?.runner !== process) return;
    const check = (holds: boolean, what: string): void => {
      try {
        must(holds, () => `${id}: ${what}`);
      } catch (error) {
        this.#cluster.report(error as Violation);
      }
    };
    check(!recorded.has(path), `${path} starts again, although it is recorded`);
    if (!path.endsWith(undo)) {
      check(!recorded.has(endingPath), `${path} starts, although the execution is being undone`);
      return;
    }
    const undone = path.slice(0, -undo.length);
    const paths = [...recorded.keys()];
    check(recorded.has(endingPath), `${undone} is undone before the ending is recorded`);
    check(recorded.get(undone)?.status === 'success', `${undone} is undone, although it has not succeeded`);
    for (const newer of paths.slice(paths.indexOf(undone) + 1))
      check(!canBeUndone(newer) || recorded.has(newer + undo), `${undone} is undone before ${newer}`);
  };

  async #checkEnd({ id, metadata, output, status, workflowId }: Execution): Promise<void> {
    if (workflowId === 'rounds') return this.#checkRounds(id, status, output, metadata['continuedFrom']);
    const journal = await this.#cluster.store.journal('anyone', id);
    const done = journal.filter((entry) => entry.status === 'success' && canBeUndone(entry.path));
    const undone = journal.filter(({ path }) => path.endsWith(undo));
    const expected = status === 'completed' ? [] : done.map(({ path }) => path + undo).toSorted();
    must(
      sameJson(undone.map(({ path }) => path).toSorted(), expected),
      () => `${id} is ${status} and has undone ${undone.map(({ path }) => path).join()}, not ${expected.join()}`,
    );
    const failing = `${this.#failingUndos.get(id)}${undo}`;
    for (const entry of undone)
      must((entry.status === 'error') === (entry.path === failing), () => `${id}: ${entry.path} is ${entry.status}`);
    must(status === 'cancelled' || this.#told.has(`${id} ${status}`), () => `${id} is ${status}`);
  }

  #tell(id: string, fate: Fate): void {
    this.#fates.set(id, fate);
    this.#told.add(`${id} ${fate}`);
  }

  /** Each execution is continued by one other, and the last one has all rounds. */
  async #checkRounds(id: string, status: string, output: JsonValue | undefined, before: unknown): Promise<void> {
    const next = (await this.#cluster.rows()).filter(({ metadata }) => metadata['continuedFrom'] === id);
    must(status === 'completed', () => `${id} is ${status}`);
    if (output === rounds) must(next.length === 0 && before !== undefined, () => `${id} is not the last`);
    else must(next.length === 1, () => `${next.length} executions continue ${id}`);
    for (const { id: nextId } of next)
      must(sameJson(output, { continuedAs: nextId }), () => `${id} continues as ${JSON.stringify(output)}`);
  }

  #onCreated(id: string): void {
    this.#tell(id, this.#cluster.random.pick(['completed', 'error', 'error', 'cancelled']));
    this.#failingUndos.set(id, this.#cluster.random.pick(['none', 'none', 'both/car', 'each:0/night']));
  }

  /** A trip whose steps can be undone, and a loop that continues as new executions. */
  #workflows(observer: BodyObserver): ReadonlyMap<string, WorkflowDefinition> {
    const work = async ({
      idempotencyKey,
    }: Pick<StepContext<unknown>, 'idempotencyKey'>): Promise<readonly string[]> => {
      const slash = idempotencyKey.indexOf('/');
      // After a rewind, the key has a number.
      const [id, path] = [idempotencyKey.slice(0, slash), idempotencyKey.slice(slash + 1).replace(/@\d+$/, '')];
      await observer.starts(id, path, undefined);
      await observer.works(path);
      return [id, path];
    };
    const does = (id: string) =>
      andThen<unknown, unknown>({
        id,
        execute: (context) => work(context),
        compensate: async (context) => {
          const [executionId = '', path] = await work(context);
          if (path === `${this.#failingUndos.get(executionId)}${undo}`) throw new BodyFailure('it cannot be undone');
        },
      });
    const stay = createWorkflow({ id: 'stay' })
      .andForEach({ id: 'each', items: () => [0, 1], step: does('night') })
      .andThen({ id: 'pay', execute: (context) => work(context) });
    const trip = createWorkflow({ id: 'trip' })
      .andThen({ id: 'plan', execute: (context) => work(context) })
      .andAll({ id: 'both', steps: [does('flight'), does('car')] })
      .andForEach({ id: 'each', items: () => [0, 1], step: does('night') })
      .andWorkflow({ id: 'stay', workflow: stay, input: () => 0 })
      .andThen({
        id: 'confirm',
        execute: async (context) => {
          const [executionId = ''] = await work(context);
          const fate = this.#fates.get(executionId);
          if (fate === 'error') throw new BodyFailure('it cannot be confirmed');
          return fate === 'cancelled' ? context.abort() : 'confirmed';
        },
      });
    const loop = createWorkflow({ id: 'rounds' }).andThen({
      id: 'round',
      execute: async ({ continueAsNew, data, idempotencyKey }) => {
        await work({ idempotencyKey });
        const round = Number(data) + 1;
        return round < rounds ? continueAsNew(round) : round;
      },
    });
    this.#workflow = trip;
    return new Map<string, WorkflowDefinition>([
      ['trip', trip],
      ['rounds', loop],
    ]);
  }
}

function canBeUndone(path: string): boolean {
  return /(?:flight|car|night)$/.test(path);
}
