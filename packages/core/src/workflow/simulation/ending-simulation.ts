import type { Clock, Execution, ExecutionStore, JsonValue } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { type FixedClock, fixedClock } from '../../testing/fixed-clock.ts';
import { createWorkflow } from '../create-workflow.ts';
import type { StepContext } from '../definition/step-context.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { endingPath } from '../runtime/compensation/recorded-ending.ts';
import { retryExecution } from '../runtime/rewind/retry.ts';
import { andThen } from '../steps/and-then.ts';
import { Mutex } from './mutex.ts';
import { Observed } from './observed.ts';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { BodyObserver } from './tree-workflow.ts';
import { must, type Violation } from './violation.ts';

/** Faults stop after this many claims without a commit: after more, the executor quarantines an execution. */
const maxClaimsWithoutCommit = 3;
const maxTurns = 5_000;
const rounds = 3;
const undo = '#compensate';

class BodyFailure extends Error {}

/** How the last step of a trip ends. */
type Fate = 'completed' | 'error' | 'cancelled';

export interface EndingSimulationOptions {
  readonly seed: number;
  readonly createStore?: (clock: Clock) => ExecutionStore;
}

/**
 * Several processes run executions whose steps can be undone, and which complete, fail or are cancelled; failed ones are retried. Others continue as new executions. Calls fail and processes
 * crash.
 */
export class EndingSimulation {
  readonly schedule: Schedule;
  readonly #random: Random;
  readonly #clock: FixedClock = fixedClock(1_000_000);
  readonly #store: ExecutionStore;
  readonly #processes: readonly SimulatedProcess[];
  readonly #observed = new Map<string, Observed>();
  readonly #fates = new Map<string, Fate>();
  /** What the last step was told, also by retries that failed: `<execution> <fate>`. */
  readonly #told = new Set<string>();
  /** The compensation of this step fails, by execution. */
  readonly #failingUndos = new Map<string, string>();
  #workflow: WorkflowDefinition | undefined;
  #violation: Violation | undefined;

  constructor({ createStore = (clock) => new InMemoryExecutionStore(clock), seed }: EndingSimulationOptions) {
    const random = new Random(seed);
    const schedule = new Schedule(random);
    const mutex = new Mutex();
    this.#random = random;
    this.schedule = schedule;
    this.#store = createStore(this.#clock);
    this.#processes = ['p0', 'p1', 'p2'].map(
      (name, index) =>
        new SimulatedProcess({
          name,
          store: this.#store,
          schedule,
          random,
          clock: this.#clock,
          mutex,
          // The last process never crashes.
          faults: {
            failure: random.pick([0, 0.05, 0.1]),
            delay: random.pick([0.3, 0.7, 1]),
            end:
              index < 2 && random.chance(0.6) ? { call: random.below(80), isExecuted: random.chance(0.5) } : undefined,
          },
          workflows: (observer) => this.#workflows(observer),
          observed: (id) => this.#observedOf(id),
          onBody: (id, path) => this.#onBody(name, id, path),
          onViolation: (violation) => {
            this.#violation ??= violation;
          },
        }),
    );
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const turns = this.#random.between(20, 150);
    for (let turn = 0; turn < turns && !this.#shouldStopFaults(); turn += 1) await this.#turn();
    for (const { faults } of this.#processes) faults.failure = 0;
    this.schedule.note('no faults from here on');
    for (const workflowId of ['trip', 'rounds']) this.#begin(workflowId, this.#processes.at(-1));
    await this.#drain();
    for (const row of await this.#rows()) await this.#checkEnd(row);
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.06) this.#begin(this.#random.pick(['trip', 'trip', 'rounds']), this.#randomProcess());
    else if (chance < 0.08) await this.#cancel();
    else if (chance < 0.14) await this.#retry();
    else if (chance < 0.86 && this.schedule.pendingCount > 0) this.schedule.releaseOne();
    else if (chance < 0.95) await this.#advance(this.#random.pick([50, 3_000, 10_000]));
    else this.#randomProcess().renewAndSweep();
    await this.#settle();
  }

  /** Without faults: everything ends, and ends again after a retry. */
  async #drain(): Promise<void> {
    let retries = this.#random.below(4);
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#settle();
      if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if ((await this.#rows()).some(isOpen)) await this.#advance(1_000);
      else if (retries === 0) return;
      else {
        retries -= 1;
        await this.#retry();
      }
    }
  }

  async #settle(): Promise<void> {
    await this.schedule.settled();
    if (this.#violation !== undefined) throw this.#violation;
  }

  async #cancel(): Promise<void> {
    const row = this.#pick((await this.#rows()).filter((each) => isOpen(each) && each.workflowId === 'trip'));
    if (row === undefined) return;
    const { executor, store } = this.#randomProcess();
    this.schedule.note(`${row.id} is to be cancelled`);
    void store
      .request('anyone', row.id, { kind: 'cancel', reason: 'asked' })
      .then(() => executor.signalNow({ executionId: row.id, workflowId: row.workflowId }))
      .catch(() => this.schedule.note('a request failed'));
  }

