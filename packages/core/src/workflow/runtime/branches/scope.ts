/**
 * A part of an execution that can be closed on its own: a branch of a race, the execution itself.
 *
 * Counts the strands that are at work in it. A strand that waits for somebody, or for a point in time, has left; when the last one has,
 * the part is quiet. What a closed part still does concerns nobody.
 */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #onQuiet: (() => void) | undefined;
  #live = 0;
  #isClosed = false;

  constructor(parent?: Scope, onQuiet?: () => void) {
    this.#parent = parent;
    this.#onQuiet = onQuiet;
  }

  open(): Scope {
    return new Scope(this);
  }

  get isQuiet(): boolean {
    return this.#live === 0;
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#parent?.isClosed === true;
  }

  isWithin(other: Scope): boolean {
    return this === other || this.#parent?.isWithin(other) === true;
  }

  /** A strand begins, or goes on. */
  enter(): void {
    this.#add(1);
  }

  /** A strand ends, or waits. */
  leave(): void {
    this.#add(-1);
  }

  /** Its strands count no more. Whoever goes on in their place enters before. */
  close(): void {
    if (this.isClosed) return;
    const live = this.#live;
    this.#isClosed = true;
    this.#live = 0;
    if (this.#parent !== undefined) this.#parent.#add(-live);
  }

  #add(strands: number): void {
    if (this.#isClosed) return;
    this.#live += strands;
    if (this.#parent !== undefined) this.#parent.#add(strands);
    if (this.#live === 0) this.#onQuiet?.();
  }
}
