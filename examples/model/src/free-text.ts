import { isFree, type Filling, type Range } from './filling.ts';
import type { Slot } from './slot.ts';
import { isStopWord, stem, wordsOf } from './words.ts';

/** Free text from the message for a slot. `evidence` as in `Filled`. */
export interface FreeText {
  readonly text: string;
  readonly evidence: number;
  /** The part of the message that it was taken from, if it is a single one. */
  readonly spans: readonly Range[];
}

/** Candidates for free text: quotations, the text after a cue (`saying …`, `search for …`), or the rest of the message. */
export function freeTextFor(slot: Slot, filling: Filling): FreeText | undefined {
  const { reading } = filling;
  if (slot.alone && slot.words.some((word) => wholeMessage.has(word)))
    return { text: reading.text.trim(), evidence: 2, spans: [] };
  const quoted = reading.spans.find((span) => span.kind === 'quoted' && isFree(span, filling));
  if (quoted !== undefined) return { text: quoted.text, evidence: 2, spans: [quoted] };
  const isTitle = slot.words.some((word) => titles.has(word));
  for (const cue of isTitle ? titleCues : cues) {
    const match = cue.exec(reading.text);
    const start = match === null ? 0 : match.index + match[0].length;
    const rest =
      match === null
        ? ''
        : tidy(
            isTitle
              ? (reading.text.slice(start).split(/[.;!?\n]|\s(?:on|at|with|for|to|saying)\s/u)[0] ?? '')
              : blanked(filling, start),
          );
    if (match !== null && rest !== '' && isFree({ start, end: start + 1 }, filling))
      return { text: rest, evidence: 2, spans: [{ start, end: start + rest.length }] };
  }
  const rest = remainder(filling);
  if (rest === '') return undefined;
  return { text: rest, evidence: evidenceOf(rest, slot, filling), spans: [] };
}

/** The rest of the message is probably free text. It is a place or a person only if it is one or two words: `weather paris`. */
function evidenceOf(rest: string, { alone, category }: Slot, { reading }: Filling): number {
  if (category === 'text' || category === undefined) return alone ? 2 : category === 'text' ? 1 : 0;
  if (category !== 'place' && category !== 'person') return 0;
  const words = wordsOf(rest);
  const start = reading.text.indexOf(rest);
  const isOther = reading.spans.some(
    ({ kind, ...span }) =>
      kind !== 'name' && kind !== 'phrase' && kind !== 'quoted' && span.start < start + rest.length && start < span.end,
  );
  return words.length <= 3 && !words.some(isStopWord) && start >= 0 && !isOther ? 1 : 0;
}

const wholeMessage = new Set(
  'task prompt question instruction instructions request input message goal problem'.split(' '),
);
const titles = new Set('subject topic title heading'.split(' '));

const titleCues = [
  /\b(?:about|regarding|titled|entitled|called|named|concerning)\s+(?:the |an? )?/iu,
  /\bsubject:?\s+/iu,
];

const cues = [
  /:\s+(?=\S)/u,
  /\b(?:saying|says|to say|that says|with the (?:text|message|words|body|note))\s+(?:that\s+)?/iu,
  /\b(?:remind me|remember|note|tell (?:him|her|them|[\p{L}]{1,20}))\s+(?:to|that)\s+/iu,
  /\b(?:search|look|google|browse|query|hunt)(?:\s\p{L}+){0,4}?\s+for\s+/iu,
  /\b(?:docs|documents|documentation|articles?|information|info|anything|something|everything|pages?|news|notes|files?|results)\s+(?:about|on|for|regarding)\s+/iu,
  /\bsay(?:s)? about\s+/iu,
];

/** The message without the parts used by other values and without request phrases: `please search the docs for`. */
export function remainder(filling: Filling): string {
  const { subject } = filling;
  const words = blanked(filling, 0)
    .replace(/^\s*(?:(?:please|hey|hi|hello|ok|okay|so|now|then|also|and)[,!]?\s+){0,3}/iu, '')
    .replace(
      /^(?:(?:can|could|would|will) you(?: please)?|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to|let's|please)\s+/iu,
      '',
    )
    .split(/\s+/u)
    .filter((word) => word !== '');
  let from = 0;
  let verbs = 0;
  while (from < words.length) {
    const bare = wordsOf(words[from] ?? '').join(' ');
    const isVerb = verbsOfAsking.has(bare);
    // In `add buy milk`, only the first verb is part of the request.
    if (bare !== '' && !asking.has(bare) && (isVerb ? verbs > 0 : !subject.has(stem(bare)))) break;
    if (isVerb) verbs += 1;
    from += 1;
    // `open a ticket: the lift is stuck`
    if (words[from - 1]?.endsWith(':') === true) break;
  }
  return tidy(withoutPlace(words.slice(from), subject).join(' '));
}

/** Removes `to my todo list` if the tool manages todos. */
function withoutPlace(words: readonly string[], subject: ReadonlySet<string>): readonly string[] {
  const at = words.findLastIndex((word) => /^(?:to|on|in|from|into|onto)$/iu.test(word));
  const after = words.slice(at + 1).flatMap(wordsOf);
  const isSubject =
    at > 0 &&
    after.length > 0 &&
    after.every((word) => subject.has(stem(word)) || /^(?:my|the|our|a|list|s)$/u.test(word));
  return isSubject ? words.slice(0, at) : words;
}

/** The text from an offset on, without the used parts and the prepositions before them. */
function blanked({ reading, taken }: Filling, from: number): string {
  const ranges = taken.filter((range) => range.end > from).toSorted((a, b) => a.start - b.start);
  let at = from;
  let left = '';
  for (const range of ranges) {
    if (range.end <= at) continue;
    const unused = reading.text.slice(at, Math.max(at, range.start));
    left += unused.replace(
      /(?:^|\s)(?:(?:in|at|to|from|for|of|on|with|by|into|is|under|over|below|above|than|least|most|less|more|up to|the|a|an|until|before|after|about|via|=)\s*)+["'(]?$/iu,
      ' ',
    );
    at = range.end;
  }
  return left + reading.text.slice(at);
}

const asking = new Set(
  `please me us up for what what's whats is are the a an about on of who when where which how do does you can could to my some any want need i i'd like would all`.split(
    /\s+/u,
  ),
);
const verbsOfAsking = new Set(
  `find search look show list get fetch give tell create add make write send set put translate convert calculate compute summarise summarize explain describe remind
  check order buy book play open run start call query google browse`.split(/\s+/u),
);

function tidy(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s+([,.;:?!])/gu, '$1')
    .replace(/^[\s,.;:?!"'-]+/u, '')
    .replace(/(?:[\s,.;:?!"]|\s(?:to|in|at|for|of|on|with|by|and|from|into|please|the|as|is|my|list))+$/iu, '')
    .trim();
}
