import { explicitValue, isFree, madeUp, type Filled, type Filling } from './filling.ts';
import { findNumbers, inUnit, measureOf } from './find-numbers.ts';
import { listOf, numberOf, type Schema } from './json.ts';
import type { Span } from './read-message.ts';
import type { Slot } from './slot.ts';
import { stem } from './words.ts';

/** Numbers for the slot, best first: those in the message (converted to the slot's unit and moved into its bounds), then defaults, then any valid number. */
export function* numbersFor(schema: Schema, slot: Slot, filling: Filling): Generator<Filled> {
  const explicit = explicitValue(slot, filling);
  const [stated] = explicit === undefined ? [] : findNumbers(explicit.text);
  if (explicit !== undefined && stated !== undefined) {
    const value = inUnitOf(slot, stated.value, stated.unit, schema);
    for (const near of nearest(value, schema)) yield { value: near, evidence: 4, spans: explicit.spans };
  }
  const spans = filling.reading.spans
    .filter((span) => span.number !== undefined && isFree(digitsOf(span), filling))
    .map((span) => ({ span, score: scoreOf(span, slot) }))
    .filter(({ score }) => score >= (slot.required ? 1 : 3))
    .toSorted((a, b) => b.score - a.score);
  for (const { span, score } of spans) {
    const value = inUnitOf(slot, span.number ?? 0, span.unit, schema);
    for (const near of nearest(value, schema)) yield { value: near, evidence: score >= 3 ? 2 : 1, spans: [span] };
  }
  if (!slot.required) return;
  for (const value of [schema['default'], ...listOf(schema['examples'])])
    if (typeof value === 'number') yield madeUp(value);
  yield* validNumbers(schema).map(madeUp);
}

/** The number without its unit, because the unit may be the value of another property. */
function digitsOf({ start, text }: Span): { readonly start: number; readonly end: number } {
  const digits = /^[-+]?[\d.,]*\d/u.exec(text)?.[0] ?? text;
  return { start, end: start + digits.length };
}

/** The numbers in the message that no value uses yet. */
export function freeNumbers(filling: Filling): readonly Span[] {
  return filling.reading.spans.filter((span) => span.kind === 'number' && isFree(span, filling));
}

const atMost = new Set('under below less most max maximum within cheaper up than'.split(' '));
const atLeast = new Set('over above more least min minimum than'.split(' '));
const measures: ReadonlyMap<string, string> = new Map(
  Object.entries({
    time: 'duration delay timeout length wait age ms seconds minutes hours days weeks months years nights',
    money: 'price amount cost budget total salary fee spend usd eur',
    length: 'distance height width depth radius km meters miles',
    mass: 'weight mass kg',
    share: 'percent percentage rate discount tip share ratio',
    temperature: 'temperature degrees temp',
  }).flatMap(([measure, words]) => words.split(' ').map((word) => [word, measure] as const)),
);

function scoreOf(span: Span, slot: Slot): number {
  const { lead, follow, unit } = span;
  const measure = unit === undefined ? undefined : measureOf(unit);
  const wanted = slot.words.map((word) => measures.get(word)).find((found) => found !== undefined);
  let score = span.kind === 'id' ? (slot.category === 'id' ? 4 : 0) : 1;
  if (lead.slice(0, 2).some((word) => slot.stems.has(stem(word)))) score += 5;
  if (
    follow.slice(0, 1).some((word) => slot.stems.has(stem(word))) ||
    (unit !== undefined && slot.stems.has(stem(unit)))
  )
    score += 5;
  else if (follow.slice(0, 1).some((word) => slot.hints.has(stem(word)))) score += 3;
  if (wanted !== undefined && measure !== undefined) score += wanted === measure ? 5 : -6;
  if (wanted === undefined && measure !== undefined) score -= slot.category === 'count' ? 3 : 0;
  if (slot.category === 'count' && unit === undefined) score += 2;
  const isMost = lead.slice(0, 2).some((word) => atMost.has(word)) && !lead.includes('more') && !lead.includes('least');
  const isLeast =
    lead.slice(0, 2).some((word) => atLeast.has(word)) &&
    !lead.includes('less') &&
    !lead.includes('most') &&
    !lead.includes('cheaper');
  if (slot.words.some((word) => /^max|^upper|^budget/u.test(word))) score += isMost ? 4 : isLeast ? -6 : 0;
  if (slot.words.some((word) => /^min(?!ute)|^lower/u.test(word))) score += isLeast ? 4 : isMost ? -6 : 0;
  if (lead[0] === 'between' || (lead[0] === 'and' && lead[2] === 'between'))
    score += slot.words.some((word) => /^m(?:ax|in)/u.test(word)) ? 3 : 0;
  return score;
}

