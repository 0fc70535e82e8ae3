import { measureOf } from './find-numbers.ts';
import type { Span } from './read-message.ts';
import type { Category, Slot } from './slot.ts';
import { stem } from './words.ts';

/** How well a part of a message matches a text slot: below 1 not at all, from 5 clearly. */
export function scoreOf(span: Span, slot: Slot): number {
  const kind = kindScore(span, slot);
  if (kind === undefined) return 0;
  const [first = '', second = ''] = span.lead;
  const named =
    [first, second].some((word) => slot.stems.has(stem(word)) && word.length > 1) ||
    (slot.direction === undefined && slot.stems.has(stem(span.follow[0] ?? '')));
  return (
    kind +
    houseNumberScore(span, slot) +
    (named ? 5 : 0) +
    (leads(slot.category).includes(first) ? 3 : 0) +
    directionScore(first, slot)
  );
}

/** `5 Main Street` is an address, not a city. */
function houseNumberScore({ text }: Span, { category, words }: Slot): number {
  if (category !== 'place' || !/^\d/u.test(text)) return 0;
  return words.some((word) => word === 'street' || word === 'address') ? 4 : -3;
}

function directionScore(lead: string, { direction }: Slot): number {
  if (direction === undefined || (lead !== 'from' && lead !== 'to' && lead !== 'into')) return 0;
  return (lead === 'from') === (direction === 'from') ? 6 : -8;
}

/** The words that precede a value of the category. */
function leads(category: Category | undefined): readonly string[] {
  switch (category) {
    case 'place':
      return ['in', 'at', 'near', 'around', 'for', 'of', 'to', 'towards'];
    case 'person':
      return ['with', 'for', 'to', 'by', 'named', 'called', 'am', 'm', 'of', 'from', 'as'];
    case 'language':
      return ['to', 'into', 'in'];
    case 'text':
      return ['about', 'on', 'regarding'];
    default:
      return ['for', 'of', 'about', 'named', 'called'];
  }
}

/** The score of a kind of value; undefined if it never matches the category. */
function kindScore(span: Span, slot: Slot): number | undefined {
  const { kind } = span;
  switch (slot.category) {
    case 'email':
    case 'url':
    case 'phone':
    case 'expression':
      return kind === slot.category ? 6 : undefined;
    case 'id':
      return kind === 'id' || kind === 'uuid'
        ? 6
        : kind === 'number' && span.unit === undefined
          ? 4
          : kind === 'name' && /^[A-Z\d-]{2,}$/u.test(span.text)
            ? 2
            : undefined;
    case 'date':
      return kind === 'date' && span.moment?.date !== undefined ? 6 : undefined;
    case 'time':
      return kind === 'date' && (span.moment?.time !== undefined || slot.words.includes('when')) ? 6 : undefined;
    case 'language':
      return kind === 'name'
        ? languages.test(span.text)
          ? 6
          : 1
        : kind === 'phrase' && languages.test(span.text)
          ? 6
          : undefined;
    case 'currency':
      return isCurrency(span) ? 5 : undefined;
    case 'unit':
      return kind === 'unit'
        ? 5
        : kind === 'phrase' && measureOf(span.text.toLowerCase()) !== undefined
          ? 5
          : undefined;
    case 'place':
    case 'person':
      // A phrase matches only after the right word: `in hamburg`.
      if (kind === 'name') return 3;
      if (kind === 'email') return slot.direction === undefined ? undefined : 2;
      return kind === 'quoted' ? 1 : kind === 'phrase' ? 0 : undefined;
    case 'text':
      // Free text is the rest of the message, not one of the spans.
      return kind === 'date' && slot.hints.has('dat') ? 3 : undefined;
    default:
      return unspecific(span, slot);
  }
}

function unspecific({ kind, unit }: Span, { direction }: Slot): number | undefined {
  if (kind === 'unit') return direction === 'from' ? 7 : undefined;
  if (kind === 'number') return unit === undefined ? 1 : undefined;
  if (kind === 'name' || kind === 'email') return 2;
  if (kind === 'quoted') return 3;
  return kind === 'expression' ? undefined : 1;
}

function isCurrency({ kind, text, unit }: Span): boolean {
  if (kind === 'unit') return unit !== undefined && measureOf(unit) === 'money';
  return (
    (kind === 'name' || kind === 'phrase') && (/^[A-Z]{3}$/u.test(text) || measureOf(text.toLowerCase()) === 'money')
  );
}

const languages =
  /^(?:english|french|german|spanish|italian|portuguese|dutch|swedish|norwegian|danish|finnish|polish|czech|russian|ukrainian|turkish|greek|arabic|hebrew|hindi|chinese|mandarin|japanese|korean|vietnamese|thai|latin|hungarian|romanian|catalan|irish|welsh)$/iu;
