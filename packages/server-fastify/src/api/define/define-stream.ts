import type { TSchema } from '@sinclair/typebox';
import type { Services } from '../services.ts';
import type { Call, Endpoint } from './define-route.ts';

/**
 * The events of a stream in batches: the events of a batch are sent with one write.
 *
 * It ends soon after the signal of its call is aborted, also while it waits; `return()` releases
 * its resources.
 */
export type EventBatches<Event> = AsyncIterable<readonly Event[]>;

export interface StreamDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Event,
  Headers extends TSchema,
> extends Endpoint {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly requestHeaders?: Headers;
  /** Schema of one `data:` line, a union of all events. */
  readonly event: TSchema;
  /** Headers in addition to those of every SSE reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The SSE frames of an event, blank line included; `''` for an event that is not sent. */
  readonly encode: (event: Event) => string;
  /** Sent after the last event, such as `data: [DONE]`. */
  readonly terminator?: string;
  /** The frame of a failure after the stream started. */
  readonly encodeFailure: (error: string) => string;
  /**
   * The text that clients with `Accept: text/plain` get instead of events. Throws when the run
   * fails.
   */
  readonly toText?: (events: EventBatches<Event>) => AsyncIterable<string>;
  /** Describes the 204 of an endpoint whose handler may return undefined. */
  readonly nothing?: string;
  /**
   * A ticket in its query replaces a user's token: see `api/routes/executions/stream-ticket.ts`.
   */
  readonly takesTicket?: boolean;
  /** Rejects when the request is not accepted: the reply is then JSON, and no stream starts. */
  readonly handler: (
    call: Call<Params, Query, Body, Headers>,
    services: Services,
  ) => Promise<EventBatches<Event> | undefined>;
}

/** An endpoint that sends Server-Sent Events. */
export interface Stream extends Endpoint {
  readonly kind: 'stream';
  readonly event: TSchema;
  readonly headers: Readonly<Record<string, string>>;
  readonly encode: (event: unknown) => string;
  readonly terminator: string;
  readonly encodeFailure: (error: string) => string;
  readonly toText?: ((events: EventBatches<unknown>) => AsyncIterable<string>) | undefined;
  readonly nothing?: string;
  readonly takesTicket?: boolean;
  readonly handler: (
    call: Call<TSchema, TSchema, TSchema>,
    services: Services,
  ) => Promise<EventBatches<unknown> | undefined>;
}

export function defineStream<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Event,
  Headers extends TSchema,
>(definition: StreamDefinition<Params, Query, Body, Event, Headers>): Stream {
  const { encode, handler, headers = {}, terminator = '', toText, ...others } = definition;
  // `encode` and `toText` receive the events of `handler`, so their type is only needed inside the
  // definition.
  return {
    ...others,
    kind: 'stream',
    headers,
    terminator,
    encode: encode as Stream['encode'],
    ...(toText !== undefined && { toText: toText as Stream['toText'] }),
    handler: handler as Stream['handler'],
  };
}
