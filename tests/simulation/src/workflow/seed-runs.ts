import type { Clock, ExecutionStore } from '@halyard/contracts';
import type { Schedule } from './schedule.ts';
import { Violation } from './violation.ts';

interface SeededSimulation {
  readonly schedule: Schedule;
  run(): Promise<void>;
}

/** A fault of a store that a simulation must find. */
export type PlantedBug = readonly [what: string, createStore: (clock: Clock) => ExecutionStore];

export interface SeedRunsOptions {
  /**
   * The begin of the names of environment variables. With `EVENT`: `EVENT_SEED=7` runs one seed and
   * prints its trace, and `EVENT_SEEDS=100000` runs more seeds.
   */
  readonly variable: string;
  /** How many seeds are run by default. */
  readonly count: number;
  readonly create: (options: {
    readonly seed: number;
    readonly createStore?: (clock: Clock) => ExecutionStore;
  }) => SeededSimulation;
}

/** Runs a simulation with one seed after another. */
export class SeedRuns {
  readonly #options: SeedRunsOptions;
  readonly #only: string | undefined;
  readonly #count: number;

  constructor(options: SeedRunsOptions) {
    const { count, variable } = options;
    this.#options = options;
    this.#only = process.env[`${variable}_SEED`];
    this.#count = Number(process.env[`${variable}_SEEDS`] ?? count);
  }

  /**
   * The violation that the first seed finds, with the seed in its message.
   *
   * @param createStore creates a store with a planted bug: all seeds are run then, also where the
   * environment names one.
   */
  async firstError(createStore?: (clock: Clock) => ExecutionStore): Promise<Violation | undefined> {
    const [first, last] =
      this.#only === undefined || createStore !== undefined
        ? [0, this.#count]
        : [Number(this.#only), Number(this.#only) + 1];
    for (let seed = first; seed < last; seed += 1) {
      const error = await this.#errorOf(seed, createStore);
      if (error !== undefined) return error;
    }
    return undefined;
  }

  async #errorOf(seed: number, createStore?: (clock: Clock) => ExecutionStore): Promise<Violation | undefined> {
    const simulation = this.#options.create({ seed, ...(createStore && { createStore }) });
    try {
      await simulation.run();
      return undefined;
    } catch (error) {
      if (this.#only !== undefined) process.stderr.write(`${simulation.schedule.trace.join('\n')}\n`);
      if (!(error instanceof Violation)) throw error;
      return new Violation(`${this.#options.variable}_SEED=${seed}: ${error.message}`, { cause: error });
    }
  }
}
