import type { SpanContext } from '@halyard/contracts';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ConsoleLevel } from '../../access/console-roles.ts';
import type { Caller } from '../../access/identity.ts';
import type { Tier } from '../../access/tier.ts';
import type { Audited } from '../../runtime/audit/audited.ts';
import type { ForwardedAddress } from '../../runtime/services/public-address.ts';
import type { Services } from '../services.ts';

/** The limit that applies to a body. */
export type BodySize = 'default' | 'agent' | 'messages';

/** Headers that a handler may set. */
export type ReplyHeader = 'x-execution-id';

/**
 * The common part of every endpoint, from which validation, OpenAPI and access control are derived.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify's pattern: `/agents/:id`. */
  readonly url: string;
  readonly tier: Tier;
  /**
   * The console role with which a token opens it where operators may. Default: `viewer` for GET,
   * `owner` for DELETE, else `operator`.
   */
  readonly role?: ConsoleLevel;
  /**
   * Whether it is also for console roles that are limited to some agents, workflows or a tenant: it
   * treats all else as unknown.
   */
  readonly isScoped?: true;
  /**
   * On a route of users: users with a console role also reach the data of others, as operators.
   */
  readonly servesRoles?: true;
  /**
   * Further patterns of the same endpoint, with the access of `url`. The OpenAPI document omits
   * them.
   */
  readonly aliases?: readonly string[];
  /** The name of the method in generated clients. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The request headers that the handler reads, in lower case. */
  readonly requestHeaders?: TSchema;
  readonly bodySize?: BodySize;
  /** Headers of every success, and of a failure after the handler has set them. */
  readonly replyHeaders?: readonly ReplyHeader[];
  /**
   * It waits for workflows, which continue without it: at a shutdown its signal is aborted as soon
   * as they have stopped.
   */
  readonly detaches?: boolean;
  /**
   * It reads a list, searches, counts or exports, which may keep a connection of a database busy:
   * few of one caller run at the same time.
   */
  readonly readsList?: boolean;
  /**
   * The record of a request in the audit trail: it is written before the handler is called. Absent:
   * requests are not recorded.
   */
  readonly audit?: Audited;
  /**
   * The statuses of this endpoint's own failures. Those of every endpoint of its kind (400, 413,
   * 415, 429, 503) are added.
   */
  readonly failures?: readonly number[];
}

/** The request of a handler: validated, and independent of HTTP. */
export interface Call<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Headers extends TSchema = TSchema,
> {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  readonly headers: Static<Headers>;
  readonly caller: Caller;
  /** The address under which a trusted proxy was called. */
  readonly forwarded: ForwardedAddress | undefined;
  /** The span of the calling service, from the header `traceparent`. */
  readonly traceParent: SpanContext | undefined;
  /**
   * Aborted when the client disconnects before the reply, or when the grace period of a shutdown
   * has passed.
   */
  readonly signal: AbortSignal;
  /** Adds a sentence to the `warnings` of the reply; in a stream, a comment before its events. */
  warn(message: string): void;
  /** Sets a header of the reply, which may become a failure. */
  setHeader(name: ReplyHeader, value: string): void;
}

type DeepReadonly<Data> = Data extends object ? { readonly [Field in keyof Data]: DeepReadonly<Data[Field]> } : Data;

/** The return value of a handler. */
type HandlerResult<Data extends TSchema, Extra extends TObject | undefined> = Extra extends TObject
  ? { readonly data: DeepReadonly<Static<Data>>; readonly extra: DeepReadonly<Static<Extra>> }
  : DeepReadonly<Static<Data>>;

export interface RouteDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Data extends TSchema,
  Extra extends TObject | undefined = undefined,
> extends Endpoint {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** `bytes`: the handler gets the body as it was sent, of any type. */
  readonly accepts?: 'bytes';
  /** Schema of `data` in the envelope. */
  readonly data: Data;
  /** Schema of further fields in the envelope. The handler then returns `{ data, extra }`. */
  readonly extra?: Extra;
  /** Default 200. Use 201 for a route that creates a resource. */
  readonly status?: 200 | 201;
  readonly handler: (
    call: Call<Params, Query, Body>,
    services: Services,
  ) => HandlerResult<Data, Extra> | Promise<HandlerResult<Data, Extra>>;
}

/** An endpoint that replies with `{ success: true, data }`. */
export interface Route extends Endpoint {
  readonly kind: 'route';
  readonly accepts?: 'bytes';
  readonly data: TSchema;
  readonly extra?: TObject | undefined;
  readonly status: 200 | 201;
  readonly handler: (call: Call<TSchema, TSchema, TSchema>, services: Services) => unknown;
}

/** Defines a route. `api/routes/index.ts` lists all endpoints. */
export function defineRoute<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Data extends TSchema,
  Extra extends TObject | undefined = undefined,
>(definition: RouteDefinition<Params, Query, Body, Data, Extra>): Route {
  // The values are validated by the schemas of this definition before the handler is called.
  return {
    ...definition,
    kind: 'route',
    status: definition.status ?? 200,
    handler: definition.handler as Route['handler'],
  };
}
