import { AbortedError, type SpanContext, type User } from '@halyard/contracts';
import { parseTraceParent } from '@halyard/core/server';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/identity.ts';
import type { ReplyHeader, Call, Endpoint } from '../../api/define/define-route.ts';
import type { RunningCall } from '../../runtime/lifecycle/running-calls.ts';
import type { ForwardedAddress } from '../../runtime/services/public-address.ts';
import { findAuthorization } from '../guards/access-hook.ts';
import { requestedAddress } from '../requested-address.ts';

/** The verified user of a request. */
export type UserOf = (request: FastifyRequest) => User | undefined;

/** The sender of a request. */
export function toCaller(request: FastifyRequest, userOf: UserOf): Caller {
  const user = userOf(request);
  const authorization = findAuthorization(request);
  const { grants, hasCredential = false, isOperator = false, isUnauthorized, tokenUser } = authorization ?? {};
  return {
    user,
    address: request.ip,
    hasConsoleAccess: user === undefined && hasCredential,
    isOperator: user === undefined && isOperator,
    tokenUser,
    grants,
    isUnauthorized,
  };
}

/** The {@link Call} of one request. Fields that few handlers need are computed on first use. */
export class EndpointCall implements Call<TSchema, TSchema, TSchema>, RunningCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly detaches: boolean;
  readonly warnings: string[] = [];
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #userOf: UserOf;
  #operator: Caller | undefined;
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;

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
    return this.#operator ?? toCaller(this.#request, this.#userOf);
  }

  /** Continues as an operator, which the roles of the caller allow. */
  actAs(operator: Caller): void {
    this.#operator = operator;
  }

  get forwarded(): ForwardedAddress | undefined {
    return requestedAddress(this.#request);
  }

  get traceParent(): SpanContext | undefined {
    const { traceparent } = this.#request.headers;
    return typeof traceparent === 'string' ? parseTraceParent(traceparent) : undefined;
  }

  get headers(): unknown {
    return this.#request.headers;
  }

  warn(message: string): void {
    this.warnings.push(message);
  }

  setHeader(name: ReplyHeader, value: string): void {
    this.#reply.header(name, value);
  }

  /** Created on first use: most calls never read it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const { raw } = this.#reply;
      if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
      else if (raw.destroyed && !raw.writableFinished) controller.abort(clientLeft());
      else {
        raw.on('close', () => {
          if (!raw.writableFinished) controller.abort(clientLeft());
        });
      }
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }
}

function clientLeft(): AbortedError {
  return new AbortedError();
}
