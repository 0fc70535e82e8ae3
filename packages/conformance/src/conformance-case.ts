/** One thing that an adapter must do. It rejects, with a {@link ConformanceError} that says what was wrong, when the adapter does not. */
export interface ConformanceCase<Harness> {
  /** A sentence, unique in its suite. */
  readonly name: string;
  /** @param harness fresh for each case: nothing of another case is in it. */
  readonly run: (harness: Harness) => Promise<void>;
}
