export type PiiType = 'card' | 'email' | 'iban' | 'phone';

export const piiTypes: readonly PiiType[] = ['iban', 'card', 'email', 'phone'];

export interface PiiMatch {
  readonly type: PiiType;
  readonly start: number;
  readonly end: number;
}

/** Personal data in a text, in its order. Matches do not overlap. */
export function findPii(text: string, types: readonly PiiType[]): readonly PiiMatch[] {
  const found: PiiMatch[] = [];
  const isCovered = new Uint8Array(text.length);
  for (const type of piiTypes.filter((known) => types.includes(known)))
    for (const match of finders[type](text)) {
      const { end, start } = match;
      if (isCovered.subarray(start, end).includes(1)) continue;
      isCovered.fill(1, start, end);
      found.push({ type, ...match });
    }
  return found.toSorted((a, b) => a.start - b.start);
}

/** The end of the text before which nothing that follows can change what {@link findPii} finds. */
export function endOfSettledText(text: string, types: readonly PiiType[]): number {
  const tail = Math.max(0, text.length - longestMatch);
  const last = text.slice(tail);
  const starts = openEnds.flatMap((pattern) => pattern.exec(last)?.index ?? []);
  const end = tail + Math.min(last.length, ...starts);
  // A match that reaches into the end may become longer.
  const cut = findPii(text, types).find((match) => match.start < end && end < match.end);
  return cut?.start ?? end;
}

/** In characters: that of an e-mail address, the longest of all. */
const longestMatch = 320;

/** How the end of a text looks while it may be the beginning of a match. */
const openEnds: readonly RegExp[] = [
  /[\w.+@%-]+$/,
  /(?<![\w.-])[+(]?\d[\d ()./-]{0,60}$/,
  /\+$|\($/,
  /(?<![\p{L}\d])[A-Z]{2}(?:\d{1,2}(?: ?[A-Z\d]{1,4}){0,9} ?)?$/iu,
];

type Range = Pick<PiiMatch, 'end' | 'start'>;

const finders: Readonly<Record<PiiType, (text: string) => Range[]>> = {
  card: (text) =>
    groupsIn(text, /(?<![\w.])\d(?:[ -]?\d){12,40}(?![\w])/g, (candidate) => {
      if (!/^[2-6]/.test(candidate)) return false;
      const digits = candidate.replaceAll(/\D/g, '');
      return digits.length >= 13 && digits.length <= 19 && hasLuhnDigit(digits);
    }),
  email: (text) => toRanges(text.matchAll(/(?<![\w.+%-])[\w.+%-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63})+/g)),
  iban: (text) =>
    groupsIn(text, /(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,40}/giu, (candidate) =>
      isIban(candidate.replaceAll(' ', '').toUpperCase()),
    ),
  phone: (text) => [
    ...toRanges(text.matchAll(/(?<![\w+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,14}(?![\w])/g)),
    ...toRanges(text.matchAll(/(?<![\w.-]|\d )(?:\(\d{2,5}\) ?|\d{3,5}[ -])\d{3,4}[ -]\d{3,4}(?![\w-]| \d)/g)),
    ...toRanges(text.matchAll(/(?<![\w.-])0\d{2,5}[ /-]?\d{5,9}(?![\w-])/g)),
  ],
};

/**
 * An IBAN of 34 characters in groups of four, or a card number of 19 digits with a separator after
 * each.
 */
const longestNumber = 42;
const mostGroups = 19;

/**
 * Looks for the longest range of whole groups that passes the check: other numbers and words may
 * stand beside it.
 */
function groupsIn(text: string, candidates: RegExp, isMatch: (candidate: string) => boolean): Range[] {
  return [...text.matchAll(candidates)].flatMap((candidate) => {
    const groups = toRanges(candidate[0].matchAll(/[^ -]+/g));
    for (let first = 0; first < groups.length; first += 1)
      for (let last = Math.min(groups.length, first + mostGroups) - 1; last >= first; last -= 1) {
        const start = groups[first]?.start ?? 0;
        const end = groups[last]?.end ?? 0;
        if (end - start <= longestNumber && isMatch(candidate[0].slice(start, end)))
          return { start: candidate.index + start, end: candidate.index + end };
      }
    return [];
  });
}

function toRanges(matches: Iterable<RegExpExecArray>): Range[] {
  return [...matches].map(({ 0: match, index }) => ({ start: index, end: index + match.length }));
}

/** The check digit of card numbers (ISO/IEC 7812-1). */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const value = place % 2 === 0 ? digit : digit * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** The check digits of an IBAN (ISO 13616): its digits, letters as 10 to 35, are 1 modulo 97. */
function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(iban)) return false;
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
