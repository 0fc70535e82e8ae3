const checkMs = 1_000;
/** How long the storage may be away. Short restarts and failovers of a database take less. */
const patienceMs = 4_000;

export interface UntilUnavailableOptions {
  /** Resolves to whether the storage has responded. Never rejects. */
  readonly renew: () => Promise<boolean>;
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the checks. */
  readonly signal: AbortSignal;
}

/**
 * Renews the lease each second, one renewal at a time.
 *
 * @returns true once the storage has not responded for {@link patienceMs}, and false when the
 * signal aborts before that.
 */
export async function untilUnavailable({ delay, renew, signal }: UntilUnavailableOptions): Promise<boolean> {
  let unansweredMs = 0;
  let isRenewing = false;
  /** Since the last check. */
  let isAnswered = false;
  const check = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    if (await renew()) isAnswered = true;
    isRenewing = false;
  };
  while (unansweredMs < patienceMs && !signal.aborted) {
    isAnswered = false;
    void check();
    await delay(checkMs, signal);
    unansweredMs = isAnswered ? 0 : unansweredMs + checkMs;
  }
  return !signal.aborted;
}
