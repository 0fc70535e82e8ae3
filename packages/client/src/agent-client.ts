import type { AcceptsUndefined } from './accepts-undefined.ts';
import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { ConnectionError, StreamFailedError } from './errors.ts';
import { isTemporary } from './follow-execution.ts';
import { type InferObject, type ObjectSchema, toJsonSchema } from './json-schema.ts';
import { backoffMs, pause } from './pause.ts';
import { readJsonEvents } from './read-events.ts';
import { received } from './received.ts';
import type { components } from './schema.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

type Schemas = components['schemas'];

export type AgentInput = Schemas['AgentInput'];
export type AgentEvent = Schemas['AgentEvent'];
export type TextResult = Schemas['TextResult'];
export type UiMessageChunk = Schemas['UiMessageChunk'];

/** Options of a run: `userId`, `conversationId`, `temperature` and so on. */
export type GenerateOptions = AcceptsUndefined<NonNullable<Schemas['GenerationOptions']>> & CallOptions;

export type ObjectOptions<Schema extends ObjectSchema> = GenerateOptions & { readonly schema: Schema };

/**
 * `resumable`: the reply continues when the connection breaks, and is read on. It requires a
 * `conversationId`.
 */
export type ChatOptions = AcceptsUndefined<NonNullable<Schemas['ChatOptions']>> & CallOptions;

/** The rating of a reply: see `POST /agents/:id/feedback`. */
export type FeedbackOptions = AcceptsUndefined<Schemas['FeedbackRequest']> & CallOptions;

/** The parts of an object while it is generated; the last event has the whole object. */
export type ObjectEvent<Value> =
  | { readonly type: 'partial'; readonly object: unknown }
  | { readonly type: 'object'; readonly object: Value; readonly usage: Schemas['Usage'] };

/** One agent of the server. */
export class AgentClient<Id extends string = string> {
  readonly id: Id;
  readonly #connection: Connection;

  constructor(id: Id, connection: Connection) {
    this.id = id;
    this.#connection = connection;
  }

