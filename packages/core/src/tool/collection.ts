import { ConfigurationError } from '@halyard/contracts';

/**
 * Several things as a list or as a record, such as the exports of a module. The names of a record
 * only matter to tools of the AI SDK.
 */
export type Collection<Item> = readonly Item[] | Readonly<Record<string, Item>>;

/** The contents of a collection, for errors. */
export interface CollectionOptions {
  /** `the option \`agents\` of createServer`. */
  readonly owner: string;
  /** The name of an item: `agent`. */
  readonly noun: string;
  readonly isItem: (value: unknown) => boolean;
}

/**
 * The items with their names in a record; the names of a list are its indexes.
 *
 * @throws ConfigurationError when `collection` is neither a list nor a record, and for an item of
 * another kind.
 */
export function toNamedItems<Item>(
  collection: Collection<Item> | undefined,
  { isItem, noun, owner }: CollectionOptions,
): readonly (readonly [name: string, item: Item])[] {
  if (collection === undefined) return [];
  if (!isListOrRecord(collection) || isItem(collection))
    throw new ConfigurationError(`${owner} must be a list or a record: [${noun}] or { ${noun} }`);
  return Object.entries(collection).map(([name, item]) => {
    if (isItem(item)) return [name, item];
    const place = Array.isArray(collection) ? `Item ${Number(name) + 1}` : `"${name}"`;
    throw new ConfigurationError(`${place} of ${owner} is not ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`);
  });
}

function isListOrRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
