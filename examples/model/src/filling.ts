import type { Reading, Span } from './read-message.ts';
import type { Slot } from './slot.ts';

/** The state of filling one schema from one message. */
export interface Filling {
  readonly reading: Reading;
  readonly root: unknown;
  /** Stems of what the tool is about: its name, not a value. */
  readonly subject: ReadonlySet<string>;
  /** What an earlier call of the same tool got; stands in at the top level where the message says nothing. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Parts of the message that are already used for a value. */
  readonly taken: Range[];
  /** Schemas looked at, and values checked, so far: a schema may be hostile. */
  steps: number;
  checks: number;
}

/** A piece of the message by its offsets. */
export type Range = Pick<Span, 'start' | 'end'>;

/** A value for a slot. `evidence`: 0 made up, 1 guessed from the message, 2 and more said in it. */
export interface Filled {
  readonly value: unknown;
  readonly evidence: number;
  readonly spans: readonly Range[];
  readonly isDefault?: boolean;
}

/** A value nothing in the message speaks for. */
export function madeUp(value: unknown): Filled {
  return { value, evidence: 0, spans: [] };
}

/**
 * Whether no value has used this piece of the message yet. A number and its unit may serve two values (`10 miles` is an amount and a
 * unit), and so may the day and the hour of one moment.
 */
export function isFree(span: Range & Partial<Span>, filling: Filling): boolean {
  const { kind, moment } = span;
  const clashes = filling.taken.filter((range) => span.start < range.end && range.start < span.end);
  if (kind === 'unit') return clashes.every((range) => range.start < span.start && range.end === span.end);
  if (kind === 'number') return clashes.every((range) => range.start > span.start && range.end === span.end);
  return clashes.length < (moment?.date !== undefined && moment.time !== undefined ? 2 : 1);
}

/** What the message gives for the slot in so many words: `city: Paris`, `limit=5`, `"city": "Paris"`. */
export function explicitValue(
  slot: Slot,
  { reading }: Filling,
): { readonly text: string; readonly spans: readonly Range[] } | undefined {
  if (slot.words.length === 0) return undefined;
  const name = slot.words.join('[ _-]?');
  const pattern = new RegExp(
    `(?<![\\p{L}\\d])"?${name}"?(?:\\s*=\\s*("[^"\\n]{0,500}"|[^\\s,;]{1,500})|:\\s*("[^"\\n]{0,500}"|[^,;\\n]{1,500}))`,
    'iu',
  );
  const match = pattern.exec(reading.text);
  const said = match?.[1] ?? match?.[2];
  if (match === null || said === undefined) return undefined;
  // The next `key:` ends the value where no comma does.
  const text = said.startsWith('"')
    ? said.slice(1, -1)
    : (said.split(/\s+(?=[\p{L}_]{1,30}[:=])/u)[0] ?? '').replace(/[.!?]$/u, '').trim();
  return text === ''
    ? undefined
    : { text, spans: [{ start: match.index, end: match.index + match[0].indexOf(said) + text.length }] };
}
