interface Member {
  beat: (() => void) | undefined;
}

/** How often a pulse beats. */
export const beatMs = 250;

/** Calls those who have joined some times a second, by one timer, which exists only while somebody has. It does not keep the process alive. */
export class Pulse {
  readonly #members = new Set<Member>();
  #timer: NodeJS.Timeout | undefined;

  get count(): number {
    return this.#members.size;
  }

  /**
   * @param beat must not throw.
   * @returns a function that ends it.
   */
  join(beat: () => void): () => void {
    const member: Member = { beat };
    this.#members.add(member);
    this.#timer ??= setInterval(() => this.#beat(), beatMs).unref();
    return () => {
      // Emptied: the set may keep it for a while.
      member.beat = undefined;
      this.#members.delete(member);
      if (this.#members.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #beat(): void {
    for (const { beat } of this.#members) beat?.();
  }
}
