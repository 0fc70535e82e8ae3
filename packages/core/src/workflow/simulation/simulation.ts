import type { Clock, Execution, ExecutionStore } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { type FixedClock, fixedClock } from '../../testing/fixed-clock.ts';
import { type BegunBody, checkBody } from './check-body.ts';
import { checkEnds, type Ended } from './check-ends.ts';
import type { Faults } from './faulty-store.ts';
import { Observed } from './observer.ts';
import { Outsiders } from './outsiders.ts';
import { randomTree, type TreeStep } from './random-tree.ts';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { Takeovers } from './takeovers.ts';
import { Turns } from './turns.ts';
import { must, Violation } from './violation.ts';

/** After this many claims without a commit the faults stop, so that no execution is given up. */
const maxClaimsWithoutCommit = 3;
/** After this many turns, an execution that has not ended counts as stuck. */
const mostTurns = 5_000;

export interface SimulationOptions {
  readonly seed: number;
  /** Default: one or two random ones. */
  readonly trees?: readonly (readonly TreeStep[])[];
  readonly createStore?: (clock: Clock) => ExecutionStore;
  /** Default: random. `none`: one process without faults. Otherwise two processes, of which the first dies at that call and nothing else fails. */
  readonly faults?: 'none' | { readonly endOfFirst: Faults['end'] };
}

/** The result of a simulation. */
export interface SimulationResult {
  readonly ended: readonly Ended[];
  /** How often the first process called its store. */
  readonly calls: number;
}

/** Several processes on one store, with random faults between them, all determined by a seed. */
export class Simulation {
  readonly trees: ReadonlyMap<string, readonly TreeStep[]>;
  readonly schedule: Schedule;
  readonly clock: FixedClock = fixedClock(1_000_000);
  readonly store: ExecutionStore;
  readonly processes: readonly SimulatedProcess[];
  readonly #random: Random;
  readonly #observed = new Map<string, Observed>();
  readonly #outsiders: Outsiders;
  readonly #takeovers = new Takeovers();
  readonly #allowsRequests: boolean;
  #isCalm: boolean;
  #violation: Violation | undefined;

  constructor({ createStore = (clock) => new InMemoryExecutionStore(clock), faults, seed, trees }: SimulationOptions) {
    // Trees and faults use separate random numbers, so that a seed has the same trees with and without faults.
    const shapes = new Random(seed);
    const random = new Random(seed + 0x5eed);
    const made = trees ?? Array.from({ length: shapes.pick([1, 1, 2]) }, () => randomTree(shapes));
    this.trees = new Map(made.map((tree, index) => [`w${index}`, tree]));
    this.#random = random;
    this.#allowsRequests = faults === undefined && random.chance(0.3);
    this.schedule = new Schedule(random);
    this.#outsiders = new Outsiders(random, this.schedule);
    this.store = createStore(this.clock);
    const turns = new Turns();
    this.processes = faultsOf(random, faults).map(
      (own, index) =>
        new SimulatedProcess({
          name: `p${index}`,
          store: this.store,
          schedule: this.schedule,
          random,
          clock: this.clock,
          turns,
          faults: own,
          trees: this.trees,
          observed: (id) => this.observed(id),
          onBody: (id, path, resumeData) => this.#checkBody(id, { process: `p${index}`, path, resumeData }),
          onViolation: this.#onViolation,
        }),
    );
    this.#isCalm = faults !== undefined;
  }