/** Converts the number to the unit in the slot's name or description: two hours are 120 for `durationMinutes`. */
function inUnitOf(slot: Slot, value: number, unit: string | undefined, schema: Schema): number {
  if (unit === undefined) return value;
  if (measureOf(unit) === 'share' && (numberOf(schema['maximum']) ?? Infinity) <= 1) return value / 100;
  for (const wanted of [...slot.words, ...slot.hints]) {
    const converted = inUnit(value, unit, wanted) ?? inUnit(value, unit, `${wanted}s`);
    if (converted !== undefined) return converted;
  }
  return value;
}

/** The number and the nearest numbers that satisfy bounds and multiples. */
function* nearest(value: number, schema: Schema): Generator<number> {
  const { low, high } = boundsOf(schema);
  const step = numberOf(schema['multipleOf']);
  yield value;
  yield Math.round(value);
  const inside = Math.min(high, Math.max(low, value));
  if (step !== undefined) {
    for (const count of [Math.round(inside / step), Math.ceil(low / step), Math.floor(high / step)])
      yield* [count * step, clean(count * step)];
  }
  yield inside;
  yield value < low ? Math.ceil(low) : Math.floor(high);
  yield value < low ? Math.floor(low) + 1 : Math.ceil(high) - 1;
}

function* validNumbers(schema: Schema): Generator<number> {
  const { low, high } = boundsOf(schema);
  const step = numberOf(schema['multipleOf']);
  const candidates = [
    1,
    0,
    low,
    high,
    Math.ceil(low),
    Math.floor(low) + 1,
    Math.floor(high),
    Math.ceil(high) - 1,
    (low + high) / 2,
    low + 1e-6,
    high - 1e-6,
    -1,
    2,
    3,
  ];
  yield* candidates;
  const start = Number.isFinite(low) ? low : Number.isFinite(high) ? high : 0;
  const sign = Number.isFinite(low) || !Number.isFinite(high) ? 1 : -1;
  if (step !== undefined) {
    const first = sign > 0 ? Math.ceil(start / step) : Math.floor(start / step);
    for (let count = 0; count < 60; count += 1)
      yield* [(first + count * sign) * step, clean((first + count * sign) * step)];
  }
  const base = sign > 0 ? Math.ceil(start) : Math.floor(start);
  for (let count = 0; count < 60; count += 1) yield base + count * sign;
  // The bounds may lie between two whole numbers.
  if (Number.isFinite(low) && Number.isFinite(high))
    for (let part = 1; part < 60; part += 1) yield low + ((high - low) * part) / 60;
}

function boundsOf(schema: Schema): { low: number; high: number } {
  const most = (...values: readonly unknown[]): number[] => values.map(numberOf).filter((value) => value !== undefined);
  return {
    low: Math.max(-Infinity, ...most(schema['minimum'], schema['exclusiveMinimum'])),
    high: Math.min(Infinity, ...most(schema['maximum'], schema['exclusiveMaximum'])),
  };
}

function clean(value: number): number {
  return Number(value.toPrecision(12));
}
