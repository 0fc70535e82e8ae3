import type { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { PlantName } from '../target/plants.ts';
import type { RunningServer } from './attack-options.ts';
import type { Target, TargetSettings } from './target.ts';

/** `planted` is the size of a run with a planted bug: as small as it can be to find the bug. */
export type Size = 'planted' | 'short' | 'long';

/** One attack on a server. Each has its own figures, findings and row of the table. */
export interface Attack {
  /** In kebab-case; the argument of `--only`. */
  readonly name: string;
  /** Its action, for people. */
  readonly summary: string;
  /**
   * The bugs that the runner plants in its own target, and a finding that the attack must then
   * report.
   */
  readonly plants: Partial<Readonly<Record<PlantName, RegExp>>>;
  /**
   * The needs of an attack that only the own target meets, so that it is skipped with `--url`.
   * Undefined: it needs nothing but requests with credentials.
   */
  readonly needsOwnTarget?: string;
  readonly run: (run: AttackRun) => Promise<AttackOutcome>;
}

export interface AttackRun {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly size: Size;
  /** The planted bug that the attack must find. Undefined: the attack must find nothing. */
  readonly plant: PlantName | undefined;
  /** `--minutes` and `--rate`, for attacks that take as long as one likes. */
  readonly minutes: number | undefined;
  readonly rate: number | undefined;
  /**
   * `--bound-ms`, which replaces the bounds of latencies and stalls on machines that are too slow
   * for them.
   */
  readonly boundMs: number | undefined;
  /** The value for the size of this run. */
  readonly bySize: <Value>(values: Readonly<Record<Size, Value>>) => Value;
  /** The server of `--url`. */
  readonly server: RunningServer | undefined;
  /** The server of `--url`, else a new server in its own process. The runner closes it. */
  readonly open: (settings?: TargetSettings) => Promise<Target>;
}

export interface AttackOutcome {
  /** The number of attempts, such as `12 000 requests`. */
  readonly count: string;
  /** Faults of the server, one line each. An attack without findings has met its target. */
  readonly findings: readonly string[];
  /** The measured figure, such as `p99 31 ms`. Default: the number of findings. */
  readonly measured?: string;
  /** Such as `p99 of others < 50 ms`. Default: `0 findings`. */
  readonly target?: string;
  /** The missing part of this machine, so that nothing was attempted. */
  readonly missing?: string;
}
