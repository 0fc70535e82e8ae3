/** A list that seldom holds more than one: made anew with each change, it takes less than a Set or a Map that comes and goes with each request. */
export type ShortList<Item> = readonly Item[];

/** The same for all: nothing is made where there is nothing. */
export const emptyList: ShortList<never> = [];

export function withOne<Item>(list: ShortList<Item>, item: Item): ShortList<Item> {
  return list.length === 0 ? [item] : [...list, item];
}

export function withoutOne<Item>(list: ShortList<Item>, item: Item): ShortList<Item> {
  return list.length === 1 && list[0] === item ? emptyList : list.filter((other) => other !== item);
}
