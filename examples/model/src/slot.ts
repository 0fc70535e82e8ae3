import { stringOf, type Schema } from './json.ts';
import { stem, wordsOf } from './words.ts';

/** The category of a property's value, from its name, or from its description if the name is unspecific. */
export type Category =
  | 'email'
  | 'url'
  | 'phone'
  | 'id'
  | 'date'
  | 'time'
  | 'language'
  | 'currency'
  | 'unit'
  | 'expression'
  | 'place'
  | 'person'
  | 'text'
  | 'count';

/** A property of the input that needs a value. */
export interface Slot {
  readonly key: string;
  /** The words of its name. */
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  /** The stems of its description. */
  readonly hints: ReadonlySet<string>;
  readonly category: Category | undefined;
  /** Whether its name is an origin or a destination. */
  readonly direction: 'from' | 'to' | undefined;
  /** Optional values are filled only if the message clearly contains them. */
  readonly required: boolean;
  /** Whether it is the only slot for free text, so that the whole message may be its value. */
  readonly alone: boolean;
}

/** The slot of a property with this name and schema. */
export function slotOf(
  key: string,
  schema: Schema,
  { required, alone = false }: { required: boolean; alone?: boolean },
): Slot {
  const words = wordsOf(key);
  const about = wordsOf(`${stringOf(schema['title']) ?? ''} ${stringOf(schema['description']) ?? ''}`);
  return {
    key,
    words,
    stems: new Set(words.map(stem)),
    hints: new Set(about.map(stem)),
    category: categoryOf(words, about),
    direction: words.some((word) => fromWords.has(word))
      ? 'from'
      : words.some((word) => toWords.has(word))
        ? 'to'
        : undefined,
    required,
    alone,
  };
}

const fromWords = new Set('from origin source departure sender start'.split(' '));
const toWords = new Set('to destination target arrival recipient receiver'.split(' '));

const categories: ReadonlyMap<string, Category> = new Map(
  Object.entries({
    email: 'email mail emails',
    url: 'url link website uri site urls links',
    phone: 'phone mobile telephone',
    id: 'id ids code sku reference ref ticket tracking invoice uuid isbn zip postcode identifier',
    date: 'date day when deadline due until since birthday dates datetime',
    time: 'time hour',
    language: 'language lang locale',
    currency: 'currency',
    unit: 'unit units',
    expression: 'expression formula equation calculation math',
    place:
      'city location place town country region destination origin venue airport state area cities locations places where timezone street',
    person:
      'user username person customer recipient attendee attendees participants author contact assignee owner guest guests who friend passenger employee member people',
    text: 'query q search text message body content task prompt question input description note notes term keyword keywords topic subject title summary comment reason instruction instructions request details todo words phrase goal',
    count: 'count quantity qty limit size number amount n top copies times',
  }).flatMap(([category, words]) => words.split(' ').map((word) => [word, category as Category] as const)),
);

function categoryOf(words: readonly string[], about: readonly string[]): Category | undefined {
  // `userName` is a person, `cityName` a place; `orderNumber` is an id, a plain `number` a count.
  for (const word of words.toReversed()) {
    const category = categories.get(word);
    if (category === 'count' && words.length > 1 && word === 'number') return words.includes('phone') ? 'phone' : 'id';
    if (category !== undefined) return category;
  }
  if (words.includes('name')) return about.some((word) => categories.get(word) === 'place') ? 'place' : 'person';
  return about.map((word) => categories.get(word)).find((category) => category !== undefined);
}