  readonly #onViolation = (violation: Violation): void => {
    this.#violation ??= violation;
  };

  #throwViolation(): void {
    if (this.#violation !== undefined) throw this.#violation;
  }

  /** @throws Violation */
  async run(): Promise<SimulationResult> {
    await this.#begin();
    const turns = this.#isCalm ? 0 : this.#random.between(20, 150);
    for (let turn = 0; turn < turns && !(await this.#isEnough()); turn += 1) await this.#turn();
    this.#calm();
    for (let turn = 0; ; turn += 1) {
      must(turn < mostTurns, () => 'an execution does not end');
      if (!(await this.#calmTurn())) break;
    }
    await this.#outsiders.checkWaiting();
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

  /** Processes that accept work. */
  get working(): readonly SimulatedProcess[] {
    return this.living.filter(({ isStopping }) => !isStopping);
  }

  async #begin(): Promise<void> {
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
        { requestId: id },
      );
      this.observed(id).states.set(id, {});
      const hinted = this.#isCalm ? 0 : this.#random.below(this.processes.length + 1);
      for (const [index, process] of this.processes.entries()) {
        if (index === hinted || index === 0) void process.executor.signal({ executionId: id, workflowId });
        this.#outsiders.wait(process, this.store, id);
      }
    }
  }

  /** Makes one random thing happen. */
  async #turn(): Promise<void> {
    const { schedule } = this;
    const chance = this.#random.next();
    if (chance < 0.72 && schedule.heldCount > 0) schedule.openOne();
    else if (chance < 0.84) await this.#pass(this.#random.pick([50, 400, 3_000, 3_000, 10_000]));
    else if (chance < 0.94) this.#outsiders.answerSome(await this.#rows(), () => this.#one());
    else if (chance < 0.97) this.#one().beat();
    else if (chance < 0.995 && this.#allowsRequests)
      this.#outsiders.ask((await this.#rows()).filter(isOpen), this.#one());
    else if (chance >= 0.995) this.#stopOne();
    await schedule.settled();
    this.#throwViolation();
  }

  /** Without further faults, answers everything. @returns whether there was anything left to do. */
  async #calmTurn(): Promise<boolean> {
    const { schedule } = this;
    await schedule.settled();
    this.#throwViolation();
    if (schedule.heldCount > 0) {
      schedule.openOne();
      return true;
    }
    const rows = await this.#rows();
    if (!rows.some(isOpen)) return false;
    this.#takeovers.check(rows, this.living, this.clock.now());
    for (const row of rows) {
      const [suspension] = row.suspensions;
      if (suspension === undefined) continue;
      this.#outsiders.answer(this.working[0] ?? this.#one(), row, suspension);
      return true;
    }
    const nextDueMs = (await this.store.nextDue()) ?? Infinity;
    const nextBeatMs = Math.min(...this.living.map(({ nextBeatAt }) => nextBeatAt)) - this.clock.now();
    await this.#pass(Math.max(1, Math.min(nextDueMs, nextBeatMs)));
    if (nextDueMs <= nextBeatMs) for (const { executor } of this.living) void executor.sweep();
    return true;
  }

  #calm(): void {
    this.schedule.note('nothing fails from here on');
    this.#isCalm = true;
    for (const { faults } of this.processes) faults.failure = 0;
  }

  async #pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    while (this.clock.now() < until) {
      const next = Math.min(until, ...this.living.map(({ nextBeatAt }) => nextBeatAt));
      this.clock.advance(Math.max(0, next - this.clock.now()));
      this.schedule.note(`it is ${this.clock.now()}`);
      for (const process of this.living) if (process.nextBeatAt <= this.clock.now()) process.beat();
      await this.schedule.settled();
    }
  }

  #stopOne(): void {
    // The last process is never stopped.
    const others = this.working.filter((process) => process !== this.processes.at(-1));
    void others[this.#random.below(others.length)]?.stop();
  }

  #one(): SimulatedProcess {
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

  async #isEnough(): Promise<boolean> {
    for (const { claimsWithoutCommit } of this.#observed.values())
      if (claimsWithoutCommit >= maxClaimsWithoutCommit) return true;
    return this.schedule.heldCount === 0 && !(await this.#rows()).some(isOpen);
  }

  #checkBody(executionId: string, body: BegunBody): void {
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

/** The faults of each process. At least one process never dies. */
function faultsOf(random: Random, faults: SimulationOptions['faults']): readonly Faults[] {
  const none = { failure: 0, delay: 0, end: undefined };
  if (faults === 'none') return [none];
  if (faults !== undefined) return [{ ...none, end: faults.endOfFirst }, { ...none }];
  const count = random.pick([2, 2, 3]);
  const failure = random.pick([0, 0.03, 0.1, 0.3]);
  const delay = random.pick([0.3, 0.7, 1]);
  return Array.from({ length: count }, (_none, index) => ({
    failure,
    delay,
    end: index < count - 1 && random.chance(0.5) ? { call: random.below(40), isDone: random.chance(0.5) } : undefined,
  }));
}
