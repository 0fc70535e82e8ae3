import type { Visits } from './fits-schema.ts';
import type { Reading, Span } from './read-message.ts';
import type { Slot } from './slot.ts';

/** The state of filling one schema from one message. */
export interface Filling {
  readonly reading: Reading;
  readonly root: unknown;
  /** The stems of the tool's subject, which are not values. */
  readonly subject: ReadonlySet<string>;
  /** The input of an earlier call of the same tool, used at the top level for values that the message does not contain. */
  readonly known: Readonly<Record<string, unknown>>;
  /** The parts of the message that are already used for a value. */
  readonly taken: Range[];
  /** The number of visited schemas and checked values, limited because a schema may be hostile. */
  steps: number;
  checks: number;
  readonly visits: Visits;
}

/** The offsets of a part of the message. */
export type Range = Pick<Span, 'start' | 'end'>;

/** A value for a slot. `evidence`: 0 generated, 1 guessed from the message, 2 and more contained in it. */
export interface Filled {
  readonly value: unknown;
  readonly evidence: number;
  readonly spans: readonly Range[];
  readonly isDefault?: boolean;
}

/** A value without evidence in the message. */
export function madeUp(value: unknown): Filled {
  return { value, evidence: 0, spans: [] };
}

/**
 * Whether no value uses this part of the message yet. A number and its unit may be used for two values (`10 miles` is an amount and a
 * unit), and so may the day and the hour of one moment.
 */
export function isFree(span: Range & Partial<Span>, filling: Filling): boolean {
  const { kind, moment } = span;
  const clashes = filling.taken.filter((range) => span.start < range.end && range.start < span.end);
  if (kind === 'unit') return clashes.every((range) => range.start < span.start && range.end === span.end);
  if (kind === 'number') return clashes.every((range) => range.start > span.start && range.end === span.end);
  return clashes.length < (moment?.date !== undefined && moment.time !== undefined ? 2 : 1);
}

/** The value that the message assigns explicitly: `city: Paris`, `limit=5`, `"city": "Paris"`. */
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
  const given = match?.[1] ?? match?.[2];
  if (match === null || given === undefined) return undefined;
  // The next `key:` ends the value if no comma does.
  const text = given.startsWith('"')
    ? given.slice(1, -1)
    : (given.split(/\s+(?=[\p{L}_]{1,30}[:=])/u)[0] ?? '').replace(/[.!?]$/u, '').trim();
  return text === ''
    ? undefined
    : { text, spans: [{ start: match.index, end: match.index + match[0].indexOf(given) + text.length }] };
}
