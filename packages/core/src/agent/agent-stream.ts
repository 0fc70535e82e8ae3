import type { AgentEvent } from './agent-event.ts';
import type { TextResult } from './run-result.ts';
import type { EventStream } from './run/event-stream.ts';

/**
 * A run on its way. Iterate it for its events; stop iterating, or {@link cancel}, and the run is aborted.
 *
 * The run begins at once, and waits when nobody reads: who only wants the result of a long answer calls `generateText`.
 */
export class AgentStream implements AsyncIterable<AgentEvent> {
  readonly events: EventStream<AgentEvent>;
  /** What the run came to. Rejects with what the `error` event told; never unhandled. */
  readonly result: Promise<TextResult>;

  /** Of the assistant's message that the run writes: a new one, or that of the message it goes on with. */
  readonly messageId: string;

  constructor(events: EventStream<AgentEvent>, result: Promise<TextResult>, messageId: string) {
    this.events = events;
    this.result = result;
    this.messageId = messageId;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, void, undefined> {
    return this.events[Symbol.asyncIterator]();
  }

  /** All events that are ready, waiting for the first; undefined after the last. */
  nextBatch(): Promise<readonly AgentEvent[] | undefined> {
    return this.events.nextBatch();
  }

  /** Aborts the run. */
  cancel(): void {
    this.events.cancel();
  }
}
