import { ConfigurationError } from '@halyard/contracts';

/**
 * Items by id.
 *
 * @param noun the plural name of the items, for the error.
 * @throws ConfigurationError when two of them share an id.
 */
export function byId<Item extends { readonly id: string }>(
  noun: string,
  items: readonly Item[],
): ReadonlyMap<string, Item> {
  const known = new Map<string, Item>();
  for (const item of items) {
    if (known.has(item.id)) throw new ConfigurationError(`Two ${noun} have the id "${item.id}"`);
    known.set(item.id, item);
  }
  return known;
}
