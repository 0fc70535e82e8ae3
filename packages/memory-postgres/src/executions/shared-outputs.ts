import type { JournalEntry, NewExecutionEvent } from '@halyard/contracts';

/** Shorter values are stored where they occur. */
const leastLength = 1_000;

/** The events of a commit as they are stored, and which of them share the output of another. */
export interface StoredEvents {
  readonly events: readonly string[];
  /** For each event that is stored without its value: the position of the event in this commit that has it, from 1. Absent: all have their own. */
  readonly sources: readonly (number | null)[] | undefined;
  /** The positions of the events with large outputs, by their JSON. */
  readonly outputs: ReadonlyMap<string, number>;
}

/** Leaves out large values that are the output of an earlier event: the input of the next step, and the result. */
export function toStoredEvents(events: readonly NewExecutionEvent[]): StoredEvents {
  const outputs = new Map<string, number>();
  const sources: (number | null)[] = [];
  const stored = events.map((event, index) => {
    const json = JSON.stringify(event);
    const name = json.length < leastLength ? undefined : valueNames.get(event.type);
    const value = name === undefined ? undefined : JSON.stringify(event[name]);
    const position = value === undefined ? undefined : outputs.get(value);
    if (name === undefined || value === undefined || position === undefined) {
      if (event.type === 'step-complete' && value !== undefined && value.length >= leastLength)
        outputs.set(value, index + 1);
      sources.push(null);
      return json;
    }
    const { [name]: _shared, ...rest } = event;
    sources.push(position);
    return JSON.stringify(rest);
  });
  return { events: stored, sources: sources.every((position) => position === null) ? undefined : sources, outputs };
}

/** Leaves out the output of a journal entry if an event of the same commit has it. */
export function toStoredEntry(
  entry: JournalEntry,
  outputs: ReadonlyMap<string, number>,
): readonly [json: string, outputOf?: number] {
  const json = JSON.stringify(entry);
  if (json.length < leastLength || outputs.size === 0) return [json];
  const { output, ...rest } = entry;
  const position = outputs.get(JSON.stringify(output));
  return position === undefined ? [json] : [JSON.stringify(rest), position];
}

/** @param source the event that has the value; null: the event itself. */
export function fromStoredEvent(json: string, source: string | null): NewExecutionEvent {
  const event = JSON.parse(json) as NewExecutionEvent;
  const name = source === null ? undefined : valueNames.get(event.type);
  return source === null || name === undefined ? event : { ...event, [name]: outputOf(source) };
}

/** @param source the event that has the output; null: the entry itself. */
export function fromStoredEntry(json: string, source: string | null): JournalEntry {
  const entry = JSON.parse(json) as JournalEntry;
  return source === null ? entry : { ...entry, output: outputOf(source) };
}

function outputOf(event: string): NonNullable<JournalEntry['output']> {
  return (JSON.parse(event) as { readonly output: NonNullable<JournalEntry['output']> }).output;
}

/** The field with the value, by the type of the event. */
const valueNames: ReadonlyMap<string, string> = new Map([
  ['step-start', 'input'],
  ['step-complete', 'output'],
  ['workflow-complete', 'output'],
  ['workflow-result', 'result'],
]);
