import type { TSchema } from '@sinclair/typebox';
import type { Call, Endpoint } from './define-route.ts';
import type { Services } from './services.ts';

/** Where the events of a stream come from: in batches of what is ready, so that one write serves them all. */
export interface EventSource<Event> {
  /** All events that are ready, waiting for the first; undefined after the last. */
  nextBatch(): Promise<readonly Event[] | undefined>;
  /** Whether the batch that was given last is the end: it is sent with it. Where absent, or false, the source is asked. */
  readonly isOver?: boolean;
  /** The client is gone or the server shuts down: stop producing. */
  cancel(): void;
}

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
  /** Headers beside those of every SSE answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The SSE frames of an event, blank line included; `''` for an event that is not sent. */
  readonly encode: (event: Event) => string;
  /** What is sent after the last event, such as `data: [DONE]`. */
  readonly terminator?: string;
  /** The frame of a failure after the stream started. */
  readonly encodeFailure: (error: string) => string;
  /** There may be nothing to stream: then the answer is 204, and this says why. */
  readonly nothing?: string;
  /** Rejects with what is wrong with the request: that answer is JSON, and no stream starts. Undefined only where {@link nothing} is told of. */
  readonly open: (
    call: Call<Params, Query, Body, Headers>,
    services: Services,
  ) => Promise<EventSource<Event> | undefined>;
}

/** An endpoint that answers with Server-Sent Events. */
export interface Stream extends Endpoint {
  readonly kind: 'stream';
  readonly event: TSchema;
  readonly headers: Readonly<Record<string, string>>;
  readonly encode: (event: unknown) => string;
  readonly terminator: string;
  readonly encodeFailure: (error: string) => string;
  readonly nothing?: string;
  readonly open: (
    call: Call<TSchema, TSchema, TSchema>,
    services: Services,
  ) => Promise<EventSource<unknown> | undefined>;
}

export function defineStream<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Event,
  Headers extends TSchema,
>(definition: StreamDefinition<Params, Query, Body, Event, Headers>): Stream {
  const { encode, headers = {}, open, terminator = '' } = definition;
  // What `open` gives is what `encode` is given: the event type need not leave the definition.
  return {
    ...definition,
    kind: 'stream',
    headers,
    terminator,
    encode: encode as Stream['encode'],
    open: open as Stream['open'],
  };
}
