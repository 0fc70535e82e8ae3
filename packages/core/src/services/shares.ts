export interface SharesOptions {
  /** How many slots all subjects have together. */
  readonly slots: number;
  /** The most that one subject may hold. Default: its share only. */
  readonly perSubject?: number | undefined;
  /** How many times the share of others a subject has. Default: 1 for each. */
  readonly weightOf?: ((subject: string) => number) | undefined;
}

/** Why a subject gets no slot: it holds its share, or nothing is free. */
export type NoSlot = 'share-used' | 'all-taken';

/**
 * Slots that subjects (users, or addresses) share.
 *
 * A subject gets another slot as long as it holds no more slots than are free. So one subject alone
 * gets half of the slots, two get a third each, and so on: a subject that comes later finds a free
 * slot, however many the others ask for.
 */
export class Shares {
  readonly #slots: number;
  readonly #perSubject: number;
  readonly #weightOf: (subject: string) => number;
  /** Subjects that hold none are absent. */
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor({ perSubject = Infinity, slots, weightOf = () => 1 }: SharesOptions) {
    this.#slots = slots;
    this.#perSubject = perSubject;
    this.#weightOf = weightOf;
  }

  /** How many slots are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** How many slots a subject holds. */
  heldBy(subject: string): number {
    return this.#held.get(subject) ?? 0;
  }

  /** Undefined if the subject may take so many slots now. */
  refusalOf(subject: string, count = 1): NoSlot | undefined {
    const held = this.heldBy(subject) + count - 1;
    if (held >= this.#perSubject) return 'share-used';
    const free = this.#slots - this.#taken;
    if (free < count) return 'all-taken';
    return held <= free * this.#weightOf(subject) ? undefined : 'share-used';
  }

  /**
   * Takes slots for a subject, whether or not it may. Without a subject, they are part of no share.
   */
  take(subject: string | undefined, count = 1): void {
    this.#taken += count;
    if (subject !== undefined) this.#held.set(subject, this.heldBy(subject) + count);
  }

  /** Frees slots that were taken. */
  release(subject: string | undefined, count = 1): void {
    this.#taken -= count;
    if (subject === undefined) return;
    const left = this.heldBy(subject) - count;
    if (left > 0) this.#held.set(subject, left);
    else this.#held.delete(subject);
  }
}
