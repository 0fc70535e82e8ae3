import { finished } from 'node:stream';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { callerKey } from '../access/identity.ts';
import { CallerSlots } from '../lifecycle/caller-slots.ts';
import type { Limits } from '../limits.ts';
import { callerOf, type UserOf } from './endpoint-call.ts';

/** Smaller bodies are not counted: the limits of requests are enough for them. */
const smallBytes = 64 * 1024;

/** Limits the bytes of the bodies that are received, or whose requests are not answered yet. Each is in memory until then. */
export class BodiesInProgress {
  readonly #slots: CallerSlots;
  readonly #userOf: UserOf;
  /** Frees what the body of a request counts as. */
  readonly #releases = new WeakMap<FastifyRequest, () => void>();

  constructor(
    { bodyBytesPerCaller, bodyBytesPerProcess }: Pick<Limits, 'bodyBytesPerCaller' | 'bodyBytesPerProcess'>,
    userOf: UserOf,
  ) {
    this.#slots = new CallerSlots({
      what: 'bytes of bodies in requests in progress',
      advice: 'wait until one has ended',
      code: 'TOO_MANY_BODIES',
      perCaller: bodyBytesPerCaller,
      perProcess: bodyBytesPerProcess,
    });
    this.#userOf = userOf;
  }

  /** A hook that counts the body before it is received, and refuses it when the caller or the process has too many. */
  count(bodyLimit: number): preParsingHookHandler {
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

  #release(request: FastifyRequest): void {
    this.#releases.get(request)?.();
    this.#releases.delete(request);
  }

  #callerOf(request: FastifyRequest): string {
    return callerKey(callerOf(request, this.#userOf));
  }
}
