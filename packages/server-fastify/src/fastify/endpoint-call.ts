import type { ServerResponse } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { Call } from '../define/define-route.ts';
import type { RunningCall } from '../lifecycle/running-work.ts';

/** One request on its way through a handler. What most handlers do not ask for is made when it is asked for. */
export class EndpointCall implements Call<TSchema, TSchema, TSchema>, RunningCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly #request: FastifyRequest;
  readonly #response: ServerResponse;
  #caller: Caller | undefined;
  #controller: AbortController | undefined;
  #isGivenUp = false;
  #onGiveUp: (() => void) | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.params = request.params;
    this.query = request.query;
    this.body = request.body;
    this.#request = request;
    this.#response = reply.raw;
  }

  get caller(): Caller {
    this.#caller ??= { user: undefined, address: this.#request.ip };
    return this.#caller;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  /** Runs first when the server waits no longer: before those who follow the signal say something of it. */
  beforeGivingUp(act: () => void): void {
    this.#onGiveUp = act;
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.#onGiveUp?.();
    this.#controller?.abort();
  }

  #watch(): AbortController {
    const controller = new AbortController();
    const response = this.#response;
    if (this.#isGivenUp || response.destroyed) controller.abort();
    else {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort();
      });
    }
    return controller;
  }
}

/** What the limits of a caller are counted by. */
export function callerKey({ address, user }: Caller): string {
  const id = user?.id ?? user?.sub;
  return id === undefined ? `address:${address}` : `user:${id}`;
}
