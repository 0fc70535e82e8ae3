import { findDates, type FoundDate } from './find-dates.ts';
import { findNumbers } from './find-numbers.ts';
import { isStopWord, wordsOf } from './words.ts';

export type SpanKind =
  | 'quoted'
  | 'email'
  | 'url'
  | 'uuid'
  | 'phone'
  | 'id'
  | 'date'
  | 'number'
  | 'unit'
  | 'expression'
  | 'name'
  | 'phrase';

/** A part of a message that may be a value. `start` and `end` are offsets in the text. */
export interface Span {
  readonly kind: SpanKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The words directly before it, nearest first, without articles. */
  readonly lead: readonly string[];
  /** The words directly after it. */
  readonly follow: readonly string[];
  /** Spans of the same enumeration have the same number: `Paris, Rome and Oslo`. */
  readonly group?: number;
  readonly number?: number;
  readonly unit?: string;
  readonly moment?: FoundDate;
}

/** A message and all its possible values. */
export interface Reading {
  readonly text: string;
  readonly today: Date;
  readonly spans: readonly Span[];
}

/** The maximum number of characters that are analysed. */
const readLength = 4000;

/** Finds the possible values in a message: quotes, addresses, numbers with units, days, names, and phrases after prepositions. */
export function readMessage(message: string, today: Date): Reading {
  const text = message.slice(0, readLength);
  const found: Omit<Span, 'lead' | 'follow'>[] = [];
  const isFree = (start: number, end: number): boolean => !found.some((span) => start < span.end && span.start < end);
  const add = (kind: SpanKind, value: string, start: number, end: number, more: Partial<Span> = {}): void => {
    if (value.trim() !== '' && isFree(start, end)) found.push({ kind, text: value.trim(), start, end, ...more });
  };

  for (const match of text.matchAll(
    /"([^"]{1,1000})"|“([^”]{1,1000})”|«([^»]{1,1000})»|`([^`]{1,1000})`|(?<![\p{L}\d])'([^']{1,300})'(?![\p{L}\d])/gu,
  )) {
    add('quoted', match.slice(1).find((part) => part !== undefined) ?? '', match.index, match.index + match[0].length);
  }
  for (const [kind, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) {
      const value = match[0].replace(/[.,;:!?)]+$/u, '');
      add(
        kind,
        value.replace(/^#/u, ''),
        match.index,
        match.index + value.length,
        /^#\d{1,15}$/u.test(value) ? { number: Number(value.slice(1)) } : {},
      );
    }
  }
  for (const moment of findDates(text, today)) {
    add('date', text.slice(moment.start, moment.end), moment.start, moment.end, { moment });
  }
  for (const match of text.matchAll(
    /(?<![\p{L}\d.])[-(]*\d+(?:\.\d+)?\)*(?: ?(?:[-+*/^×÷%]|\b(?:x|plus|minus|times|divided by|multiplied by)\b) ?[-(]*\d+(?:\.\d+)?\)*){1,50}/giu,
  )) {
    // The numbers in it are possible values too: some tools take `3 + 4`, others 3 and 4.
    if (isFree(match.index, match.index + match[0].length)) expressions(found, match);
  }
  for (const { start, end, value, unit, unitStart } of findNumbers(text)) {
    const clash = found.some((span) => span.kind !== 'expression' && start < span.end && span.start < end);
    if (clash) continue;
    found.push({
      kind: 'number',
      text: text.slice(start, end),
      start,
      end,
      number: value,
      ...(unit === undefined ? {} : { unit }),
    });
    if (unit !== undefined && unitStart !== undefined)
      found.push({ kind: 'unit', text: text.slice(unitStart, end), start: unitStart, end, unit });
  }
  names(text, add);
  phrases(text, found);
  return {
    text,
    today,
    spans: withGroups(
      found.toSorted((a, b) => a.start - b.start || b.end - a.end).map((span) => withNeighbours(span, text)),
      text,
    ),
  };
}

