/** The results in the order of the items. After a failure, no further call begins. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let failed = false;
  // The workers share one iterator, so each item is mapped once.
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) {
      if (failed) return;
      try {
        results[index] = await map(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
