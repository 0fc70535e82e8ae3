import type { Approvals } from '@halyard/core/server';

/** Tells listeners that requests for approval were made, decided or used in this process. */
export class ApprovalChanges {
  readonly #listeners = new Set<() => void>();

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @returns a function that removes the listener. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The same approvals, whose changes the listeners learn of. */
  observe(approvals: Approvals): Approvals {
    const tell = async <Result>(change: Promise<Result>): Promise<Result> => {
      const result = await change;
      this.changed();
      return result;
    };
    return {
      ...approvals,
      open: (...given) => tell(approvals.open(...given)),
      decide: (...given) => tell(approvals.decide(...given)),
      consume: (...given) => tell(approvals.consume(...given)),
    };
  }
}
