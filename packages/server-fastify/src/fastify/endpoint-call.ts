import type { SpanContext, User } from '@halyard/contracts';
import { parseTraceParent } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { AnswerHeader, Call, Endpoint } from '../define/define-route.ts';
import type { RunningCall } from '../lifecycle/running-work.ts';

/** The verified user of a request. */
export type UserOf = (request: FastifyRequest) => User | undefined;

/**
 * One request on its way through a handler. What most handlers do not ask for is made when it is asked for.
 *
 * A class, because getters of an object literal cost a hidden class for every request.
 */
export class EndpointCall implements Call<TSchema, TSchema, TSchema>, RunningCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly detaches: boolean;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #userOf: UserOf;
  #controller: AbortController | undefined;
  #isGivenUp = false;
  #onGiveUp: (() => void) | undefined;
  /** What is to be done when the client leaves, or the server waits no longer. */
  #acts: readonly (() => void)[] | undefined;
  #isWatching = false;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    { detaches = false }: Pick<Endpoint, 'detaches'>,
    userOf: UserOf,
  ) {
    this.params = request.params;
    this.query = request.query;
    this.body = request.body;
    this.detaches = detaches;
    this.#request = request;
    this.#reply = reply;
    this.#userOf = userOf;
  }

  get caller(): Caller {
    return { user: this.#userOf(this.#request), address: this.#request.ip };
  }

  get traceParent(): SpanContext | undefined {
    const { traceparent } = this.#request.headers;
    return typeof traceparent === 'string' ? parseTraceParent(traceparent) : undefined;
  }

  get headers(): unknown {
    return this.#request.headers;
  }

  setHeader(name: AnswerHeader, value: string): void {
    this.#reply.header(name, value);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isOver) this.#controller.abort();
      else this.#watchClient();
    }
    return this.#controller.signal;
  }

  get isOver(): boolean {
    const { raw } = this.#reply;
    return this.#isGivenUp || (raw.destroyed && !raw.writableFinished);
  }

  whenOver(act: () => void): void {
    if (this.isOver) {
      act();
      return;
    }
    this.#acts = this.#acts === undefined ? [act] : [...this.#acts, act];
    this.#watchClient();
  }

  /** Runs first when the server waits no longer: before those who follow the signal say something of it. */
  beforeGivingUp(act: () => void): void {
    this.#onGiveUp = act;
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.#onGiveUp?.();
    this.#end();
  }

  #watchClient(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#reply.raw.on('close', () => {
      if (!this.#reply.raw.writableFinished) this.#end();
    });
  }

  #end(): void {
    this.#controller?.abort();
    const acts = this.#acts ?? [];
    this.#acts = undefined;
    for (const act of acts) act();
  }
}
