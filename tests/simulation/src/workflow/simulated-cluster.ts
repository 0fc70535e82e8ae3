import type { Clock, Execution, ExecutionStore } from '@halyard/contracts';
import { type FixedClock, fixedClock } from '@halyard/core/testing';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import { Mutex } from './mutex.ts';
import { Observed } from './observed.ts';
import { Schedule } from './schedule.ts';
import { type BeginInSimulation, SimulatedProcess, type SimulatedProcessOptions } from './simulated-process.ts';
import { must, type Violation } from './violation.ts';

/**
 * Faults stop after this many claims without a commit: after more, the executor quarantines an
 * execution.
 */
const maxClaimsWithoutCommit = 3;
/** After this many turns, something that has not ended counts as stuck. */
export const maxTurns = 5_000;

/** What a simulation is created with. */
export interface SimulationSeed {
  readonly seed: number;
  /** Default: a store in memory. */
  readonly createStore?: (clock: Clock) => ExecutionStore;
}

export interface SimulatedClusterOptions
  extends SimulationSeed, Pick<SimulatedProcessOptions, 'onChanged' | 'onPublished' | 'places' | 'workflows'> {
  /** A body starts in a process. */
  readonly onBody?: (process: string, executionId: string, path: string) => void;
  /** The store has created an execution. */
  readonly onCreated?: (executionId: string) => void;
}

/**
 * Three processes on one store. Calls fail and processes crash, as the seed decides. The last
 * process never crashes.
 */
export class SimulatedCluster {
  readonly random: Random;
  readonly schedule: Schedule;
  readonly clock: FixedClock = fixedClock(1_000_000);
  readonly store: ExecutionStore;
  readonly processes: readonly SimulatedProcess[];
  /** By execution, in the order in which the store created them. */
  readonly observed: Map<string, Observed> = new Map();
  readonly #onCreated: (executionId: string) => void;
  readonly #timeouts: { readonly at: number; readonly abort: AbortController }[] = [];
  #violation: Violation | undefined;

  constructor(options: SimulatedClusterOptions) {
    const {
      createStore = (clock) => new InMemoryExecutionStore(clock),
      onBody,
      onChanged,
      onPublished,
      seed,
    } = options;
    const random = new Random(seed);
    const mutex = new Mutex();
    this.random = random;
    this.schedule = new Schedule(random);
    this.store = createStore(this.clock);
    this.#onCreated = options.onCreated ?? (() => {});
    this.processes = ['p0', 'p1', 'p2'].map(
      (name, index) =>
        new SimulatedProcess({
          name,
          store: this.store,
          schedule: this.schedule,
          random,
          clock: this.clock,
          mutex,
          faults: {
            failure: random.pick([0, 0.05, 0.1]),
            delay: random.pick([0.3, 0.7, 1]),
            end:
              index < 2 && random.chance(0.6) ? { call: random.below(80), isExecuted: random.chance(0.5) } : undefined,
          },
          places: options.places,
          workflows: options.workflows,
          observed: (id) => this.observedOf(id),
          onBody: (id, path) => onBody?.(name, id, path),
          onChanged,
          onPublished,
          onViolation: this.report,
          timeout: (ms) => this.#timeout(ms),
        }),
    );
  }

  get living(): readonly SimulatedProcess[] {
    return this.processes.filter(({ hasEnded }) => !hasEnded);
  }

  /** The process that never crashes. */
  get last(): SimulatedProcess {
    const process = this.processes.at(-1);
    must(process !== undefined, () => 'no process is left');
    return process;
  }

  /** Whether so many claims got lost that further faults would put an execution into quarantine. */
  get isDisturbedEnough(): boolean {
    return [...this.observed.values()].some((each) => each.claimsWithoutCommit >= maxClaimsWithoutCommit);
  }

  observedOf(id: string): Observed {
    return this.observed.get(id) ?? this.#created(id);
  }

  randomProcess(): SimulatedProcess {
    const process = this.pick(this.living);
    must(process !== undefined, () => 'no process is left');
    return process;
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.random.below(items.length)];
  }

  /** All executions, in the order in which the store created them. */
  async rows(): Promise<readonly Execution[]> {
    const rows = await Promise.all([...this.observed.keys()].map((id) => this.store.find('anyone', id)));
    return rows.filter((row) => row !== undefined);
  }

  /** Starts an execution and does not wait for it. A start may fail. */
  begin(workflowId: string, process: SimulatedProcess, options?: BeginInSimulation): void {
    this.schedule.note(`${process.name} begins ${workflowId}`);
    void process.begin(workflowId, options).catch(() => this.schedule.note(`a start of ${workflowId} failed`));
  }

  /** Probability that a call fails, in all processes. */
  setFailure(failure: number): void {
    for (const { faults } of this.processes) faults.failure = failure;
    this.schedule.note(`calls fail with probability ${failure}`);
  }

  readonly report = (violation: Violation): void => {
    this.#violation ??= violation;
  };

  /** Waits until everything else waits for a pending action. @throws Violation */
  async settle(): Promise<void> {
    await this.schedule.settled();
    if (this.#violation !== undefined) throw this.#violation;
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    const now = this.clock.now();
    this.schedule.note(`it is ${now}`);
    for (const { abort, at } of this.#timeouts) if (at <= now) abort.abort();
    for (const process of this.living) if (process.nextSweepAt <= now) process.renewAndSweep();
    await this.schedule.settled();
  }

  #timeout(ms: number): AbortSignal {
    const abort = new AbortController();
    this.#timeouts.push({ at: this.clock.now() + ms, abort });
    return abort.signal;
  }

  #created(id: string): Observed {
    const observed = new Observed();
    this.observed.set(id, observed);
    this.#onCreated(id);
    return observed;
  }
}

export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function isOpen({ status }: Execution): boolean {
  return status === 'running' || status === 'suspended';
}
