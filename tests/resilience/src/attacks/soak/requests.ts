import { Agent as ConnectionPool, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { consoleKeyHeader } from './console-key.ts';

export interface SoakRequest {
  readonly method: 'DELETE' | 'GET' | 'POST';
  readonly path: string;
  /** The user whose token is sent; without one the console key. */
  readonly user?: string | undefined;
  readonly body?: object | undefined;
  /** Disconnects after this time. */
  readonly abortAfterMs?: number | undefined;
}

/** A reply, or `aborted` for a request that the client gave up. */
export interface SoakReply {
  readonly status: number | 'aborted';
  readonly ms: number;
  readonly text: string;
}

/** Sends requests to a server over connections that stay open. */
export class SoakClient {
  readonly #origin: string;
  readonly #pool = new ConnectionPool({ keepAlive: true, maxSockets: 64 });

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @throws when the server closes the connection without a reply. */
  async send({ abortAfterMs, body, method, path, user }: SoakRequest): Promise<SoakReply> {
    const from = performance.now();
    const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
    const { promise, reject, resolve } = Promise.withResolvers<Omit<SoakReply, 'ms'>>();
    const sent = request(
      `${this.#origin}${path}`,
      {
        method,
        agent: this.#pool,
        ...(signal && { signal }),
        headers: {
          ...(user === undefined ? consoleKeyHeader : { authorization: `Bearer ${user}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      },
      (reply) => {
        buffer(reply).then((bytes) => resolve({ status: reply.statusCode ?? 0, text: bytes.toString() }), reject);
      },
    );
    sent.once('error', reject);
    sent.end(body && JSON.stringify(body));
    try {
      return { ...(await promise), ms: performance.now() - from };
    } catch (error) {
      if (signal?.aborted === true) return { status: 'aborted', ms: performance.now() - from, text: '' };
      throw error;
    }
  }

  close(): void {
    this.#pool.destroy();
  }
}
