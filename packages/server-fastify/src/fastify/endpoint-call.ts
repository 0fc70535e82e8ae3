import type { TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { subjectOf } from '../access/identity.ts';
import type { Call } from '../define/define-route.ts';
import type { RunningCall } from '../lifecycle/running-work.ts';

/** One request on its way through a handler. */
export interface EndpointCall extends Call<TSchema, TSchema, TSchema>, RunningCall {
  /** Runs first when the server waits no longer: before those who follow the signal say something of it. */
  beforeGivingUp(act: () => void): void;
}

/** What most handlers do not ask for is made when it is asked for. */
export function openCall(request: FastifyRequest, { raw: response }: FastifyReply): EndpointCall {
  let caller: Caller | undefined;
  let controller: AbortController | undefined;
  let isGivenUp = false;
  let onGiveUp: (() => void) | undefined;

  const watchClient = (): AbortController => {
    const watching = new AbortController();
    if (isGivenUp || response.destroyed) watching.abort();
    else {
      response.once('close', () => {
        if (!response.writableFinished) watching.abort();
      });
    }
    return watching;
  };

  return {
    params: request.params,
    query: request.query,
    body: request.body,
    get caller() {
      return (caller ??= { user: undefined, address: request.ip });
    },
    get signal() {
      return (controller ??= watchClient()).signal;
    },
    beforeGivingUp: (act) => {
      onGiveUp = act;
    },
    giveUp: () => {
      isGivenUp = true;
      onGiveUp?.();
      controller?.abort();
    },
  };
}

/** What the limits of a caller are counted by. */
export function callerKey(caller: Caller): string {
  const subject = subjectOf(caller);
  return subject === undefined ? `address:${caller.address}` : `user:${subject}`;
}
