import { explicitValue, isFree, madeUp, type Filled, type Filling, type Range } from './filling.ts';
import { isSameUnit } from './find-numbers.ts';
import { isSame, listOf, type Schema } from './json.ts';
import type { Slot } from './slot.ts';
import { isStopWord, stem, wordsOf } from './words.ts';

/** The options of an `enum` or `const`: those in the message, then the default, then all. */
export function* optionsFor(schema: Schema, slot: Slot, filling: Filling): Generator<Filled> {
  const isConstant = Object.hasOwn(schema, 'const');
  const options = isConstant ? [schema['const']] : listOf(schema['enum']);
  yield* mentionedOptions(options, slot, filling);
  // Null means that the message provides no value.
  if (options.includes(null)) yield madeUp(null);
  if (!slot.required && !isConstant) return;
  if (options.some((option) => isSame(option, schema['default']))) yield madeUp(schema['default']);
  yield* options.map(madeUp);
}

/** The options that occur in the message, longest first. */
export function mentionedOptions(options: readonly unknown[], slot: Slot, filling: Filling): readonly Filled[] {
  const stated = explicitValue(slot, filling);
  return options
    .filter((option) => typeof option === 'string' || typeof option === 'number' || typeof option === 'boolean')
    .map((option) => {
      const isStated = stated?.text.toLowerCase() === String(option).toLowerCase();
      if (stated !== undefined && isStated) return { value: option, evidence: 5, spans: stated.spans, size: 100 };
      const at = placeOf(String(option), slot, filling);
      return at === undefined ? undefined : { value: option, evidence: 2, spans: [at.range], size: at.size };
    })
    .filter((match) => match !== undefined)
    .toSorted((a, b) => towards(slot, b, filling) - towards(slot, a, filling) || b.size - a.size)
    .map(({ value, evidence, spans }) => ({ value, evidence, spans }));
}

/** A `to` slot takes the option after `to`, `into` or `in`; a `from` slot takes another one. */
function towards({ direction }: Slot, { spans }: Pick<Filled, 'spans'>, { reading }: Filling): number {
  const place = spans[0];
  if (place === undefined || direction === undefined) return 0;
  const follows =
    /(?:^|\s)(?:to|into|in|as)\s+$/iu.test(reading.text.slice(0, place.start)) ||
    /^(?:to|into|in|as)\s/iu.test(reading.text.slice(place.start));
  return follows === (direction === 'to') ? 1 : 0;
}

const spoken: Readonly<Record<string, string>> = {
  add: 'plus|sum|\\+',
  addition: 'plus|add|sum|\\+',
  subtract: 'minus|difference|-(?= ?\\d)',
  subtraction: 'minus|subtract|-(?= ?\\d)',
  multiply: 'times|multiplied|product|[*×x](?= ?\\d)',
  multiplication: 'times|multiply|[*×x](?= ?\\d)',
  divide: 'divided|over|[/÷](?= ?\\d)',
  division: 'divide|divided|[/÷](?= ?\\d)',
  power: '\\^',
  '+': 'plus|add',
  '-': 'minus|subtract',
  '*': 'times|multiply|x(?= ?\\d)',
  '/': 'divided|divide',
  celsius: '°?c',
  fahrenheit: '°?f',
  metric: 'celsius',
  imperial: 'fahrenheit',
  asc: 'ascending|oldest first|cheapest first',
  desc: 'descending|newest|latest|newest first',
  km: 'kilomet(?:er|re)s?',
  mi: 'miles?',
  high: 'urgent|important|asap',
  urgent: 'asap|immediately',
  usd: 'dollars?|\\$',
  eur: 'euros?|€',
  gbp: 'pounds?|£',
  jpy: 'yen|¥',
  done: 'finished|complete|completed',
  s: 'small',
  m: 'medium',
  l: 'large',
};

