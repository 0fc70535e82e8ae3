import type { ServerResponse } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { subjectOf } from '../access/identity.ts';
import type { Call } from '../define/define-route.ts';
import type { RunningCall } from '../lifecycle/running-work.ts';

/**
 * One request on its way through a handler. What most handlers do not ask for is made when it is asked for.
 *
 * A class, because getters of an object literal cost a hidden class for every request.
 */
export class EndpointCall implements Call<TSchema, TSchema, TSchema>, RunningCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly #request: FastifyRequest;
  readonly #response: ServerResponse;
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
    return { user: undefined, address: this.#request.ip };
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watchClient();
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

  #watchClient(): AbortController {
    const controller = new AbortController();
    const response = this.#response;
    if (this.#isGivenUp || response.destroyed) controller.abort();
    else {
      response.on('close', () => {
        if (!response.writableFinished) controller.abort();
      });
    }
    return controller;
  }
}

/** What the limits of a caller are counted by. */
export function callerKey(caller: Caller): string {
  const subject = subjectOf(caller);
  return subject === undefined ? `address:${caller.address}` : `user:${subject}`;
}