const patterns: readonly (readonly [SpanKind, RegExp])[] = [
  ['url', /\bhttps?:\/\/[^\s<>"']{1,500}/giu],
  ['email', /[\p{L}\d._%+-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,5}/gu],
  ['uuid', /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/giu],
  [
    'phone',
    /(?<![\p{L}\d-])(?:\+\d{1,3}[ -]?)?(?:\(\d{2,4}\)[ -]?)?\d{3,4}[ -]\d{3,4}(?:[ -]\d{2,4})?(?![\d-])|\+\d{8,15}\b/gu,
  ],
  [
    'name',
    /\b\d{1,5}[a-z]? (?:\p{Lu}\p{L}{1,30} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Way|Square|Boulevard|Blvd)\b/gu,
  ],
  [
    'id',
    /#[\p{L}\d-]{1,40}|(?<![\p{L}\d.-])[A-Z]{1,10}-?\d[A-Z\d-]{0,30}(?![\p{Ll}])|(?<![\p{L}\d.-])\p{L}{1,20}[-_]\d{1,20}(?![\p{L}\d])/gu,
  ],
];

function expressions(found: Omit<Span, 'lead' | 'follow'>[], match: RegExpExecArray): void {
  const spoken = { x: '*', plus: '+', minus: '-', times: '*', 'divided by': '/', 'multiplied by': '*' };
  const text = Object.entries(spoken).reduce(
    (whole, [word, sign]) => whole.replaceAll(new RegExp(`(?<=[\\d\\s)])${word}(?=[\\d\\s(])`, 'giu'), sign),
    match[0],
  );
  found.push({ kind: 'expression', text: text.trim(), start: match.index, end: match.index + match[0].length });
}

const article = /^(?:the|a|an|my|our|your|his|her|their|this|that|some|is|are|was|be|s|=|number|no|nr)$/u;

function withNeighbours(span: Omit<Span, 'lead' | 'follow'>, text: string): Span {
  const before = wordsOf(text.slice(Math.max(0, span.start - 60), span.start)).toReversed();
  return {
    ...span,
    lead: before.filter((word) => !article.test(word)).slice(0, 3),
    follow: wordsOf(text.slice(span.end, span.end + 40)).slice(0, 2),
  };
}

const connector = /^(?: ?,? ?(?:and|or|&|und|et|y|versus|vs\.?) |, ?)$/iu;

/** Marks spans of one kind that are separated only by a comma or `and`. The later ones get the words before the first one. */
function withGroups(spans: readonly Span[], text: string): readonly Span[] {
  const grouped: Span[] = [];
  for (const span of spans) {
    const before = grouped.findLast((other) => other.kind === span.kind && other.end <= span.start);
    const index = before === undefined ? -1 : grouped.indexOf(before);
    if (before !== undefined && connector.test(text.slice(before.end, span.start))) {
      const group = before.group ?? before.start;
      grouped[index] = { ...before, group };
      grouped.push({ ...span, group, lead: before.lead });
    } else {
      grouped.push(span);
    }
  }
  return grouped;
}

type Add = (kind: SpanKind, value: string, start: number, end: number) => void;

/** Capitalised words: names of people, places and products. The first word of a sentence counts only if it is not a common word. */
function names(text: string, add: Add): void {
  const capitalised = "\\p{Lu}[\\p{L}\\d'’&.-]*[\\p{L}\\d]|\\p{Lu}";
  for (const match of text.matchAll(
    new RegExp(
      `(?<![\\p{L}\\d])(?:${capitalised})(?:(?: (?:de|da|do|del|la|le|van|von|of the|of))? (?:${capitalised})){0,4}`,
      'gu',
    ),
  )) {
    const start = match.index;
    const opens = /(?:^|[.!?:\n]\s*)$/u.test(text.slice(Math.max(0, start - 5), start));
    const [first = ''] = match[0].split(' ');
    const everyday = isStopWord(first.toLowerCase()) || first === 'I' || (opens && openers.has(first.toLowerCase()));
    const value = everyday ? match[0].slice(first.length).trimStart() : match[0];
    const from = start + match[0].length - value.length;
    if (!/^(?:de|da|of)\b/u.test(value)) add('name', value, from, from + value.length);
  }
}

/** Whether a clause that starts with this word is a separate request. */
export function beginsRequest(word: string): boolean {
  return (
    /^(?:what|what's|whats|how|when|where|who|which|is|are|do|does|can|could|please|tell|give|i)$/iu.test(word) ||
    openers.has(word.toLowerCase())
  );
}

/** Words that start a request and not a name. */
const openers: ReadonlySet<string> = new Set(
  `find search look list show check calculate compute convert translate book order buy reserve cancel send email mail write create add remove delete update set
  start stop run open close play call remind schedule plan summarise summarize explain describe compare track ship pay refund transfer roll flip pick choose generate
  make take turn put save store read weather forecast temperature ask invite pass forward route fetch lookup count draw change move rename register subscribe
  delegate assign log note record report approve deny sum multiply divide subtract round estimate quote rate review today tomorrow yesterday monday tuesday
  wednesday thursday friday saturday sunday remember forget repeat and then also`.split(/\s+/u),
);

const prepositions =
  'in|at|near|to|from|for|of|on|about|regarding|with|by|into|called|named|titled|around|between|saying|as|under|towards';

/** Up to six words after a preposition, until the next preposition, comma or recognised value. */
function phrases(text: string, found: Omit<Span, 'lead' | 'follow'>[]): void {
  const borders = found.filter((span) => ['date', 'number', 'quoted', 'email', 'url', 'uuid'].includes(span.kind));
  const taken = new Set(found.filter((span) => span.kind === 'name').map((span) => span.start));
  for (const match of text.matchAll(
    new RegExp(`\\b(?:${prepositions})\\s+(?:(?:the|a|an|my|our|your)\\s+)?(?=[\\p{L}])`, 'giu'),
  )) {
    const start = match.index + match[0].length;
    if (borders.some((span) => start >= span.start && start < span.end)) continue;
    const border = Math.min(text.length, ...borders.filter((span) => span.start >= start).map((span) => span.start));
    const rest = text.slice(start, Math.min(border, start + 120)).split(phraseEnd)[0] ?? '';
    let from = start;
    for (const part of rest.split(/(, ?(?:and |or )?| (?:and|or|&) )/u)) {
      const words = part.split(' ').filter((word) => word !== '');
      const isSeparator = /^(?:,| and | or | & )/u.test(part);
      if (!isSeparator && (words.length > 6 || words.every((word) => isStopWord(word.toLowerCase())))) break;
      if (!isSeparator && !taken.has(from))
        found.push({ kind: 'phrase', text: part.trim(), start: from, end: from + part.trimEnd().length });
      from += part.length;
    }
  }
}

const phraseEnd = new RegExp(
  `[.;:?!\\n()"“]|,(?! ?\\p{L}+(?: \\p{L}+)?(?:,| and | or |$|[.?!]))|\\s+(?:${prepositions}|over|above|below|than|if|that|when|where|while|who|which|what|how|is|are|was|will|then|please|now|because|using|via|until|today|and (?:then|also|what|how|tell|show|give|send|book|find|add))\\b`,
  'iu',
);
