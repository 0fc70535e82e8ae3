import { isConversationList } from './answers.ts';
import { AppProcess } from './app-process.ts';
import { type Load, runRound } from './closed-loop.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import { listConversations } from './requests.ts';

export interface GrowthFigures {
  /** What a request costs with much stored, as a multiple of what it costs with little. */
  readonly growth: number;
  /** The time until a list of 20 of many is there. */
  readonly listMs: number;
}

export interface StoredMessages {
  readonly little: number;
  readonly much: number;
}

/** One round of two processes of an app that hold little and much, and lists of the latter. */
export class Growth {
  readonly #little: AppProcess;
  readonly #much: AppProcess;

  static async open(name: string, { little, much }: StoredMessages): Promise<Growth> {
    const [few, many] = await Promise.all(
      [little, much].map((messages) => AppProcess.start(name, { STORED_MESSAGES: String(messages) })),
    );
    if (few === undefined || many === undefined) throw new Error(`${name} did not start`);
    return new Growth(few, many);
  }

  private constructor(little: AppProcess, much: AppProcess) {
    this.#little = little;
    this.#much = much;
  }

  async measure(load: Load, seconds: number): Promise<GrowthFigures> {
    const few = await runRound(this.#little, load, seconds);
    const many = await runRound(this.#much, load, seconds);
    return { growth: many.cpuMsPerRequest / few.cpuMsPerRequest, listMs: await this.#listMs() };
  }

  async close(): Promise<void> {
    await Promise.all([this.#little.stop(), this.#much.stop()]);
  }

  async #listMs(): Promise<number> {
    const connection = await Connection.open(this.#much.port);
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
