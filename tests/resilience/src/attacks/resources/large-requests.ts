import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { consoleKey } from '../harness/tokens.ts';
import type { ResourceTarget } from './resource-target.ts';

const writersAtOnce = 4;
const patienceMs = 60_000;
const unreadMs = 15_000;

/** Sends requests, counts what comes of them, and does not keep the replies. */
export class LargeRequests {
  readonly #target: ResourceTarget;
  readonly #share: number;
  writes = 0;
  refused = 0;
  /** How often what failed: requests without a reply, or with a 500. */
  readonly failures = new Map<string, number>();
  writtenBytes = 0;
  readBytes = 0;

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Names the user where no token does. */
  get owner(): { readonly userId?: string } {
    return this.#target.isOwn || this.#target.headersOf('attacker')['authorization'] === undefined
      ? { userId: 'attacker' }
      : {};
  }

  get agent(): string {
    return this.#target.agent;
  }

  /** @param share of the writes that are made. */
  constructor(target: ResourceTarget, share: number) {
    this.#target = target;
    this.#share = share;
  }

  async times(count: number, act: (index: number) => Promise<void>): Promise<void> {
    let next = 0;
    const until = Math.ceil(count * this.#share);
    const writer = async (): Promise<void> => {
      while (next < until && this.#target.isAlive) await act(next++);
    };
    await Promise.all(atOnce(writersAtOnce, writer));
  }

  async write(path: string, body: object): Promise<void> {
    this.writes += 1;
    const text = JSON.stringify(body);
    const { status } = await this.#send('POST', path, text);
    if (status !== undefined && status < 300) this.writtenBytes += text.length;
    else if (status !== undefined && status < 500) this.refused += 1;
  }

  async read(method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
    const { bytes } = await this.#send(method, path, body && JSON.stringify(body));
    this.readBytes += bytes;
  }

  async remove(path: string): Promise<void> {
    await this.#send('DELETE', path, undefined);
  }

  /** Sends a body that several requests share. */
  async post(path: string, body: Uint8Array<ArrayBuffer>, user: string): Promise<void> {
    this.writes += 1;
    const { status } = await this.#send('POST', path, body, user);
    if (status !== undefined && status >= 400) this.refused += 1;
  }

  /** Opens connections, and reads only the first bytes of their answers. */
  async askWithoutReading(count: number, path: string): Promise<void> {
    const sockets = atOnce(count, () => {
      const socket = connect(this.#target.port, this.#target.hostname);
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer attacker\r\n\r\n`);
      socket.once('data', () => socket.pause());
      return socket;
    });
    await delay(unreadMs);
    for (const socket of sockets) socket.destroy();
  }

  async #send(
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    user = 'attacker',
  ): Promise<{ status?: number; bytes: number }> {
    const isOfConsole = path.startsWith('/workflows/executions') || path.startsWith('/observability');
    let bytes = 0;
    try {
      const reply = await fetch(`${this.#target.origin}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(isOfConsole ? { 'x-console-access-key': consoleKey } : this.#target.headersOf(user)),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(patienceMs),
      });
      for await (const chunk of reply.body ?? []) bytes += chunk.byteLength;
      // Refusing is right, also because the server has too much to do.
      if (reply.status === 500) this.#fail(`${method} ${path}: 500`);
      return { status: reply.status, bytes };
    } catch (error) {
      this.#fail(`${method} ${path}: ${reasonOf(error)}, ${bytes} bytes of its reply`);
      return { bytes };
    }
  }

  #fail(what: string): void {
    this.failures.set(what, (this.failures.get(what) ?? 0) + 1);
  }
}

/** `fetch` reports what happened to its connection as the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.name;
}

/** The results of `act` for each of several calls at the same time. */
export function atOnce<Value>(count: number, act: () => Value): Value[] {
  return Array.from({ length: count }, act);
}
