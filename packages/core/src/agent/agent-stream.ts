import type { ToolsOption } from '../tool/tools-option.ts';
import type { AgentEvent } from './agent-event.ts';
import type { TypedResult } from './typed-results.ts';

/**
 * A run that has started. Iterate it for its events; stop iterating, or abort the signal of the
 * run, to abort it.
 *
 * The run starts at once, and waits while its events are not read. Use `generateText` when only the
 * result matters.
 */
export class AgentStream<Tools extends ToolsOption = ToolsOption> implements AsyncIterable<AgentEvent> {
  readonly #batches: AsyncIterableIterator<readonly AgentEvent[], void, undefined>;
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

  constructor(
    batches: AsyncIterableIterator<readonly AgentEvent[], void, undefined>,
    result: Promise<TypedResult<Tools>>,
    messageId: string,
  ) {
    this.#batches = batches;
    this.result = result;
    this.messageId = messageId;
  }

  /**
   * The events in batches: each has all events that are ready. Read either the batches or the
   * single events, and only once.
   */
  batches(): AsyncIterableIterator<readonly AgentEvent[], void, undefined> {
    return this.#batches;
  }

  /** Not a generator: its `return` would wait for the pending event, which may never come. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, void, undefined> {
    const batches = this.#batches;
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
}