  /** The whole reply. @throws ApiError, ConnectionError */
  async text(input: AgentInput, { signal, ...options }: GenerateOptions = {}): Promise<TextResult> {
    const { data } = await this.#connection.api.POST('/agents/{id}/text', {
      params: { path: { id: this.id } },
      body: { input, options },
      signal,
    });
    return received(data).data;
  }

  /**
   * The events of a run. The request is sent when they are read; a reader that leaves ends the run.
   *
   * @throws StreamFailedError when the run fails, ApiError, ConnectionError
   */
  async *stream(
    input: AgentInput,
    { signal, ...options }: GenerateOptions = {},
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const { response } = await this.#connection.api.POST('/agents/{id}/stream', {
      params: { path: { id: this.id } },
      body: { input, options },
      parseAs: 'stream',
      signal,
    });
    for await (const event of readJsonEvents<AgentEvent>(response, signal)) {
      if (event.type === 'error') throw new StreamFailedError(event.error);
      yield event;
    }
  }

  /** An object that fits the schema. @throws ApiError, ConnectionError */
  async object<Schema extends ObjectSchema>(
    input: AgentInput,
    { schema, signal, ...options }: ObjectOptions<Schema>,
  ): Promise<InferObject<Schema>> {
    const { data } = await this.#connection.api.POST('/agents/{id}/object', {
      params: { path: { id: this.id } },
      body: { input, schema: toJsonSchema(schema), options },
      signal,
    });
    // The server has checked that it fits.
    return received(data).data as InferObject<Schema>;
  }

  /**
   * An object while it is generated. @throws StreamFailedError when the run fails, ApiError,
   * ConnectionError
   */
  async *streamObject<Schema extends ObjectSchema>(
    input: AgentInput,
    { schema, signal, ...options }: ObjectOptions<Schema>,
  ): AsyncGenerator<ObjectEvent<InferObject<Schema>>, void, undefined> {
    const { response } = await this.#connection.api.POST('/agents/{id}/stream-object', {
      params: { path: { id: this.id } },
      body: { input, schema: toJsonSchema(schema), options },
      parseAs: 'stream',
      signal,
    });
    for await (const event of readJsonEvents<Schemas['ObjectEvent']>(response, signal)) {
      if (event.type === 'error') throw new StreamFailedError(event.error);
      yield event as ObjectEvent<InferObject<Schema>>;
    }
  }

  /**
   * The reply as a UI message stream of the AI SDK, `error` chunks included. With `resumable`, a
   * broken connection is opened again; the reply then begins again with a `start` chunk, which
   * replaces the part of the message that was received before.
   *
   * @throws ApiError, ConnectionError
   */
  async *chat(
    input: AgentInput,
    { signal, ...options }: ChatOptions = {},
  ): AsyncGenerator<UiMessageChunk, void, undefined> {
    const { response } = await this.#connection.api.POST('/agents/{id}/chat', {
      params: { path: { id: this.id } },
      body: { input, options },
      parseAs: 'stream',
      signal,
    });
    const { conversationId } = options;
    let failure: unknown = new ConnectionError('The reply broke off');
    try {
      for await (const chunk of readJsonEvents<UiMessageChunk>(response, signal)) {
        yield chunk;
        if (isLast(chunk)) return;
      }
    } catch (error) {
      throwIfAborted(signal);
      if (!isTemporary(error)) throw error;
      failure = error;
    }
    // A reply that is not resumable, or that has ended in the meantime, cannot be followed.
    let isFollowed = false;
    if (conversationId !== undefined)
      for await (const chunk of this.resumeChat(conversationId, { signal })) {
        isFollowed = true;
        yield chunk;
      }
    if (!isFollowed) throw failure;
  }

  /**
   * The reply that a conversation is being given, from its first chunk; nothing if there is none.
   * Connects again as {@link chat} does.
   *
   * @throws ApiError, ConnectionError
   */
  async *resumeChat(
    conversationId: string,
    { signal }: CallOptions = {},
  ): AsyncGenerator<UiMessageChunk, void, undefined> {
    for (let failures = 0; ; failures += 1) {
      let failure: unknown;
      try {
        const { response } = await this.#connection.api.GET('/agents/{id}/chat/{conversationId}/stream', {
          params: { path: { id: this.id, conversationId } },
          parseAs: 'stream',
          signal,
        });
        if (response.status === 204) return;
        for await (const chunk of readJsonEvents<UiMessageChunk>(response, signal)) {
          failures = 0;
          yield chunk;
          if (isLast(chunk)) return;
        }
      } catch (error) {
        throwIfAborted(signal);
        if (!isTemporary(error)) throw error;
        failure = error;
      }
      if (failures >= this.#connection.reconnects)
        throw new ConnectionError(`The chat ${conversationId} cannot be followed`, { cause: failure });
      await pause(backoffMs(failures), signal);
    }
  }

  /**
   * Stops the reply that a resumable chat is being given, at whichever server. @returns whether
   * there was one
   */
  async stopChat(conversationId: string, { signal }: CallOptions = {}): Promise<boolean> {
    const { data } = await this.#connection.api.POST('/agents/{id}/chat/{conversationId}/stop', {
      params: { path: { id: this.id, conversationId } },
      signal,
    });
    return received(data).data.stopped;
  }

  /**
   * Rates a reply of a stored conversation. The last rating of a user counts; null withdraws it.
   *
   * @throws ApiError, ConnectionError
   */
  async feedback({ signal, ...body }: FeedbackOptions): Promise<Schemas['Feedback']> {
    const { data } = await this.#connection.api.POST('/agents/{id}/feedback', {
      params: { path: { id: this.id } },
      body,
      signal,
    });
    return received(data).data;
  }
}

/** The texts of an agent's events. */
export async function* textOf(events: AsyncIterable<AgentEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) if (event.type === 'text-delta') yield event.delta;
}

function isLast({ type }: UiMessageChunk): boolean {
  return type === 'finish' || type === 'abort' || type === 'error';
}
