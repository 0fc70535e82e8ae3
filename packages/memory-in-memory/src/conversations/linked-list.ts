/** Values in the order they were added. Any one can be taken out at once, wherever it is. */
export class LinkedList<Value> {
  oldest: Link<Value> | undefined = undefined;
  newest: Link<Value> | undefined = undefined;
  size = 0;

  add(value: Value): Link<Value> {
    const link = new Link(this, value, this.newest);
    if (this.newest === undefined) this.oldest = link;
    else this.newest.newer = link;
    this.newest = link;
    this.size += 1;
    return link;
  }

  toArray(): readonly Value[] {
    const values: Value[] = [];
    for (let link = this.oldest; link !== undefined; link = link.newer) values.push(link.value);
    return values;
  }
}

export class Link<Value> {
  readonly list: LinkedList<Value>;
  readonly value: Value;
  older: Link<Value> | undefined;
  newer: Link<Value> | undefined = undefined;

  constructor(list: LinkedList<Value>, value: Value, older: Link<Value> | undefined) {
    this.list = list;
    this.value = value;
    this.older = older;
  }

  /** Takes the value out of its list. Once only. */
  remove(): void {
    const { list, older, newer } = this;
    if (older === undefined) list.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) list.newest = older;
    else newer.older = older;
    list.size -= 1;
  }

  /** Moves it to where it would be if it were added now. */
  moveToNewest(): void {
    const { list } = this;
    if (list.newest === this) return;
    this.remove();
    this.older = list.newest;
    this.newer = undefined;
    if (list.newest === undefined) list.oldest = this;
    else list.newest.newer = this;
    list.newest = this;
    list.size += 1;
  }
}
