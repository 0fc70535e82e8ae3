import type { Clock, Execution, ExecutionStore } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { type FixedClock, fixedClock } from '../../testing/fixed-clock.ts';
import type { FlowControl } from '../definition/flow-control.ts';
import { Mutex } from './mutex.ts';
import { Observed } from './observed.ts';
import type { TreeStep } from './random-tree.ts';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { treeWorkflow } from './tree-workflow.ts';
import { must, Violation } from './violation.ts';

/** Faults stop after this many claims without a commit: after more, the executor quarantines an execution. */
const maxClaimsWithoutCommit = 3;
const maxTurns = 5_000;
const rounds = 3;
const debounceMs = 20_000;
const throttle = { limit: 2, periodMs: 20_000 };

const rules: Readonly<Record<string, FlowControl>> = {
  skips: { singleton: { onBusy: 'skip' } },
  replaces: { singleton: { onBusy: 'cancel-running' } },
  debounced: { debounce: { delayMs: debounceMs } },
  throttled: { throttle },
};
const workflowIds = ['skips', 'replaces', 'debounced', 'throttled'] as const;

const tree: readonly TreeStep[] = [
  {
    kind: 'then',
    id: 'work',
    body: { isSync: false, suspends: false, failures: 0, attempts: 1, throwsOnAbort: true, end: 'output' },
  },
];

export interface StartSimulationOptions {
  readonly seed: number;
  readonly createStore?: (clock: Clock) => ExecutionStore;
}

/** Several processes start executions with the same key, while calls fail and processes crash. */
export class StartSimulation {
  readonly #random: Random;
  readonly schedule: Schedule;
  readonly #clock: FixedClock = fixedClock(1_000_000);
  readonly #store: ExecutionStore;
  readonly #processes: readonly SimulatedProcess[];
  readonly #observed = new Map<string, Observed>();
  /** Executions that were replaced before any process had claimed them. */
  readonly #replaced = new Set<string>();
  /** The earliest start of each throttled execution, in the order in which the store created them. */
  readonly #earliestStarts = new Map<string, number>();
  #violation: Violation | undefined;

