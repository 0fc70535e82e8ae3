/**
 * A part of an execution that can be closed separately: the whole execution, a group of branches,
 * one branch.
 *
 * It counts its active branches. A branch that waits for resume data or for a point in time is not
 * active. Later actions of a closed scope have no effect.
 */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #onInactive: (() => void) | undefined;
  #activeBranches = 0;
  #isClosed = false;

  /** @param onInactive called when the last active branch ends or starts waiting. */
  constructor(parent?: Scope, onInactive?: () => void) {
    this.#parent = parent;
    this.#onInactive = onInactive;
  }

  open(): Scope {
    return new Scope(this);
  }

  get isActive(): boolean {
    return this.#activeBranches > 0;
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#parent?.isClosed === true;
  }

  isWithin(other: Scope): boolean {
    return this === other || this.#parent?.isWithin(other) === true;
  }

  /** A branch starts, or continues after a wait. */
  enter(): void {
    this.#add(1);
  }

  /** A branch ends, or starts waiting. */
  leave(): void {
    this.#add(-1);
  }

  /**
   * Its branches no longer count. A branch that takes over from them must enter the parent first.
   */
  close(): void {
    if (this.isClosed) return;
    const activeBranches = this.#activeBranches;
    this.#isClosed = true;
    this.#activeBranches = 0;
    if (this.#parent !== undefined) this.#parent.#add(-activeBranches);
  }

  #add(branches: number): void {
    if (this.#isClosed) return;
    this.#activeBranches += branches;
    if (this.#parent !== undefined) this.#parent.#add(branches);
    if (this.#activeBranches === 0) this.#onInactive?.();
  }
}
