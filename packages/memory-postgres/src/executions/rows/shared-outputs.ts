import { isDeepStrictEqual } from 'node:util';
import type { JournalEntry, NewExecutionEvent } from '@halyard/contracts';

/** Shorter values are stored where they occur. */
const leastLength = 1_000;

/** The events of a commit as they are stored, and which of them share the output of another. */
export interface StoredEvents {
  readonly events: readonly string[];
  /**
   * For each event that is stored without its value: the position of the event in this commit that
   * has it, from 1. Absent: all have their own.
   */
  readonly sources: readonly (number | null)[] | undefined;
  /** The positions of the events with large outputs, by the output itself. */
  readonly outputs: ReadonlyMap<unknown, number>;
}

/**
 * Leaves out large values that are the output of an earlier event: the input of the next step, and
 * the result. Usually they are the same object. A schema copies its input, so a value is also
 * compared with the last large output.
 */
export function toStoredEvents(events: readonly NewExecutionEvent[]): StoredEvents {
  const outputs = new Map<unknown, number>();
  const sources: (number | null)[] = [];
  let last: { readonly output: unknown; readonly position: number } | undefined;
  const stored = events.map((event, index) => {
    const name = valueNames.get(event.type);
    const value = name === undefined ? undefined : event[name];
    const position = outputs.get(value) ?? (isDeepStrictEqual(value, last?.output) ? last?.position : undefined);
    sources.push(position ?? null);
    if (name !== undefined && position !== undefined) {
      const { [name]: _shared, ...rest } = event;
      return JSON.stringify(rest);
    }
    const json = JSON.stringify(event);
    if (name === 'output' && value !== undefined && json.length >= leastLength) {
      last = { output: value, position: index + 1 };
      outputs.set(value, index + 1);
    }
    return json;
  });
  return { events: stored, sources: sources.every((position) => position === null) ? undefined : sources, outputs };
}

/** Leaves out the output of a journal entry if an event of the same commit has it. */
export function toStoredEntry(
  entry: JournalEntry,
  outputs: ReadonlyMap<unknown, number>,
): readonly [json: string, outputOf?: number] {
  const { output, ...rest } = entry;
  const position = outputs.get(output);
  return position === undefined ? [JSON.stringify(entry)] : [JSON.stringify(rest), position];
}

/** @param source the event that has the value; null: the event itself. */
export function fromStoredEvent(json: string, source: string | null): NewExecutionEvent {
  const event = JSON.parse(json) as NewExecutionEvent;
  const name = source === null ? undefined : valueNames.get(event.type);
  return source === null || name === undefined ? event : { ...event, [name]: readOutput(source) };
}

/** @param source the event that has the output; null: the entry itself. */
export function fromStoredEntry(json: string, source: string | null): JournalEntry {
  const entry = JSON.parse(json) as JournalEntry;
  return source === null ? entry : { ...entry, output: readOutput(source) };
}

function readOutput(event: string): NonNullable<JournalEntry['output']> {
  return (JSON.parse(event) as { readonly output: NonNullable<JournalEntry['output']> }).output;
}

/** The field with the value, by the type of the event. */
const valueNames: ReadonlyMap<string, string> = new Map([
  ['step-start', 'input'],
  ['step-complete', 'output'],
  ['workflow-complete', 'output'],
  ['workflow-result', 'result'],
]);