/** The position of the option in the message, in any form of its words. `size` is the length of the match. */
function placeOf(
  option: string,
  { stems }: Slot,
  filling: Filling,
): { readonly range: Range; readonly size: number } | undefined {
  const { text } = filling.reading;
  const words = wordsOf(option).filter((word) => wordsOf(option).length === 1 || !isStopWord(word));
  const forms = spoken[option.toLowerCase()];
  const exact = option.length < 3 ? `(?<![\\p{L}\\d$€£¥'’])${escaped(option)}(?![\\p{L}\\d'’])` : undefined;
  const pattern = [exact, forms === undefined ? undefined : `(?<![\\p{L}\\d])(?:${forms})(?![\\p{L}])`]
    .filter((part) => part !== undefined)
    .join('|');
  if (pattern !== '') {
    // A single letter matches only in upper case, because `a` and `i` are words.
    const match = new RegExp(pattern, option.length === 1 && forms === undefined ? 'u' : 'iu').exec(text);
    if (match !== null)
      return { range: withKey(match.index, match.index + match[0].length, stems, text), size: match[0].length };
  }
  const unit = [...text.matchAll(/(?<=(\d ?)?)(?<!\p{L})\p{L}{1,20}(?!\p{L})/gu)].find(
    (match) =>
      isFree(rangeOf(match), filling) &&
      (match[0].length > 1 || match[1] !== undefined) &&
      isSameUnit(match[0], option),
  );
  if (unit !== undefined) return { range: rangeOf(unit), size: option.length };
  if (words.length === 0 || option.length < 3) return undefined;
  const found = [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter((match) => isFree(rangeOf(match), filling));
  const wanted = words.map((word) =>
    found.find(
      (match) => stem(match[0].toLowerCase()) === stem(word) || match[0].toLowerCase() === option.toLowerCase(),
    ),
  );
  const hits = wanted.filter((match) => match !== undefined);
  if (hits.length < words.length) return undefined;
  const start = Math.min(...hits.map((match) => match.index));
  const end = Math.max(...hits.map((match) => match.index + match[0].length));
  return end - start > option.length * 3 + 20
    ? undefined
    : { range: withKey(start, end, stems, text), size: option.length };
}

function rangeOf(match: RegExpExecArray): Range {
  return { start: match.index, end: match.index + match[0].length };
}

/** The match next to the property's name: `high priority`, `size large`. */
function withKey(start: number, end: number, stems: ReadonlySet<string>, text: string): Range {
  const after = /^[\s-]+([\p{L}]+)/u.exec(text.slice(end));
  const before = /([\p{L}]+)[\s:-]+$/u.exec(text.slice(0, start));
  return {
    start: before !== null && stems.has(stem((before[1] ?? '').toLowerCase())) ? start - before[0].length : start,
    end: after !== null && stems.has(stem((after[1] ?? '').toLowerCase())) ? end + after[0].length : end,
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}

const switchWords = new Set('on off enabled enable active power powered'.split(' '));
const flagWords = new Set(
  'is has have should include includes with enable enabled allow use want wants only show send do also flag'.split(' '),
);

/** True if the message names the property, false if it does so with `no`, `without` or `not`. */
export function* booleansFor(schema: Schema, slot: Slot, filling: Filling): Generator<Filled> {
  const { text } = filling.reading;
  const stated = explicitValue(slot, filling);
  if (stated !== undefined && /^(?:true|yes|on|1|false|no|off|0)\b/iu.test(stated.text)) {
    yield { value: /^(?:true|yes|on|1)\b/iu.test(stated.text), evidence: 4, spans: stated.spans };
  }
  const isSwitch = slot.words.some((word) => switchWords.has(word));
  const switched = isSwitch ? /\b(?:(off|disable|deactivate|stop)|(on|enable|activate|start))\b/iu.exec(text) : null;
  if (switched !== null) {
    const end = switched.index + switched[0].length;
    yield { value: switched[1] === undefined, evidence: 2, spans: [{ start: switched.index, end }] };
  }
  const words = slot.words.filter((word) => !flagWords.has(word));
  const found = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  const hits = words
    .map((word) => found.find((match) => stem(match[0].toLowerCase()) === stem(word)))
    .filter((match) => match !== undefined);
  const [hit] = hits;
  if (hit !== undefined && hits.length === words.length) {
    const negated =
      /\b(?:no|not|without|don't|do not|doesn't|isn't|exclude|excluding|never|skip|disable)(?:\s+[\p{L}']+){0,2}\s*$/iu.test(
        text.slice(0, hit.index),
      );
    const denied = /^\s*(?:is\s+)?(?:off|false|no|not)\b/iu.test(text.slice(hit.index + hit[0].length));
    const spans = hits.map((match) => ({ start: match.index, end: match.index + match[0].length }));
    yield { value: !negated && !denied, evidence: 2, spans };
  }
  if (!slot.required) return;
  if (typeof schema['default'] === 'boolean') yield madeUp(schema['default']);
  if (/^\s*(?:yes|yeah|sure|ok|true)\b/iu.test(text)) yield { value: true, evidence: 1, spans: [] };
  yield* [madeUp(false), madeUp(true)];
}
