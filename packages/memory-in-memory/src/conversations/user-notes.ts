import type { JsonValue } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';
import { frozenCopy } from '../frozen-copy.ts';

export interface UserNotesLimits {
  /** Of how many users the working memory is kept. Default: 10 000. */
  readonly maxUsers?: number;
  /** How many bytes the working memory of users may hold, roughly. Default: 32 MiB. */
  readonly maxBytes?: number;
}

const bytesPerUser = 200;

/** The working memory of users. Keeps no more than it may: that which was written the longest ago goes first, never the one just written. */
export class UserNotes {
  readonly #maxUsers: number;
  readonly #maxBytes: number;
  /** In the order of the last write. */
  readonly #contents = new Map<string, JsonValue>();
  #bytes = 0;

  constructor({ maxUsers = 10_000, maxBytes = 32 * 1024 * 1024 }: UserNotesLimits = {}) {
    this.#maxUsers = maxUsers;
    this.#maxBytes = maxBytes;
  }

  get(userId: string): JsonValue | undefined {
    return this.#contents.get(userId);
  }

  /** Keeps a copy; undefined deletes. */
  set(userId: string, given: JsonValue | undefined): void {
    const content = frozenCopy(given);
    this.#delete(userId);
    if (content === undefined) return;
    this.#contents.set(userId, content);
    this.#bytes += bytesOf(content);
    for (const oldest of this.#contents.keys()) {
      if (oldest === userId || !this.#isOver()) return;
      this.#delete(oldest);
    }
  }

  #isOver(): boolean {
    return this.#contents.size > this.#maxUsers || this.#bytes > this.#maxBytes;
  }

  #delete(userId: string): void {
    const content = this.#contents.get(userId);
    if (content === undefined) return;
    this.#contents.delete(userId);
    this.#bytes -= bytesOf(content);
  }
}

function bytesOf(content: JsonValue): number {
  return bytesPerUser + estimatedJsonBytes(content);
}
