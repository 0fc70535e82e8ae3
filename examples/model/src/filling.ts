import type { Reading, Span } from './read-message.ts';
import type { Slot } from './slot.ts';

/** The state of filling one schema from one message. */
export interface Filling {
  readonly reading: Reading;
  readonly root: unknown;
  /** Stems of what the tool is about: its name, not a value. */
  readonly subject: ReadonlySet<string>;
  /** What an earlier call of the same tool got; stands in where the message says nothing. */
  readonly known: Readonly<Record<string, unknown>> | undefined;
  /** Parts of the message that are already used for a value. */
  readonly taken: Range[];
  steps: number;
}

/** A piece of the message by its offsets. */
export type Range = Pick<Span, 'start' | 'end'>;

/** A value for a slot. `evidence`: 0 made up, 1 guessed from the message, 2 and more said in it. */
export interface Filled {
  readonly value: unknown;
  readonly evidence: number;
  readonly spans: readonly Range[];
}

/** A value nothing in the message speaks for. */
export function madeUp(value: unknown): Filled {
  return { value, evidence: 0, spans: [] };
}

/** Whether no value has used this piece of the message yet. */
export function isFree(span: Range, filling: Filling): boolean {
  return filling.taken.every((range) => span.start >= range.end || range.start >= span.end);
}

/** What the message gives for the slot in so many words: `city: Paris`, `limit=5`, `"city": "Paris"`. */
export function explicitValue(slot: Slot, { reading }: Filling): { readonly text: string; readonly spans: readonly Range[] } | undefined {
  if (slot.words.length === 0) return undefined;
  const name = slot.words.join('[ _-]?');
  const pattern = new RegExp(`(?<![\\p{L}\\d])"?${name}"?(?:\\s*=\\s*("[^"\\n]{0,500}"|[^\\s,;]{1,500})|:\\s*("[^"\\n]{0,500}"|[^,;\\n]{1,500}))`, 'iu');
  const match = pattern.exec(reading.text);
  const said = match?.[1] ?? match?.[2];
  if (match === null || said === undefined) return undefined;
  // The next `key:` ends the value where no comma does.
  const text = said.startsWith('"') ? said.slice(1, -1) : (said.split(/\s+(?=[\p{L}_]{1,30}[:=])/u)[0] ?? '').replace(/[.!?]$/u, '').trim();
  return text === '' ? undefined : { text, spans: [{ start: match.index, end: match.index + match[0].indexOf(said) + text.length }] };
}
