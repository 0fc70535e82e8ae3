/** Something that wants a runner at some time. */
export interface DueItem {
  /** Milliseconds since the epoch; infinite: not before a signal. */
  wantsRunnerAt: number;
  /** Decides between items of one moment: the lower goes first. */
  readonly order: number;
  heap: DueHeap<this> | undefined;
  heapIndex: number;
}

/** A binary heap whose items know where they are, so that none stays behind when it is moved or taken out. */
export class DueHeap<Item extends DueItem> {
  readonly #items: Item[] = [];

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** To be called when the item's time has changed. */
  moved(item: Item): void {
    this.#rise(item, item.heapIndex);
    this.#sink(item, item.heapIndex);
  }

  remove(item: Item): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    last.heapIndex = item.heapIndex;
    this.#items[last.heapIndex] = last;
    this.moved(last);
  }

  #rise(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex];
      if (parent === undefined || !isEarlier(item, parent)) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(item, index);
  }

  #sink(item: Item, from: number): void {
    let index = from;
    for (;;) {
      const childIndex = this.#earlierChild(index);
      const child = this.#items[childIndex];
      if (child === undefined || !isEarlier(child, item)) break;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(item, index);
  }

  #earlierChild(index: number): number {
    const left = 2 * index + 1;
    const [first, second] = [this.#items[left], this.#items[left + 1]];
    return first !== undefined && second !== undefined && isEarlier(second, first) ? left + 1 : left;
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}

/** Which of two wants a runner first. */
export function isEarlier(item: DueItem, other: DueItem): boolean {
  if (item.wantsRunnerAt === other.wantsRunnerAt) return item.order < other.order;
  return item.wantsRunnerAt < other.wantsRunnerAt;
}
