import type { Clock, Execution, ExecutionStore } from '@halyard/contracts';
import { type FixedClock, fixedClock } from '@halyard/core/testing';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import { Callers } from './callers.ts';
import { checkBody, type StartedBody } from './check-body.ts';
import { checkEnds, type Ended } from './check-ends.ts';
import type { Faults } from './faulty-store.ts';
import { Mutex } from './mutex.ts';
import { Observed } from './observed.ts';
import { randomTree, type TreeStep } from './random-tree.ts';
import { Schedule } from './schedule.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { Takeovers } from './takeovers.ts';
import { treeWorkflows } from './tree-workflow.ts';
import { must, Violation } from './violation.ts';

/**
 * Faults stop after this many claims without a commit: after more, the executor quarantines an
 * execution.
 */
const maxClaimsWithoutCommit = 3;
/** After this many turns an execution that has not ended counts as stuck. */
const maxTurns = 5_000;

export interface SimulationOptions {
  readonly seed: number;
  /** Default: one or two random trees. */
  readonly trees?: readonly (readonly TreeStep[])[];
  readonly createStore?: (clock: Clock) => ExecutionStore;
  /**
   * Default: random. `none`: one process without faults. `crashOfFirst`: two processes, of which
   * the first crashes; no other faults or delays.
   */
  readonly faults?: 'none' | { readonly crashOfFirst: Faults['end'] };
}

export interface SimulationResult {
  readonly ended: readonly Ended[];
  /** How often the first process called its store. */
  readonly calls: number;
}

/**
 * Runs random workflows in several processes on one store. Calls fail, processes crash, and events
 * arrive in random order, as the seed decides.
 */
export class Simulation {
  readonly trees: ReadonlyMap<string, readonly TreeStep[]>;
  readonly schedule: Schedule;
  readonly clock: FixedClock = fixedClock(1_000_000);
  readonly store: ExecutionStore;
  readonly processes: readonly SimulatedProcess[];
  readonly #random: Random;
  readonly #observed = new Map<string, Observed>();
  readonly #callers: Callers;
  readonly #takeovers = new Takeovers();
  readonly #allowsRequests: boolean;
  #isFaultless: boolean;
  #violation: Violation | undefined;

  constructor({ createStore = (clock) => new InMemoryExecutionStore(clock), faults, seed, trees }: SimulationOptions) {
    // Separate generators: a seed has the same trees with and without faults.
    const treeRandom = new Random(seed);
    const random = new Random(seed + 0x5eed);
    const made = trees ?? Array.from({ length: treeRandom.pick([1, 1, 2]) }, () => randomTree(treeRandom));
    this.trees = new Map(made.map((tree, index) => [`w${index}`, tree]));
    this.#random = random;
    this.#allowsRequests = faults === undefined && random.chance(0.3);
    this.schedule = new Schedule(random);
    this.#callers = new Callers(random, this.schedule);
    this.store = createStore(this.clock);
    const mutex = new Mutex();
    this.processes = faultsOf(random, faults).map(
      (own, index) =>
        new SimulatedProcess({
          name: `p${index}`,
          store: this.store,
          schedule: this.schedule,
          random,
          clock: this.clock,
          mutex,
          faults: own,
          // The others work like processes of an earlier version, which write no checkpoints.
          ...(faults !== 'none' && index % 2 === 0 && { checkpointAfter: () => 1 }),
          workflows: (observer) =>
            treeWorkflows(this.trees, observer, this.trees.size > 1 ? { concurrency: { limit: 1 } } : {}),
          observed: (id) => this.observed(id),
          onBody: (id, path, resumeData) => this.#checkBody(id, { process: `p${index}`, path, resumeData }),
          onViolation: this.#onViolation,
        }),
    );
    this.#isFaultless = faults !== undefined;
  }

