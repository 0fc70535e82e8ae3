import { connect, createServer, type Server, type Socket } from 'node:net';
import type { SeededRandom } from './seeded-random.ts';

/** A statement that writes: with its reply a commit is told. */
const writes = /_executions\(|^\s*(?:commit|with|update|insert|delete)\b/i;

/**
 * Stands before a PostgreSQL server. Now and then it keeps the reply to a statement that writes, which has been done by then, and cuts the
 * connection.
 */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #random: SeededRandom;
  readonly #part: number;
  #target: URL | undefined;
  #waiters: (() => void)[] = [];
  #isOn = true;
  cuts = 0;

  /** @param part of the replies that are kept, from 0 to 1. */
  constructor(random: SeededRandom, part: number) {
    this.#random = random;
    this.#part = part;
    this.#server = createServer((client) => this.#accept(client));
  }

  /** Listens, in time for whoever is given the address. */
  async listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
  }

  /** The same database by way of the proxy. One server at a time. */
  addressOf(connectionString: string): string {
    const address = this.#server.address();
    const own = new URL(connectionString);
    this.#target = new URL(connectionString);
    own.port = String(typeof address === 'object' && address !== null ? address.port : 0);
    return own.href;
  }

  async nextCut(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push(resolve);
    await promise;
  }

  /** Lets everything through from now on. */
  rest(): void {
    this.#isOn = false;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #accept(client: Socket): void {
    const upstream = connect(Number(this.#target?.port), this.#target?.hostname);
    const end = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', end);
    }
    let isKept = false;
    const asked = new Frames(true, (type, body) => {
      if ((type === 'P' || type === 'Q') && writes.test(textIn(type, body))) isKept = this.#isCutNow();
    });
    const answered = new Frames(false, (type) => {
      if (!isKept || type !== 'Z') return;
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
      if (!isKept) client.write(chunk);
    });
  }

  #isCutNow(): boolean {
    return this.#isOn && this.#random.next() < this.#part;
  }
}

/** Of `Parse`: after the name of the statement. */
function textIn(type: string, body: Buffer): string {
  return body.toString('latin1', type === 'P' ? body.indexOf(0) + 1 : 0);
}

/** Finds the messages of PostgreSQL's protocol in a stream of bytes: a letter, the length of the rest, the rest. */
class Frames {
  readonly #onFrame: (type: string, body: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** The first message of a client has no letter. */
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
