import type { ServerResponse } from 'node:http';
import { ConfigurationError } from '@halyard/contracts';
import { type AsyncIterableStream, toReadable } from '../async/readable.ts';
import { textConverter } from '../chat/to-text.ts';
import { findLastReplyCalls, uiChunkConverter } from '../chat/ui-chunks.ts';
import type { AgentInput, UIMessageChunk } from '../model/messages/message.ts';
import type { ToolsOption } from '../tool/tools-option.ts';
import type { AgentEvent, FinishReason } from './agent-event.ts';
import {
  endOfSse,
  pipeResponse,
  streamResponse,
  textStreamHeaders,
  toBytes,
  toSse,
  uiMessageStreamHeaders,
} from './stream-response.ts';
import type { TypedResult } from './typed-results.ts';
import type { Usage } from './usage.ts';

type Batches = AsyncIterableIterator<readonly AgentEvent[], void, undefined>;

/**
 * A run that has started. Read it once: iterate it for its events, or use one of `textStream`,
 * `fullStream`, `toUIMessageStream` and the responses. To abort it, stop iterating, cancel the
 * stream, or abort the signal of the run.
 *
 * The run starts at once, and waits while its events are not read. Use `generateText` when only the
 * result matters.
 */
export class AgentStream<Tools extends ToolsOption = ToolsOption> implements AsyncIterable<AgentEvent> {
  /**
   * The result of the run. Rejects with the failure that the `error` event describes; the rejection
   * is never unhandled.
   */
  readonly result: Promise<TypedResult<Tools>>;
  /**
   * Id of the assistant's message that the run writes: a new one, or that of the message it
   * continues.
   */
  readonly messageId: string;
  readonly #batches: Batches;
  readonly #input: AgentInput;
  #isRead = false;

  constructor(batches: Batches, result: Promise<TypedResult<Tools>>, messageId: string, input: AgentInput) {
    this.#batches = batches;
    this.result = result;
    this.messageId = messageId;
    this.#input = input;
  }

  /**
   * The text as it is generated, without that of sub-agents; a blank line separates the texts of
   * two steps. Fails as the run does.
   */
  get textStream(): AsyncIterableStream<string> {
    return this.#texts((text) => (text === '' ? [] : [text]));
  }

  /** All events, as the iterator yields them. A failure of the run is an `error` event. */
  get fullStream(): AsyncIterableStream<AgentEvent> {
    return toReadable(
      () => this.batches(),
      (batch) => batch,
    );
  }

  /**
   * The text of the last step. Like {@link usage} and {@link finishReason}, it reads the events to
   * their end when it is awaited, unless something else reads them. Rejects as {@link result} does.
   */
  get text(): PromiseLike<string> {
    return this.#whenRead(({ text }) => text);
  }

  /** The usage of all steps. */
  get usage(): PromiseLike<Usage> {
    return this.#whenRead(({ usage }) => usage);
  }

  get finishReason(): PromiseLike<FinishReason> {
    return this.#whenRead(({ finishReason }) => finishReason);
  }

  /** The run as the AI SDK's UI message stream, such as for `writer.merge`. */
  toUIMessageStream(): AsyncIterableStream<UIMessageChunk> {
    return toReadable(() => this.batches(), this.#chunks());
  }

  /**
   * The run as a response to `useChat`: return it from a route handler. A client that leaves aborts
   * the run.
   */
  toUIMessageStreamResponse(init?: ResponseInit): Response {
    const chunksOf = this.#chunks();
    const body = toReadable(
      () => this.batches(),
      (batch) => toSse(chunksOf(batch)),
      endOfSse,
    );
    return streamResponse(body, uiMessageStreamHeaders, init);
  }

  /**
   * The text as a response, for `useCompletion` and the like with `streamProtocol: 'text'`. If the
   * run fails, the response breaks off.
   */
  toTextStreamResponse(init?: ResponseInit): Response {
    return streamResponse(this.#texts(toBytes), textStreamHeaders, init);
  }

  /**
   * {@link toUIMessageStreamResponse} for servers of Node such as Express. Resolves when the
   * response is sent or the client has left.
   */
  async pipeUIMessageStreamToResponse(response: ServerResponse, init?: ResponseInit): Promise<void> {
    await pipeResponse(this.toUIMessageStreamResponse(init), response);
  }

  /** {@link toTextStreamResponse} for servers of Node. */
  async pipeTextStreamToResponse(response: ServerResponse, init?: ResponseInit): Promise<void> {
    await pipeResponse(this.toTextStreamResponse(init), response);
  }

  /**
   * The events in batches: each has all events that are ready.
   *
   * @throws ConfigurationError when the events are read already.
   */
  batches(): Batches {
    if (this.#isRead)
      throw new ConfigurationError(
        'The events of a run can be read once: by iterating it, or by one of its streams and responses',
      );
    this.#isRead = true;
    return this.#batches;
  }

  /** Not a generator: its `return` would wait for the pending event, which may never come. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, void, undefined> {
    const batches = this.batches();
    let ready: Iterator<AgentEvent, undefined> = [].values();
    return {
      next: async () => {
        for (;;) {
          const event = ready.next();
          if (event.done !== true) return event;
          const batch = await batches.next();
          if (batch.done === true) return batch;
          ready = batch.value.values();
        }
      },
      return: async () => {
        ready = [].values();
        await batches.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  #chunks(): (batch: readonly AgentEvent[]) => readonly UIMessageChunk[] {
    return uiChunkConverter(this.messageId, findLastReplyCalls(this.#input));
  }

  #texts<Item>(itemsOf: (text: string) => readonly Item[]): AsyncIterableStream<Item> {
    const textOf = textConverter();
    return toReadable(
      () => this.batches(),
      async (batch) => {
        try {
          return itemsOf(textOf(batch));
        } catch (error) {
          // The result rejects with the failure itself, of which the event has only the message.
          await this.result;
          throw error;
        }
      },
    );
  }

  #whenRead<Value>(pick: (result: TypedResult<Tools>) => Value): PromiseLike<Value> {
    return new Deferred(async () => {
      if (!this.#isRead) this.#drain();
      return pick(await this.result);
    });
  }

  #drain(): void {
    const batches = this.batches();
    const readAll = async (): Promise<void> => {
      while ((await batches.next()).done !== true);
    };
    // A failure is that of the result, too.
    readAll().catch(() => {});
  }
}

/** A value that is computed when somebody waits for it. */
class Deferred<Value> implements PromiseLike<Value> {
  readonly #compute: () => Promise<Value>;

  constructor(compute: () => Promise<Value>) {
    this.#compute = compute;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- the AI SDK has the same form
  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#compute().then(onFulfilled, onRejected);
  }
}
