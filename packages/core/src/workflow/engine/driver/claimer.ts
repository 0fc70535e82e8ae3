import type { ClaimedExecution, ExecutionLeases, ExhaustedExecution, Lease } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import { quarantinedAfter } from './quarantine-execution.ts';

/**
 * How many executions one call claims at most. While it is on its way, what starts here takes the
 * other slots.
 */
const maxPerCall = 100;
/** The pause before the store is asked again for executions that others were claiming. */
const retryMs = 100;

export interface ClaimerOptions {
  readonly leases: Pick<ExecutionLeases, 'claimNext'>;
  readonly services: Pick<AgentServices, 'logger'>;
  readonly lease: Lease;
  /** The definitions that this process can run, and by which each is replaced. */
  readonly definitions: Readonly<Record<string, string>>;
  /** How many more executions may run here, those not counted that are being claimed. */
  readonly freeSlots: () => number;
  /**
   * Called before the store is asked. @returns runs the claimed executions, from when it is called.
   */
  readonly begin: () => (claimed: ClaimedExecution) => void;
  /** Never rejects. */
  readonly quarantine: (exhausted: ExhaustedExecution) => Promise<void>;
  /** Called with the time until there may be something to claim, in milliseconds. */
  readonly onDueIn: (dueInMs: number) => void;
}

/**
 * Claims due executions for the free slots of this process, one call at a time. Waiting executions
 * are in the store only.
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  #reservedSlots = 0;
  #isAsking = false;
  #mustAskAgain = false;
  #hasMore = false;
  #nextDueInMs: number | undefined;

  constructor(options: ClaimerOptions) {
    this.#options = options;
  }

  /** How many of the free slots are reserved for the current claim. */
  get reservedSlots(): number {
    return this.#reservedSlots;
  }

  /** Whether something may be due for which no slot was free, or none of its share. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /**
   * When the next execution was due at the last look, in milliseconds from then. Undefined: none
   * waits for a time.
   */
  get nextDueInMs(): number | undefined {
    return this.#nextDueInMs;
  }

  /**
   * Claims due executions, until nothing is left or no slot is free; then it continues when one is.
   * Never rejects.
   *
   * To be called when something may have become due.
   */
  async claim(): Promise<void> {
    this.#hasMore = true;
    this.#mustAskAgain = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#mustAskAgain) {
      this.#mustAskAgain = false;
      await this.#ask();
    }
    this.#isAsking = false;
  }

  /**
   * To be called when an execution has left its slot. Without more that is due, the store is not
   * asked.
   */
  slotFreed(): void {
    if (this.#hasMore) void this.claim();
  }

  async #ask(): Promise<void> {
    const { begin, definitions, freeSlots, lease, onDueIn, quarantine, leases, services } = this.#options;
    const free = freeSlots();
    const limit = Math.min(free, maxPerCall);
    if (limit <= 0) return;
    this.#reservedSlots = limit;
    const run = begin();
    try {
      const options = { definitions, limit, freeSlots: free, maxClaims: quarantinedAfter };
      const { claimed, exhausted, hasLeftOut, nextDueInMs } = await leases.claimNext(lease, options);
      this.#reservedSlots = 0;
      for (const one of claimed) run(one);
      for (const one of exhausted) void quarantine(one);
      this.#nextDueInMs = nextDueInMs;
      this.#hasMore = hasLeftOut || nextDueInMs === 0;
      if (claimed.length > 0 && nextDueInMs === 0) this.#mustAskAgain = true;
      else if (nextDueInMs !== undefined) onDueIn(nextDueInMs === 0 ? retryMs : nextDueInMs);
    } catch (error) {
      this.#reservedSlots = 0;
      services.logger.warn({ err: error }, 'due executions could not be claimed; they are asked for again soon');
    }
  }
}
