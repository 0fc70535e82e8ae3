import { isConversationList } from './answers.ts';
import { AppProcess } from './app-process.ts';
import { type Load, runRound } from './closed-loop.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import { listConversations } from './requests.ts';

export interface ComparisonFigures {
  /** What a request costs in the one, as a multiple of what it costs in the other. */
  readonly costRatio: number;
  /** The time until a list of 20 of many is there. */
  readonly listMs?: number;
}

/** Environments of two processes of one app. */
export interface Environments {
  readonly plain: Readonly<Record<string, string>>;
  readonly other: Readonly<Record<string, string>>;
}

/** Rounds of processes of an app that differ in one thing, and of lists where much is stored. Several of each, as identical processes differ too. */
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

  /** Each pair in turn, each process for that long: the median of their ratios. Who comes first changes from round to round. */
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
