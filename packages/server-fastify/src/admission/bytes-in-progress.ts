import { Socket } from 'node:net';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import { type Caller, callerKey } from '../access/identity.ts';
import { FetchSocket } from '../http/fetch/fetch-socket.ts';
import { CallerSlots } from './caller-slots.ts';

/** Smaller bodies and replies do not count: the limits of requests are enough for them. */
const smallBytes = 64 * 1024;
/** How long a client may read nothing of a reply that counts: phones leave without a word. */
const defaultUnreadMs = 30_000;

/** The sender of a request. */
export type CallerOf = (request: FastifyRequest) => Caller;

export interface BytesInProgressOptions {
  /** Of all callers. One alone gets half of them: see {@link CallerSlots}. */
  readonly bytes: number;
  readonly callerOf: CallerOf;
  /** Replaced by tests. */
  readonly unreadMs?: number | undefined;
}

/**
 * Limits the memory of large bodies and replies: bodies until their requests have a reply, and
 * replies until their clients have read them.
 */
export class BytesInProgress {
  readonly #slots: CallerSlots;
  readonly #callerOf: CallerOf;
  readonly #unreadMs: number;
  /** Frees the bytes of a body. */
  readonly #releases = new WeakMap<FastifyRequest, () => void>();

  constructor({ bytes, callerOf, unreadMs = defaultUnreadMs }: BytesInProgressOptions) {
    this.#slots = new CallerSlots({
      what: 'bytes in bodies and unread replies of requests in progress',
      advice: 'read the replies, or wait until one has ended',
      code: 'TOO_MANY_BYTES',
      perProcess: bytes,
    });
    this.#callerOf = callerOf;
    this.#unreadMs = unreadMs;
  }

  /**
   * A hook that counts the body before it is received. One without a length counts as the largest
   * that its route accepts.
   */
  countBody(bodyLimit: number): preParsingHookHandler {
    return (request, reply, _payload, done) => {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      const bytes = encoding === undefined ? Math.min(Number(length ?? 0), bodyLimit) : bodyLimit;
      if (bytes > smallBytes) {
        try {
          this.#releases.set(request, this.#slots.reserve(this.#toKey(request), bytes));
        } catch (error) {
          done(error as Error);
          return;
        }
        finished(reply.raw, () => this.#release(request));
      }
      done();
    };
  }

  /** The body has arrived, and has this length. */
  received(request: FastifyRequest, bytes: number): void {
    if (request.headers['transfer-encoding'] === undefined || !this.#releases.has(request)) return;
    this.#release(request);
    if (bytes > smallBytes) this.#releases.set(request, this.#slots.take(this.#toKey(request), bytes));
  }

  /**
   * @throws HalyardError for a GET when the caller or the process has too many bytes. Other
   * requests have done their work.
   */
  countReply(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    if (bytes <= smallBytes) return;
    const caller = this.#toKey(request);
    if (request.method === 'GET') this.#slots.check(caller, bytes);
    const release = this.#slots.take(caller, bytes);
    finished(reply.raw, () => release());
    // Node ends it with the reply, for the next request of the connection.
    if (isConnected(request)) reply.raw.setTimeout(this.#unreadMs);
  }

  #release(request: FastifyRequest): void {
    this.#releases.get(request)?.();
    this.#releases.delete(request);
  }

  #toKey(request: FastifyRequest): string {
    return callerKey(this.#callerOf(request));
  }
}

/** An injected request has no client that could fail to read. */
function isConnected({ raw }: FastifyRequest): boolean {
  const socket: object = raw.socket;
  return socket instanceof Socket || socket instanceof FetchSocket;
}
