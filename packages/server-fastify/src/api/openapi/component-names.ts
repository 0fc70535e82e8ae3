/** Gives each component of a document a name of its own. */
export class ComponentNames {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set([...reserved].map(toKey));
  }

  /**
   * The wanted name, with a number if it is taken, and with `_` for characters that names of
   * components cannot contain.
   */
  take(wanted: string): string {
    const name = wanted.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
    let free = name;
    for (let count = 2; this.#taken.has(toKey(free)); count += 1) free = `${name}_${count}`;
    this.#taken.add(toKey(free));
    return free;
  }
}

/**
 * Generators turn names into identifiers, in which other characters and the case of letters may be
 * lost.
 */
function toKey(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '_').toLowerCase();
}
