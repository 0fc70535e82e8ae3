import { DatabaseProxy, type ProxiedConnection } from './database-proxy.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Matches statements that write. */
const writes = /_executions\(|^\s*(?:commit|with|update|insert|delete)\b/i;
/**
 * Matches migrations: all of them are one transaction, which would hardly ever reach its commit.
 * This may be cut.
 */
const migrations = /\bcreate (?:or replace )?function\b/i;

/**
 * A proxy for a PostgreSQL server. At random it drops the response to a statement that writes,
 * which has been executed by then, and cuts the connection.
 */
export class CuttingProxy extends DatabaseProxy {
  readonly #random: SeededRandom;
  readonly #part: number;
  #waiters: (() => void)[] = [];
  #isOn = true;
  cuts = 0;

  /** @param part the share of responses that are dropped, from 0 to 1. */
  constructor(random: SeededRandom, part: number) {
    super();
    this.#random = random;
    this.#part = part;
  }

  async nextCut(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push(resolve);
    await promise;
  }

  /** From now on, forwards everything. */
  stopCutting(): void {
    this.#isOn = false;
  }

  protected override forward({ client, end, upstream }: ProxiedConnection): void {
    let isDropping = false;
    const asked = new Frames(true, (type, body) => {
      if ((type === 'P' || type === 'Q') && isWrite(textIn(type, body))) isDropping = this.#shouldCut();
    });
    const answered = new Frames(false, (type) => {
      if (!isDropping || type !== 'Z') return;
      end();
      this.cuts += 1;
      for (const wake of this.#waiters.splice(0)) wake();
    });
    client.on('data', (chunk: Buffer) => {
      asked.read(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      answered.read(chunk);
      if (!isDropping) client.write(chunk);
    });
  }

  #shouldCut(): boolean {
    return this.#isOn && this.#random.next() < this.#part;
  }
}

function isWrite(sql: string): boolean {
  return writes.test(sql) && !migrations.test(sql);
}

/**
 * The SQL text of a `Parse` or `Query` message. In `Parse`, it follows the name of the statement.
 */
function textIn(type: string, body: Buffer): string {
  return body.toString('latin1', type === 'P' ? body.indexOf(0) + 1 : 0);
}

/**
 * Finds the messages of the PostgreSQL protocol in a stream of bytes. A message is a letter, the
 * length of the rest, and the rest.
 */
class Frames {
  readonly #onFrame: (type: string, body: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** The first message of a client has no type letter. */
  #isFirst: boolean;

  constructor(isClient: boolean, onFrame: (type: string, body: Buffer) => void) {
    this.#isFirst = isClient;
    this.#onFrame = onFrame;
  }

  read(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#isFirst ? 0 : 1;
      if (bytes.length < head + 4) break;
      const end = head + bytes.readInt32BE(head);
      if (bytes.length < end) break;
      if (!this.#isFirst) this.#onFrame(String.fromCharCode(bytes[0] ?? 0), bytes.subarray(5, end));
      this.#isFirst = false;
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }
}