  readonly #onViolation = (violation: Violation): void => {
    this.#violation ??= violation;
  };

  #throwViolation(): void {
    if (this.#violation !== undefined) throw this.#violation;
  }

  /** @throws Violation */
  async run(): Promise<SimulationResult> {
    await this.#createExecutions();
    // The clock must not advance during the first calls.
    await this.schedule.settled();
    const turns = this.#isFaultless ? 0 : this.#random.between(20, 150);
    for (let turn = 0; turn < turns && !(await this.#shouldStopFaults()); turn += 1) await this.#turn();
    this.#stopFaults();
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      if (!(await this.#faultlessTurn())) break;
    }
    await this.#callers.checkWaiting();
    return { ended: await checkEnds(this), calls: this.processes[0]?.store.calls ?? 0 };
  }

  observed(executionId: string): Observed {
    const observed = this.#observed.get(executionId) ?? new Observed();
    this.#observed.set(executionId, observed);
    return observed;
  }

  get living(): readonly SimulatedProcess[] {
    return this.processes.filter((process) => !process.hasEnded);
  }

  /** The processes that accept work. */
  get working(): readonly SimulatedProcess[] {
    return this.living.filter(({ isStopping }) => !isStopping);
  }

  async #createExecutions(): Promise<void> {
    for (const workflowId of this.trees.keys()) {
      const id = `run-${workflowId}`;
      const start = {
        type: 'workflow-start',
        from: workflowId,
        timestamp: new Date(this.clock.now()).toISOString(),
        input: 0,
      };
      await this.store.create(
        {
          id,
          workflowId,
          workflowName: workflowId,
          input: 0,
          context: {},
          workflowState: {},
          metadata: {},
          events: [start],
        },
        { requestId: id, ...(this.trees.size > 1 && { concurrency: { key: 'shared', limit: 1 } }) },
      );
      this.observed(id).states.set(id, {});
      const hinted = this.#isFaultless ? 0 : this.#random.below(this.processes.length + 1);
      for (const [index, process] of this.processes.entries()) {
        if (index === hinted || index === 0) void process.executor.signal({ executionId: id, workflowId });
        this.#callers.wait(process, this.store, id);
      }
    }
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const { schedule } = this;
    await this.#checkConcurrency();
    const chance = this.#random.next();
    if (chance < 0.72 && schedule.pendingCount > 0) schedule.releaseOne();
    else if (chance < 0.84) await this.#advance(this.#random.pick([50, 400, 3_000, 3_000, 10_000]));
    else if (chance < 0.94) this.#callers.answerRandom(await this.#rows(), () => this.#randomProcess());
    else if (chance < 0.97) this.#randomProcess().renewAndSweep();
    else if (chance < 0.995 && this.#allowsRequests)
      this.#callers.requestRandom((await this.#rows()).filter(isOpen), this.#randomProcess());
    else if (chance >= 0.995) this.#stopOne();
    await schedule.settled();
    this.#throwViolation();
  }

  /**
   * Without faults: does the next thing that is pending, and answers suspensions. @returns whether
   * there was anything to do.
   */
  async #faultlessTurn(): Promise<boolean> {
    const { schedule } = this;
    await schedule.settled();
    this.#throwViolation();
    await this.#checkConcurrency();
    if (schedule.pendingCount > 0) {
      schedule.releaseOne();
      return true;
    }
    const rows = await this.#rows();
    if (!rows.some(isOpen)) return false;
    this.#takeovers.check(rows, this.living, this.clock.now());
    for (const row of rows) {
      const [suspension] = row.suspensions;
      if (suspension === undefined) continue;
      this.#callers.answer(this.working[0] ?? this.#randomProcess(), row, suspension);
      return true;
    }
    const dueInMs = (await this.nextDueInMs()) ?? Infinity;
    // Another process may be claiming what is due.
    const nextDueMs = dueInMs === 0 ? 100 : dueInMs;
    const nextSweepMs = Math.min(...this.living.map(({ nextSweepAt }) => nextSweepAt)) - this.clock.now();
    await this.#advance(Math.max(1, Math.min(nextDueMs, nextSweepMs)));
    if (nextDueMs <= nextSweepMs) for (const { executor } of this.living) void executor.sweep();
    return true;
  }

  #stopFaults(): void {
    this.schedule.note('no faults from here on');
    this.#isFaultless = true;
    for (const { faults } of this.processes) faults.failure = 0;
  }

  async #advance(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    while (this.clock.now() < until) {
      const next = Math.min(until, ...this.living.map(({ nextSweepAt }) => nextSweepAt));
      this.clock.advance(Math.max(0, next - this.clock.now()));
      this.schedule.note(`it is ${this.clock.now()}`);
      for (const process of this.living) if (process.nextSweepAt <= this.clock.now()) process.renewAndSweep();
      await this.schedule.settled();
    }
  }

  #stopOne(): void {
    // The last process is never stopped, so that one remains.
    const others = this.working.filter((process) => process !== this.processes.at(-1));
    void others[this.#random.below(others.length)]?.stop();
  }

  #randomProcess(): SimulatedProcess {
    const { working } = this;
    const process = working[this.#random.below(working.length)];
    must(process !== undefined, () => 'no process is left');
    return process;
  }

  async #rows(): Promise<readonly Execution[]> {
    const ids = [...this.trees.keys()].map((workflowId) => `run-${workflowId}`);
    const rows = await Promise.all(ids.map((id) => this.store.find('anyone', id)));
    return rows.filter((row) => row !== undefined);
  }

  /** Until an execution is due. Undefined: none is or will be. */
  async nextDueInMs(): Promise<number | undefined> {
    const names = [...this.trees.keys()];
    if ((await this.store.backlog(names, 1)).count > 0) return 0;
    const definitions = Object.fromEntries(names.map((name) => [name, name]));
    return (await this.store.claimNext({ runner: 'asks', leaseMs: 1 }, { definitions, limit: 1 })).nextDueInMs;
  }

  /** All executions share one place. Those with a request do not wait for it. */
  async #checkConcurrency(): Promise<void> {
    if (this.#allowsRequests) return;
    const running = (await this.#rows()).filter(
      ({ id, runner }) => runner !== null && (this.observed(id).claim?.leaseUntil ?? 0) > this.clock.now(),
    );
    must(running.length <= 1, () => `${running.length} executions run at the same time`);
  }

  async #shouldStopFaults(): Promise<boolean> {
    for (const { claimsWithoutCommit } of this.#observed.values())
      if (claimsWithoutCommit >= maxClaimsWithoutCommit) return true;
    return this.schedule.pendingCount === 0 && !(await this.#rows()).some(isOpen);
  }

  #checkBody(executionId: string, body: StartedBody): void {
    try {
      checkBody(body, this.trees.get(executionId.slice('run-'.length)) ?? [], this.observed(executionId));
    } catch (error) {
      if (error instanceof Violation) this.#onViolation(error);
    }
  }
}

function isOpen({ status }: Execution): boolean {
  return status === 'running' || status === 'suspended';
}

/** The faults of each process. At least one process does not crash. */
function faultsOf(random: Random, faults: SimulationOptions['faults']): readonly Faults[] {
  const none = { failure: 0, delay: 0, end: undefined };
  if (faults === 'none') return [none];
  if (faults !== undefined) return [{ ...none, end: faults.crashOfFirst }, { ...none }];
  const count = random.pick([2, 2, 3]);
  const failure = random.pick([0, 0.03, 0.1, 0.3]);
  const delay = random.pick([0.3, 0.7, 1]);
  return Array.from({ length: count }, (_none, index) => ({
    failure,
    delay,
    end:
      index < count - 1 && random.chance(0.5) ? { call: random.below(40), isExecuted: random.chance(0.5) } : undefined,
  }));
}
