/** How many calls are in progress at a time: fewer than a server's limit for one caller. */
const atOnce = 32;

/**
 * Calls `act` with each item, several at a time. @returns the results in the order of the items.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
