import type { SpanContext } from '@halyard/contracts';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Caller } from '../access/identity.ts';
import type { Services } from '../services/services.ts';

/** Who may call a route, where access control is configured. */
export type Tier = 'public' | 'console' | 'user';

/** Which of the limits holds for a body. */
export type BodySize = 'default' | 'agent' | 'messages';

/** Headers that an answer may carry by its handler's choice. */
export type AnswerHeader = 'x-execution-id';

/** What is common to every endpoint: from it come validation, OpenAPI and the access tier. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify's pattern: `/agents/:id`. */
  readonly url: string;
  readonly tier: Tier;
  /** Other patterns of the same endpoint, which the document does not name. Access is that of `url`. */
  readonly aliases?: readonly string[];
  /** Name of the operation for generated clients. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Headers of the request that mean something here; names in small letters. */
  readonly requestHeaders?: TSchema;
  readonly bodySize?: BodySize;
  /** Headers that every success carries, and failures once there is something to tell. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** It waits for workflows, which continue without it: at a shutdown its signal is aborted as soon as they have stopped. */
  readonly detaches?: boolean;
  /** Statuses of the failures that belong to this endpoint. Those of its kind (400, 413, 415, 429, 503) are added. */
  readonly failures?: readonly number[];
}

/** What a handler is given: everything validated, nothing of HTTP. */
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
  /** The span of another service that asked for this, by the header `traceparent`. */
  readonly traceParent: SpanContext | undefined;
  /** Aborted when the client leaves before its answer, or when the grace of a shutdown has passed. */
  readonly signal: AbortSignal;
  /** Goes with the answer, also where that is a failure. */
  setHeader(name: AnswerHeader, value: string): void;
}

/** What is sent is only read. */
type Answer<Data> = Data extends object ? { readonly [Field in keyof Data]: Answer<Data[Field]> } : Data;

/** What a handler gives. */
type Given<Data extends TSchema, Beside extends TObject | undefined> = Beside extends TObject
  ? { readonly data: Answer<Static<Data>>; readonly beside: Answer<Static<Beside>> }
  : Answer<Static<Data>>;

export interface RouteDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Data extends TSchema,
  Beside extends TObject | undefined = undefined,
> extends Endpoint {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Schema of `data` in the envelope. */
  readonly data: Data;
  /** Fields that the envelope has beside `data`: the handler then gives both. */
  readonly beside?: Beside;
  /** Default 200; 201 where a resource is created. */
  readonly status?: 200 | 201;
  /** Data that is frozen is taken to be frozen throughout: given again, its text of the last time is sent. */
  readonly handler: (
    call: Call<Params, Query, Body>,
    services: Services,
  ) => Given<Data, Beside> | Promise<Given<Data, Beside>>;
}

/** An endpoint that answers with `{ success: true, data }`. */
export interface Route extends Endpoint {
  readonly kind: 'route';
  readonly data: TSchema;
  readonly beside?: TObject | undefined;
  readonly status: 200 | 201;
  readonly handler: (call: Call<TSchema, TSchema, TSchema>, services: Services) => unknown;
}

/** One object an endpoint: adding one touches the file of its noun, and `routes/index.ts` where that file is new. */
export function defineRoute<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Data extends TSchema,
  Beside extends TObject | undefined = undefined,
>(definition: RouteDefinition<Params, Query, Body, Data, Beside>): Route {
  // The schemas of this definition are what the values are validated against before the handler sees them.
  return {
    ...definition,
    kind: 'route',
    status: definition.status ?? 200,
    handler: definition.handler as Route['handler'],
  };
}
