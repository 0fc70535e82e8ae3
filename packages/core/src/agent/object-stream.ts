import { parsePartial } from '../model/parse-partial.ts';
import type { AgentEvent } from './agent-event.ts';
import type { ObjectResult } from './run-result.ts';
import type { EventStream } from './run/event-stream.ts';
import type { Usage } from './usage.ts';

/** One event of a structured answer: what `POST /agents/:id/stream-object` sends. */
export type ObjectEvent<Value = unknown> =
  | { readonly type: 'partial'; readonly object: unknown }
  | { readonly type: 'object'; readonly object: Value; readonly usage: Usage }
  | { readonly type: 'error'; readonly error: string };

/** A growing text is read again only when it grew by this part of itself: long objects cost no more than n log n. */
const growth = 1 / 32;

/** Reads the object as far as the text of a step goes, whenever it is worth it. */
export async function* partialObjects(
  events: EventStream<AgentEvent>,
): AsyncGenerator<{ readonly type: 'partial'; readonly object: unknown }> {
  let text = '';
  let readLength = 0;
  let told = '';
  try {
    for (let batch = await events.nextBatch(); batch !== undefined; batch = await events.nextBatch()) {
      for (const event of batch) {
        if (event.agentId !== undefined) continue;
        if (event.type === 'start-step') [text, readLength] = ['', 0];
        if (event.type === 'text-delta') text += event.delta;
      }
      if (text.length - readLength <= readLength * growth) continue;
      readLength = text.length;
      const value = await parsePartial(text);
      if (typeof value !== 'object' || value === null) continue;
      const json = JSON.stringify(value);
      if (json === told) continue;
      told = json;
      yield { type: 'partial', object: value };
    }
  } finally {
    events.cancel();
  }
}

/** A structured answer on its way: its events, and what it came to. */
export interface ObjectStream<Value> extends AsyncIterable<ObjectEvent<Value>> {
  /** Rejects with what the `error` event told; never unhandled. */
  readonly result: Promise<ObjectResult<Value>>;
}
