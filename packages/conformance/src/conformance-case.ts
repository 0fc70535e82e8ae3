/**
 * A test case. `run` rejects with a {@link ConformanceError} that describes the difference when the
 * adapter fails it.
 */
export interface ConformanceCase<Harness> {
  /** Describes the behaviour; unique in its suite. */
  readonly name: string;
  /** @param harness a new one for each case, without data of other cases. */
  readonly run: (harness: Harness) => Promise<void>;
}
