import { Socket } from 'node:net';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import { callerKey } from '../../access/identity.ts';
import { CallerSlots } from '../../lifecycle/caller-slots.ts';
import type { Limits } from '../../limits.ts';
import { callerOf, type UserOf } from '../endpoints/endpoint-call.ts';

/** Smaller bodies and answers are not counted: the limits of requests are enough for them. */
const smallBytes = 64 * 1024;

/**
 * Limits the bytes of bodies that are received or whose requests are not answered yet, and of answers that their clients have not read yet. Each is in memory
 * until then.
 */
export class BytesInProgress {
  readonly #slots: CallerSlots;
  readonly #userOf: UserOf;
  readonly #unreadAnswerMs: number;
  /** Frees what the body of a request counts as. */
  readonly #releases = new WeakMap<FastifyRequest, () => void>();

  constructor(
    {
      transferBytesPerCaller,
      transferBytesPerProcess,
      unreadAnswerMs,
    }: Pick<Limits, 'transferBytesPerCaller' | 'transferBytesPerProcess' | 'unreadAnswerMs'>,
    userOf: UserOf,
  ) {
    this.#slots = new CallerSlots({
      what: 'bytes in bodies and unread answers of requests in progress',
      advice: 'read the answers, or wait until one has ended',
      code: 'TOO_MANY_BYTES',
      perCaller: transferBytesPerCaller,
      perProcess: transferBytesPerProcess,
    });
    this.#userOf = userOf;
    this.#unreadAnswerMs = unreadAnswerMs;
  }

  /** A hook that counts the body before it is received, and refuses it when the caller or the process has too many bytes. */
  countBody(bodyLimit: number): preParsingHookHandler {
    return (request, reply, _payload, done) => {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      const bytes = encoding === undefined ? Math.min(Number(length ?? 0), bodyLimit) : bodyLimit;
      if (bytes > smallBytes) {
        try {
          this.#releases.set(request, this.#slots.reserve(this.#callerOf(request), bytes));
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
    if (bytes > smallBytes) this.#releases.set(request, this.#slots.take(this.#callerOf(request), bytes));
  }

  /**
   * Counts an answer until its client has read it. A client that reads nothing is disconnected.
   *
   * @throws HalyardError for a GET when the caller or the process has too many bytes. Other requests have done their work.
   */
  countAnswer(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    if (bytes <= smallBytes) return;
    const caller = this.#callerOf(request);
    if (request.method === 'GET') this.#slots.check(caller, bytes);
    const release = this.#slots.take(caller, bytes);
    finished(reply.raw, () => release());
    this.#limitReading(request, reply);
  }

  /** Disconnects a client that reads nothing of an answer. */
  #limitReading(request: FastifyRequest, { raw }: FastifyReply): void {
    const { socket } = request.raw;
    // An injected request has none.
    if (!(socket instanceof Socket)) return;
    // Node counts from the last check that found progress, so up to twice this time.
    socket.setTimeout(this.#unreadAnswerMs);
    finished(raw, () => socket.setTimeout(request.server.server.timeout));
  }

  #release(request: FastifyRequest): void {
    this.#releases.get(request)?.();
    this.#releases.delete(request);
  }

  #callerOf(request: FastifyRequest): string {
    return callerKey(callerOf(request, this.#userOf));
  }
}
