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

/** One round of two processes of an app that differ in one thing, and of lists where much is stored. */
export class Comparison {
  readonly #plain: AppProcess;
  readonly #other: AppProcess;

  static async open(name: string, { other, plain }: Environments): Promise<Comparison> {
    return new Comparison(await AppProcess.start(name, plain), await AppProcess.start(name, other));
  }

  private constructor(plain: AppProcess, other: AppProcess) {
    this.#plain = plain;
    this.#other = other;
  }

  async measure(load: Load, seconds: number, isListed: boolean): Promise<ComparisonFigures> {
    const before = await runRound(this.#plain, load, seconds);
    const after = await runRound(this.#other, load, seconds);
    const costRatio = after.cpuMsPerRequest / before.cpuMsPerRequest;
    return isListed ? { costRatio, listMs: await this.#listMs() } : { costRatio };
  }

  async close(): Promise<void> {
    await Promise.all([this.#plain.stop(), this.#other.stop()]);
  }

  async #listMs(): Promise<number> {
    const connection = await Connection.open(this.#other.port);
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
