/** Random numbers that are the same in each run. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** Whether something happens that happens in this share of the cases. */
  chance(share: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** Mostly near the median, and seldom much more, as durations are. */
  around(median: number, spread?: number): number;
}

/** Mulberry32: a small generator of good quality, by Tommy Ettinger. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    // The sum of three is close to a normal distribution.
    around: (median, spread = 0.6) => median * Math.exp(spread * ((next() + next() + next() - 1.5) / 0.5)),
  };
}