  constructor({ createStore = (clock) => new InMemoryExecutionStore(clock), seed }: StartSimulationOptions) {
    const random = new Random(seed);
    const schedule = new Schedule(random);
    const mutex = new Mutex();
    this.#random = random;
    this.schedule = schedule;
    this.#store = createStore(this.#clock);
    this.#processes = [0, 1, 2].map(
      (index) =>
        new SimulatedProcess({
          name: `p${index}`,
          store: this.#store,
          schedule,
          random,
          clock: this.#clock,
          mutex,
          // The last process never crashes.
          faults: {
            failure: 0,
            delay: random.pick([0.3, 0.7, 1]),
            end:
              index < 2 && random.chance(0.5) ? { call: random.below(60), isExecuted: random.chance(0.5) } : undefined,
          },
          workflows: (observer) => new Map(workflowIds.map((id) => [id, treeWorkflow(id, tree, observer, rules[id])])),
          observed: (id) => this.#observedOf(id),
          onBody: this.#onBody,
          onViolation: (violation) => {
            this.#violation ??= violation;
          },
        }),
    );
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const failure = this.#random.pick([0, 0.05, 0.1]);
    for (let round = 0; round < rounds; round += 1) {
      this.#setFailure(failure);
      const turns = this.#random.between(10, 60);
      for (let turn = 0; turn < turns && !this.#shouldStopFaults(); turn += 1) await this.#turn();
      this.#setFailure(0);
      await this.#replaceOlder();
      await this.#drain();
      for (const workflowId of ['replaces', 'debounced']) await this.#checkLast(workflowId);
      // All have ended, so it is not refused.
      await this.#begin('skips');
    }
    await this.#drain();
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.2) this.#beginRandom();
    else if (chance < 0.8 && this.schedule.pendingCount > 0) this.schedule.releaseOne();
    else if (chance < 0.9) await this.#advance(this.#random.pick([50, 3_000, debounceMs]));
    else this.#randomProcess().renewAndSweep();
    await this.#check();
  }

  /** A start that was answered has replaced all older ones, also those of processes that crashed or got no answer. */
  async #replaceOlder(): Promise<void> {
    for (let start = 0; start < 4; start += 1) this.#beginRandom();
    for (const workflowId of ['replaces', 'debounced']) {
      const id = await this.#begin(workflowId);
      const rows = await this.#rowsOf(workflowId);
      for (const row of rows.slice(
        0,
        rows.findIndex((each) => each.id === id),
      )) {
        const mayGoOn = workflowId === 'debounced' && row.epoch > 0;
        must(!isOpen(row) || row.request?.kind === 'cancel' || mayGoOn, () => `${id} did not replace ${row.id}`);
        if (row.epoch === 0) this.#replaced.add(row.id);
      }
    }
  }

  /** Nothing replaces the execution that was created last. */
  async #checkLast(workflowId: string): Promise<void> {
    const last = (await this.#rowsOf(workflowId)).at(-1);
    must(last?.status === 'completed', () => `the last of ${workflowId}, ${last?.id}, is ${last?.status}`);
  }

  async #check(): Promise<void> {
    await this.schedule.settled();
    if (this.#violation !== undefined) throw this.#violation;
    const open = (await this.#rowsOf('skips')).filter(isOpen);
    must(open.length <= 1, () => `${open.map(({ id }) => id).join(' and ')} have not ended`);
  }

  /** Without faults: everything ends. */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#check();
      if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if ((await this.#rows()).some(isOpen)) await this.#advance(1_000);
      else return;
    }
  }

  /** Starts an execution in the process that never crashes. @returns its id. */
  async #begin(workflowId: string): Promise<string> {
    const process = this.#processes.at(-1);
    must(process !== undefined, () => 'no process is left');
    let begun: { readonly id: string } | { readonly error: unknown } | undefined;
    void process.begin(workflowId).then(
      (id) => {
        begun = { id };
      },
      (error: unknown) => {
        begun = { error };
      },
    );
    for (let turn = 0; begun === undefined; turn += 1) {
      must(turn < maxTurns, () => `a start of ${workflowId} gets no answer`);
      await this.#check();
      this.schedule.releaseOne();
      await this.schedule.settled();
    }
    must('id' in begun, () => `a start of ${workflowId} failed`);
    return begun.id;
  }

  #beginRandom(): void {
    const process = this.#randomProcess();
    const workflowId = this.#random.pick(workflowIds);
    this.schedule.note(`${process.name} begins ${workflowId}`);
    void process.begin(workflowId).catch(() => this.schedule.note(`a start of ${workflowId} failed`));
  }

  async #advance(ms: number): Promise<void> {
    this.#clock.advance(ms);
    this.schedule.note(`it is ${this.#clock.now()}`);
    for (const process of this.#living) if (process.nextSweepAt <= this.#clock.now()) process.renewAndSweep();
    await this.schedule.settled();
  }

  readonly #onBody = (id: string): void => {
    this.schedule.note(`the body of ${id} starts`);
    if (this.#clock.now() < (this.#earliestStarts.get(id) ?? 0))
      this.#violation ??= new Violation(`${id} runs at ${this.#clock.now()}, too soon after others`);
    if (this.#replaced.has(id)) this.#violation ??= new Violation(`${id} runs, although it was replaced before`);
  };

  #setFailure(failure: number): void {
    for (const { faults } of this.#processes) faults.failure = failure;
  }

  #shouldStopFaults(): boolean {
    return [...this.#observed.values()].some((each) => each.claimsWithoutCommit >= maxClaimsWithoutCommit);
  }

  get #living(): readonly SimulatedProcess[] {
    return this.#processes.filter(({ hasEnded }) => !hasEnded);
  }

  #randomProcess(): SimulatedProcess {
    const process = this.#living[this.#random.below(this.#living.length)];
    must(process !== undefined, () => 'no process is left');
    return process;
  }

  /** The executions of a workflow, in the order in which the store created them. */
  #created(workflowId: string): readonly string[] {
    return [...this.#observed.keys()].filter((id) => workflowOf(id) === workflowId);
  }

  async #rowsOf(workflowId: string): Promise<readonly Execution[]> {
    const rows = await Promise.all(this.#created(workflowId).map((id) => this.#store.find('anyone', id)));
    return rows.filter((row) => row !== undefined);
  }

  async #rows(): Promise<readonly Execution[]> {
    return (await Promise.all(workflowIds.map((id) => this.#rowsOf(id)))).flat();
  }

  #observedOf(id: string): Observed {
    const observed = this.#observed.get(id);
    return observed ?? this.#create(id);
  }

  /** The store has created the execution. */
  #create(id: string): Observed {
    const observed = new Observed();
    this.#observed.set(id, observed);
    if (workflowOf(id) !== 'throttled') return observed;
    const before = [...this.#earliestStarts.values()].at(-throttle.limit);
    const now = this.#clock.now();
    this.#earliestStarts.set(id, before === undefined ? now : Math.max(now, before + throttle.periodMs));
    return observed;
  }
}

function workflowOf(id: string): string | undefined {
  return id.split('-')[1];
}

function isOpen({ status }: Execution): boolean {
  return status === 'running' || status === 'suspended';
}
