/** The first of these items that have at most `maxBytes` together, and at least one. */
export function firstWithin<Item>(
  items: readonly Item[],
  maxBytes: number,
  bytesOf: (item: Item) => number,
): readonly Item[] {
  if (maxBytes === Infinity) return items;
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? items : items.slice(0, end);
}
