import type { JournalEntry } from '@halyard/contracts';
import { decidedRound, type LoopRound, roundsAround } from '../../definition/place.ts';

/** The finished rounds of loops that the journal of a run has, by the path of the loop. */
export class LoopRounds {
  readonly #journal: ReadonlyMap<string, JournalEntry>;
  readonly #rounds = new Map<string, { readonly first: number; readonly last: number }>();

  constructor(journal: ReadonlyMap<string, JournalEntry>) {
    this.#journal = journal;
    this.recount();
  }

  /** To be called when entries were deleted from the journal. */
  recount(): void {
    this.#rounds.clear();
    for (const entry of this.#journal.values()) this.add(entry);
  }

  /** To be called for each new entry of the journal. */
  add({ path }: Pick<JournalEntry, 'path'>): void {
    const decided = decidedRound(path);
    if (decided === undefined) return;
    const { loop, round } = decided;
    const { first, last } = this.#rounds.get(loop) ?? { first: round, last: round };
    this.#rounds.set(loop, { first: Math.min(first, round), last: Math.max(last, round) });
  }

  /**
   * The round from which a loop continues: the rounds before it are no longer in the journal, and
   * its output is.
   */
  first(loop: string): number {
    return this.#rounds.get(loop)?.first ?? 0;
  }

  /**
   * The round before the current one, or before the last one of a loop that has ended. What older
   * rounds have recorded is not needed to go on.
   */
  previous(loop: string): number {
    const last = this.#rounds.get(loop)?.last ?? 0;
    return this.#journal.has(loop) ? last - 1 : last;
  }

  /**
   * Finds the round of a step, seen from another one, that is older than the round before the
   * current one.
   *
   * @returns undefined when there is none: the step can be read.
   */
  tooOld(path: string, from: string): LoopRound | undefined {
    return roundsAround(path).find(({ loop, round }) => {
      const current = roundsAround(from).find((own) => own.loop === loop);
      return round < (current === undefined ? this.previous(loop) : current.round - 1);
    });
  }
}
