import type { Clock, Logger, Storage } from '@halyard/contracts';

export interface RetentionOptions {
  /** How long executions that have ended are kept, with all that belongs to them; default 30 days. */
  readonly executionsMs?: number;
}

interface RetentionServices {
  readonly storage: Pick<Storage, 'approvals' | 'executions'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const defaultExecutionsMs = 30 * dayMs;

/** After a start there is more urgent work. */
const firstSweepMs = 5 * minuteMs;
const sweepEveryMs = 60 * minuteMs;
/** Small, so that no batch holds up what else the storage does. */
const batchSize = 500;
const pauseMs = 200;

/**
 * Deletes what has ended long ago, in small batches beside the other work. Several servers on one storage may do so at once.
 *
 * What it cannot delete now it tries again an hour later.
 */
export class Retention {
  readonly #services: RetentionServices;
  readonly #executionsMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sweep: Promise<void> | undefined;
  #isStopped = false;
  #endPause: (() => void) | undefined;

  constructor(services: RetentionServices, { executionsMs = defaultExecutionsMs }: RetentionOptions = {}) {
    this.#services = services;
    this.#executionsMs = executionsMs;
  }

  start(): void {
    this.#sweepIn(firstSweepMs);
  }

  /** Resolves when the batch that runs is done. Nothing is deleted afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#endPause?.();
    await this.#sweep;
  }

  #sweepIn(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#sweep = this.#deleteOld().finally(() => this.#sweepIn(sweepEveryMs));
    }, ms);
    this.#timer.unref();
  }

  async #deleteOld(): Promise<void> {
    const { clock, logger, storage } = this.#services;
    const startedAt = clock.now();
    try {
      const executions = await this.#inBatches(() => storage.executions.purge(this.#executionsMs, batchSize));
      const approvals = await this.#inBatches(() => storage.approvals.purge(batchSize));
      if (executions + approvals === 0) return;
      logger.info({ executions, approvals, durationMs: clock.now() - startedAt }, 'deleted what had ended long ago');
    } catch (error) {
      logger.warn({ err: error }, 'what has ended long ago could not be deleted');
    }
  }

  /** @returns how many it deleted in all. */
  async #inBatches(deleteSome: () => Promise<number>): Promise<number> {
    let total = 0;
    while (!this.#isStopped) {
      const deleted = await deleteSome();
      total += deleted;
      if (deleted < batchSize) break;
      await this.#pause();
    }
    return total;
  }

  async #pause(): Promise<void> {
    if (this.#isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, pauseMs).unref();
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }
}
