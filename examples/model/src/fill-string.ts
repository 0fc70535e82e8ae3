import { explicitValue, isFree, madeUp, type Filled, type Filling } from './filling.ts';
import { inUnit, measureOf } from './find-numbers.ts';
import { examplesOf } from './formats.ts';
import { freeTextFor } from './free-text.ts';
import { listOf, numberOf, stringOf, type Schema } from './json.ts';
import { samplesOf } from './pattern.ts';
import type { Span } from './read-message.ts';
import { scoreOf } from './score-span.ts';
import type { Slot } from './slot.ts';
import { isStopWord, stem, wordsOf } from './words.ts';

/** Texts for the slot, best first: those in the message (in the required format and length), then defaults, then any valid text. */
export function* stringsFor(schema: Schema, slot: Slot, filling: Filling): Generator<Filled> {
  const explicit = explicitValue(slot, filling);
  if (explicit !== undefined)
    for (const value of shaped(explicit.text, schema)) yield { value, evidence: 4, spans: explicit.spans };

  for (const { span, score } of rankedSpans(slot, filling, slot.required ? 1 : 5)) {
    for (const text of textsOf(span, schema, slot)) {
      for (const value of shaped(text, schema)) yield { value, evidence: score >= 5 ? 2 : 1, spans: [span] };
    }
  }
  const isWorded = slot.category === undefined || slot.category === 'text';
  if (stringOf(schema['format']) === undefined && mayBeFree(slot) && (slot.required || isWorded)) {
    const free = freeTextFor(slot, filling);
    if (free !== undefined && (slot.required || free.evidence >= 2)) {
      for (const value of shaped(free.text, schema)) yield { value, evidence: free.evidence, spans: free.spans };
    }
  }
  if (!slot.required) return;
  yield* invented(schema, filling);
}

/** The unused parts of the message that may be this slot's value, best first. */
export function rankedSpans(
  slot: Slot,
  filling: Filling,
  least: number,
): readonly { readonly span: Span; readonly score: number }[] {
  return filling.reading.spans
    .filter((span) => isFree(span, filling) && !isSubject(span, filling))
    .map((span) => ({ span, score: scoreOf(span, slot) }))
    .filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score);
}

/** In `a poem about weather`, `weather` is the subject of the tool and not a value. */
function isSubject({ kind, text }: Span, { subject }: Filling): boolean {
  const words = wordsOf(text).filter((word) => !isStopWord(word));
  return kind === 'phrase' && words.length > 0 && words.every((word) => subject.has(stem(word)));
}

/** Slots with a specific kind of value (an address, a day) never use arbitrary remaining words. */
function mayBeFree({ category }: Slot): boolean {
  return (
    category === undefined ||
    category === 'text' ||
    category === 'place' ||
    category === 'person' ||
    category === 'count' ||
    category === 'expression'
  );
}

function* invented(schema: Schema, { reading }: Filling): Generator<Filled> {
  const least = numberOf(schema['minLength']) ?? 0;
  const made = [schema['default'], ...listOf(schema['examples'])].filter((value) => typeof value === 'string');
  yield* made.map(madeUp);
  const pattern = stringOf(schema['pattern']);
  const format = stringOf(schema['format']);
  if (format !== undefined)
    for (const text of examplesOf(format, reading.today.toISOString().slice(0, 10), least)) yield madeUp(text);
  const whole = reading.text.trim() === '' ? 'demo' : reading.text.trim();
  for (const text of shaped(whole, schema)) yield madeUp(text);
  if (pattern !== undefined) for (const text of samplesOf(pattern, least)) yield madeUp(text);
  for (let count = 2; count < 60; count += 1) for (const text of shaped(`demo ${count}`, schema)) yield madeUp(text);
  const most = numberOf(schema['maxLength']) ?? Infinity;
  for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789')
    if (most >= 1) yield madeUp(char.repeat(Math.max(1, least)));
}

/** The text and variants that may match a length or a pattern: another case, no spaces, cut at a word, padded. */
function* shaped(text: string, schema: Schema): Generator<string> {
  const least = numberOf(schema['minLength']) ?? 0;
  const most = numberOf(schema['maxLength']) ?? Infinity;
  const points = [...text];
  if (points.length > most) {
    const cut = points.slice(0, most).join('');
    yield cut.replace(/\s+\S*$/u, '');
    yield cut;
  } else {
    yield text;
  }
  if (points.length < least) {
    const filler = `${text === '' ? 'demo' : text} `;
    yield [...((text === '' ? '' : `${text} `) + filler.repeat(Math.min(2000, Math.ceil(least / filler.length) + 1)))]
      .slice(0, Math.max(least, 1))
      .join('')
      .replace(/\s$/u, '.');
  }
  if (schema['pattern'] === undefined) return;
  const short = text.slice(0, 200);
  const slug = short
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
  yield* [
    short.toUpperCase(),
    short.toLowerCase(),
    slug,
    slug.replaceAll('-', '_'),
    short.replaceAll(/[\s-]+/gu, ''),
    short.replaceAll(/\D+/gu, ''),
  ];
  yield* short.split(/\s+/u).slice(0, 30);
}

/** The form of a part of the message that a format or the slot's name requires. */
function textsOf(span: Span, schema: Schema, slot: Slot): readonly string[] {
  const format = stringOf(schema['format']);
  if (span.moment !== undefined) return momentTexts(span, format, slot);
  if (format === 'duration') {
    const seconds =
      span.number === undefined || span.unit === undefined || measureOf(span.unit) !== 'time'
        ? undefined
        : inUnit(span.number, span.unit, 's');
    return seconds === undefined ? [] : [durationText(Math.round(seconds))];
  }
  if (span.kind === 'unit' && slot.category === 'currency')
    return [span.text.toUpperCase().length === 3 ? span.text.toUpperCase() : (span.unit ?? span.text).toUpperCase()];
  if (span.kind === 'phrase' && slot.category === 'currency') return [span.text.toUpperCase(), span.text];
  return [span.text];
}

function momentTexts({ moment, text }: Span, format: string | undefined, slot: Slot): readonly string[] {
  const { date, time } = moment ?? {};
  const wantsTime =
    format === undefined ? slot.words.includes('time') : format.endsWith('time') && !format.includes('date');
  if (wantsTime) return time === undefined ? [] : format === undefined ? [time] : [`${time}:00Z`];
  if (format === undefined && slot.category !== 'date') return [text.replace(/^(?:on|this) /iu, '')];
  if (date === undefined) return [];
  if (format?.endsWith('date-time') === true) return [`${date}T${time ?? '12:00'}:00.000Z`];
  return time !== undefined && slot.words.some((word) => word === 'when' || word === 'datetime')
    ? [`${date}T${time}`, date]
    : [date];
}

function durationText(seconds: number): string {
  if (seconds > 0 && seconds % 86_400 === 0) return `P${seconds / 86_400}D`;
  if (seconds > 0 && seconds % 3600 === 0) return `PT${seconds / 3600}H`;
  return seconds > 0 && seconds % 60 === 0 ? `PT${seconds / 60}M` : `PT${seconds}S`;
}
