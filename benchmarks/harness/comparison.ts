import { AppProcess } from './app-process.ts';
import { type Load, runRound } from './closed-loop.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import { isConversationList } from './replies.ts';
import { listConversations } from './requests.ts';

export interface ComparisonFigures {
  /**
   * The cost of a request in the processes with the `other` environment, as a multiple of its cost
   * in the `plain` ones.
   */
  readonly costRatio: number;
  /** The time to read a list of 20 conversations. */
  readonly listMs?: number;
}

/** The environment variables of the two groups of processes. */
export interface Environments {
  readonly plain: Readonly<Record<string, string>>;
  readonly other: Readonly<Record<string, string>>;
}

/**
 * Compares processes of one app that differ in their environment. There are several processes of
 * each kind, because even identical processes differ.
 */
export class Comparison {
  readonly #plain: readonly AppProcess[];
  readonly #other: readonly AppProcess[];
  #rounds = 0;

  static async open(name: string, { other, plain }: Environments, count: number): Promise<Comparison> {
    const start = (env: Environments['plain']): Promise<AppProcess[]> =>
      Promise.all(Array.from({ length: count }, () => AppProcess.start(name, env)));
    return new Comparison(await start(plain), await start(other));
  }

  private constructor(plain: readonly AppProcess[], other: readonly AppProcess[]) {
    this.#plain = plain;
    this.#other = other;
  }

  /**
   * Measures each pair of processes and returns the median of their ratios. Each process runs for
   * `seconds`; which one runs first alternates.
   */
  async measure(load: Load, seconds: number, isListed: boolean): Promise<ComparisonFigures> {
    const run = async (app: AppProcess): Promise<number> => (await runRound(app, load, seconds)).cpuMsPerRequest;
    const ratios: number[] = [];
    for (const [index, plain] of this.#plain.entries()) {
      const other = this.#other[index];
      if (other === undefined) continue;
      if ((this.#rounds + index) % 2 === 0) {
        const plainMs = await run(plain);
        ratios.push((await run(other)) / plainMs);
      } else {
        const otherMs = await run(other);
        ratios.push(otherMs / (await run(plain)));
      }
    }
    this.#rounds += 1;
    const costRatio = median(ratios);
    return isListed ? { costRatio, listMs: await this.#listMs() } : { costRatio };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#plain, ...this.#other].map((app) => app.stop()));
  }

  async #listMs(): Promise<number> {
    const [other] = this.#other;
    if (other === undefined) return Number.NaN;
    const connection = await Connection.open(other.port);
    const taken: number[] = [];
    try {
      for (let count = 0; count < 200; count += 1) {
        const sentAt = performance.now();
        const answer = await connection.send(listConversations);
        taken.push(performance.now() - sentAt);
        isConversationList(answer);
      }
    } finally {
      connection.close();
    }
    return median(taken);
  }
}
