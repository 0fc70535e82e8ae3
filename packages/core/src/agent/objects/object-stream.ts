import type { AgentEvent } from '../agent-event.ts';
import { errorText } from '../loop/events.ts';
import type { ObjectResult } from '../run-result.ts';
import type { Usage } from '../usage.ts';
import type { ObjectOutput } from './object-output.ts';

/** The value as far as it is written. */
export interface PartialEvent {
  readonly type: 'partial';
  readonly object: unknown;
}

/**
 * An element of a list is complete, and fits its schema. It replaces an earlier one of the same
 * index, which a corrected reply may change.
 */
export interface ElementEvent<Element = unknown> {
  readonly type: 'element';
  readonly index: number;
  readonly element: Element;
}

/** One event of a structured reply, as `POST /agents/:id/stream-object` sends it. */
export type ObjectEvent<Value = unknown> = PartialEvent | ObjectEnd<Value>;

/** One event of a list that an agent generates. */
export type ArrayEvent<Element = unknown> = ElementEvent<Element> | ObjectEnd<Element[]>;

type ObjectEnd<Value> =
  | { readonly type: 'object'; readonly object: Value; readonly usage: Usage }
  | { readonly type: 'error'; readonly error: string };

/** A structured reply while it is written: its events, and its result. */
export interface ObjectStream<Value, Event = ObjectEvent<Value>> extends AsyncIterable<Event, unknown, unknown> {
  /**
   * Rejects with the failure that the `error` event describes; the rejection is never unhandled.
   */
  readonly result: Promise<ObjectResult<Value>>;
}

/** @param result rejects with the failure of the run. */
export function objectStream<Value, Partial>(
  batches: AsyncIterable<readonly AgentEvent[]>,
  { partials }: Pick<ObjectOutput<Value, Partial>, 'partials'>,
  result: Promise<ObjectResult<Value>>,
): ObjectStream<Value, Partial | ObjectEnd<Value>> {
  result.catch(() => {});
  return { result, [Symbol.asyncIterator]: () => objectEvents(partials(batches), result) };
}

async function* objectEvents<Value, Partial>(
  partials: AsyncIterable<Partial>,
  result: Promise<ObjectResult<Value>>,
): AsyncGenerator<Partial | ObjectEnd<Value>> {
  yield* partials;
  try {
    const { object, usage } = await result;
    yield { type: 'object', object, usage };
  } catch (error) {
    yield { type: 'error', error: errorText(error) };
  }
}
