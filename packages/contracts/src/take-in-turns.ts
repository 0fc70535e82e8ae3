/**
 * At most `limit` items, in their order, so that subjects take turns: each has an equal part, and what one does not need, the others get. Of a subject, its first items.
 */
export function takeInTurns<Item>(
  items: readonly Item[],
  limit: number,
  subjectOf: (item: Item) => string | null,
): readonly Item[] {
  if (items.length <= limit) return items;
  const counts = new Map<string | null, number>();
  const placed = items.map((item, place) => {
    const subject = subjectOf(item);
    const turn = counts.get(subject) ?? 0;
    counts.set(subject, turn + 1);
    return { item, place, turn };
  });
  return placed
    .toSorted((one, other) => one.turn - other.turn || one.place - other.place)
    .slice(0, limit)
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
