import { isConversationList } from './answers.ts';
import { AppProcess } from './app-process.ts';
import { type Load, runRound } from './closed-loop.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import { listConversations } from './requests.ts';

export interface GrowthFigures {
  /** What a request costs in the one, as a multiple of what it costs in the other. */
  readonly growth: number;
  /** The time until a list of 20 of many is there. */
  readonly listMs?: number;
}

/** Environments of two processes of one app. */
export interface Environments {
  readonly plain: Readonly<Record<string, string>>;
  readonly grown: Readonly<Record<string, string>>;
}

/** One round of two processes of an app that differ in one thing, and of lists where much is stored. */
export class Growth {
  readonly #plain: AppProcess;
  readonly #grown: AppProcess;

  static async open(name: string, { grown, plain }: Environments): Promise<Growth> {
    return new Growth(await AppProcess.start(name, plain), await AppProcess.start(name, grown));
  }

  private constructor(plain: AppProcess, grown: AppProcess) {
    this.#plain = plain;
    this.#grown = grown;
  }

  async measure(load: Load, seconds: number, isListed: boolean): Promise<GrowthFigures> {
    const before = await runRound(this.#plain, load, seconds);
    const after = await runRound(this.#grown, load, seconds);
    const growth = after.cpuMsPerRequest / before.cpuMsPerRequest;
    return isListed ? { growth, listMs: await this.#listMs() } : { growth };
  }

  async close(): Promise<void> {
    await Promise.all([this.#plain.stop(), this.#grown.stop()]);
  }

  async #listMs(): Promise<number> {
    const connection = await Connection.open(this.#grown.port);
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
