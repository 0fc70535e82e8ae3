/** A number in a text with its unit. */
export interface FoundNumber {
  readonly value: number;
  /** The unit as written, in lower case: `km`, `minutes`, `usd`, `%`. */
  readonly unit?: string;
  readonly unitStart?: number;
  readonly start: number;
  readonly end: number;
}

/** The numbers of a text: digits with separators and `k` or `million`, or words up to a hundred; currency signs count as units. */
export function findNumbers(text: string): readonly FoundNumber[] {
  const found: FoundNumber[] = [];
  const digits =
    /([$€£¥]\s?)?(?<![\p{L}\d.,])(-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,10})?)(?:\s?(k|thousand|million|m|bn|billion)(?![\p{L}\d]))?(?:\s?([%€£¥$]|° ?[cf]?|\p{L}{1,20})(?![\p{L}\d]))?/dgiu;
  for (const match of text.matchAll(digits)) {
    const [, sign, number = '', scale, after] = match;
    // `m` means metres, except after an amount of money. A dash after a digit or a word is not a minus sign.
    const isMetres = scale?.toLowerCase() === 'm' && sign === undefined && unitOf(after) === undefined;
    const isDash =
      number.startsWith('-') && /[\p{L}\d)]\s*$/u.test(text.slice(Math.max(0, match.index - 3), match.index));
    const digitsOnly = Number(number.replaceAll(',', '')) * (isDash ? -1 : 1);
    const value = digitsOnly * (isMetres ? 1 : (scales.get(scale?.toLowerCase() ?? '') ?? 1));
    const unit = sign !== undefined ? currencies.get(sign.trim()) : isMetres ? 'm' : unitOf(after);
    const [, , numberAt, scaleAt, afterAt] = match.indices ?? [];
    const unitAt = sign !== undefined ? undefined : isMetres ? scaleAt : unit === undefined ? undefined : afterAt;
    const end = (unitAt ?? scaleAt ?? numberAt)?.[1] ?? match.index;
    const start = match.index + (isDash && sign === undefined ? 1 : 0);
    found.push({
      value,
      start,
      end,
      ...(unit === undefined ? {} : { unit }),
      ...(unitAt === undefined ? {} : { unitStart: unitAt[0] }),
    });
  }
  for (const match of text.matchAll(
    /\b(?:(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -](?=\p{L}))?(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a hundred|one hundred|a dozen|half an?)\b(?:\s(\p{L}{1,20}))?/giu,
  )) {
    const [whole, tens, word = '', after] = match;
    const value = (numberWords.get(tens?.toLowerCase() ?? '') ?? 0) + (numberWords.get(word.toLowerCase()) ?? 0);
    const unit = unitOf(after);
    const end = match.index + whole.length - (unit === undefined && after !== undefined ? after.length + 1 : 0);
    found.push({
      value,
      start: match.index,
      end,
      ...(unit === undefined || after === undefined ? {} : { unit, unitStart: end - after.length }),
    });
  }
  return found.toSorted((a, b) => a.start - b.start);
}

/** Converts `value` to the unit `wanted`; undefined if the units measure different quantities. */
export function inUnit(value: number, unit: string, wanted: string): number | undefined {
  const [from, to] = [units.get(unit), units.get(wanted)];
  if (from === undefined || to === undefined || from.of !== to.of || from.size === undefined || to.size === undefined)
    return undefined;
  return Number(((value * from.size) / to.size).toPrecision(12));
}

/** Whether two words are the same unit: `km` and `kilometres`. */
export function isSameUnit(a: string, b: string): boolean {
  return inUnit(1, a.toLowerCase(), b.toLowerCase()) === 1;
}

/** The quantity that a unit measures (`time`, `length`, `mass`, `money`, `data`, `temperature`, `share`); undefined for other words. */
export function measureOf(unit: string): string | undefined {
  return units.get(unit)?.of;
}

const scales: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['thousand', 1e3],
  ['m', 1e6],
  ['million', 1e6],
  ['bn', 1e9],
  ['billion', 1e9],
]);
const currencies: ReadonlyMap<string, string> = new Map([
  ['$', 'usd'],
  ['€', 'eur'],
  ['£', 'gbp'],
  ['¥', 'jpy'],
]);

const numberWords: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, index) => [word, index] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, 20 + index * 10] as const),
  ['a hundred', 100],
  ['one hundred', 100],
  ['a dozen', 12],
  ['half a', 0.5],
  ['half an', 0.5],
]);

interface Unit {
  readonly of: string;
  readonly size?: number;
}

const units: ReadonlyMap<string, Unit> = new Map(
  [
    ['time', 0.001, 'ms millisecond milliseconds millis'],
    ['time', 1, 's sec secs second seconds'],
    ['time', 60, 'min mins minute minutes'],
    ['time', 3600, 'h hr hrs hour hours'],
    ['time', 86_400, 'd day days night nights'],
    ['time', 604_800, 'week weeks'],
    ['time', 2_629_800, 'month months'],
    ['time', 31_557_600, 'year years'],
    ['length', 0.001, 'mm'],
    ['length', 0.01, 'cm centimeters centimetres'],
    ['length', 1, 'm meter meters metre metres'],
    ['length', 1000, 'km kms kilometer kilometers kilometre kilometres'],
    ['length', 1609.344, 'mi mile miles'],
    ['length', 0.3048, 'ft foot feet'],
    ['length', 0.0254, 'inch inches'],
    ['mass', 0.001, 'g gram grams'],
    ['mass', 1, 'kg kgs kilo kilos kilogram kilograms'],
    ['mass', 0.45359237, 'lb lbs pound pounds'],
    ['mass', 0.028349523, 'oz ounce ounces'],
    ['data', 1, 'byte bytes'],
    ['data', 1e3, 'kb kilobytes'],
    ['data', 1e6, 'mb megabytes'],
    ['data', 1e9, 'gb gigabytes'],
    [
      'money',
      undefined,
      'usd dollar dollars $ bucks eur euro euros € gbp £ jpy yen ¥ chf francs cent cents aud cad sek nok dkk pln inr rupees cny',
    ],
    ['temperature', undefined, 'c f k °c °f ° celsius fahrenheit kelvin degrees degree'],
    ['share', undefined, '% percent'],
    ['volume', undefined, 'l liter liters litre litres ml gallon gallons cup cups'],
    ['speed', undefined, 'mph kmh kph'],
  ].flatMap(([of, size, words]) =>
    String(words)
      .split(' ')
      .map((word) => [word, { of: String(of), ...(typeof size === 'number' ? { size } : {}) }] as const),
  ),
);

function unitOf(word: string | undefined): string | undefined {
  const unit = word?.toLowerCase().replaceAll(' ', '');
  return unit !== undefined && units.has(unit) ? (currencies.get(unit) ?? unit) : undefined;
}
