import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface ParsedStream {
  readonly events: readonly EventSourceMessage[];
  readonly faults: readonly string[];
}

/**
 * Parses an event stream with a parser that is not Halyard's. @param pieces of the body, as they
 * would arrive.
 */
export function parseStream(pieces: readonly string[]): ParsedStream {
  const events: EventSourceMessage[] = [];
  const faults: string[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError: (error) => faults.push(`a line that is not valid: ${error.message}`),
  });
  for (const piece of pieces) parser.feed(piece);
  return { events, faults };
}

/** The events as Halyard must have written them: one line of data each. */
export function canonical(events: readonly EventSourceMessage[]): string {
  return events.map(({ data, id }) => `${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`).join('');
}