  async #retry(): Promise<void> {
    const root = this.#pick((await this.#rows()).filter(({ status }) => status === 'error'));
    if (root === undefined || this.#workflow === undefined) return;
    this.schedule.note(`${root.id} is to be retried`);
    this.#tell(root.id, this.#random.pick(['completed', 'completed', 'error']));
    void retryExecution(this.#randomProcess().store, 'anyone', { root, workflow: this.#workflow }).catch(() =>
      this.schedule.note('a retry failed'),
    );
  }

  /** A step is undone after the ending is recorded, once, and after all newer steps. No other step starts then. */
  readonly #onBody = (process: string, id: string, path: string): void => {
    const { claim, recorded } = this.#observedOf(id);
    // A process that lost its lease without noticing may still start a body. The output of that body is not written.
    if (claim?.runner !== process) return;
    const check = (holds: boolean, what: string): void => {
      try {
        must(holds, () => `${id}: ${what}`);
      } catch (error) {
        this.#violation ??= error as Violation;
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
    const journal = await this.#store.journal('anyone', id);
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
    const next = (await this.#rows()).filter(({ metadata }) => metadata['continuedFrom'] === id);
    must(status === 'completed', () => `${id} is ${status}`);
    if (output === rounds) must(next.length === 0 && before !== undefined, () => `${id} is not the last`);
    else must(next.length === 1, () => `${next.length} executions continue ${id}`);
    for (const { id: nextId } of next)
      must(sameJson(output, { continuedAs: nextId }), () => `${id} continues as ${JSON.stringify(output)}`);
  }

  #begin(workflowId: string, process: SimulatedProcess | undefined): void {
    this.schedule.note(`${process?.name} begins ${workflowId}`);
    void process?.begin(workflowId).catch(() => this.schedule.note(`a start of ${workflowId} failed`));
  }

  async #advance(ms: number): Promise<void> {
    this.#clock.advance(ms);
    this.schedule.note(`it is ${this.#clock.now()}`);
    for (const process of this.#living) if (process.nextSweepAt <= this.#clock.now()) process.renewAndSweep();
    await this.schedule.settled();
  }

  #shouldStopFaults(): boolean {
    return [...this.#observed.values()].some((each) => each.claimsWithoutCommit >= maxClaimsWithoutCommit);
  }

  get #living(): readonly SimulatedProcess[] {
    return this.#processes.filter(({ hasEnded }) => !hasEnded);
  }

  #randomProcess(): SimulatedProcess {
    const process = this.#pick(this.#living);
    must(process !== undefined, () => 'no process is left');
    return process;
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.#random.below(items.length)];
  }

  async #rows(): Promise<readonly Execution[]> {
    const rows = await Promise.all([...this.#observed.keys()].map((id) => this.#store.find('anyone', id)));
    return rows.filter((row) => row !== undefined);
  }

  #observedOf(id: string): Observed {
    const observed = this.#observed.get(id);
    return observed ?? this.#created(id);
  }

  #created(id: string): Observed {
    const observed = new Observed();
    this.#observed.set(id, observed);
    this.#tell(id, this.#random.pick(['completed', 'error', 'error', 'cancelled']));
    this.#failingUndos.set(id, this.#random.pick(['none', 'none', 'both/car', 'each:0/night']));
    return observed;
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

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isOpen({ status }: Execution): boolean {
  return status === 'running' || status === 'suspended';
}
