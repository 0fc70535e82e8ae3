import {
  type Clock,
  ConfigurationError,
  type Executions,
  type Logger,
  type Storage,
  type StreamStore,
  type TelemetryStore,
} from '@halyard/contracts';

export interface RetentionOptions {
  /**
   * How long executions that have ended are stored, with all that belongs to them, and published
   * events and webhooks; default 30 days. Infinity: until they are deleted by hand.
   */
  readonly executionsMs?: number | undefined;
  /**
   * How many days spans and logs are stored; default 14. Infinity: until they are deleted by hand.
   */
  readonly telemetryDays?: number | undefined;
  /**
   * How many days the audit trail is stored, also after the data of its users was deleted; default
   * 400. Infinity: for good.
   */
  readonly auditDays?: number | undefined;
}

interface RetentionServices {
  readonly storage: Pick<Storage, 'approvals' | 'audit' | 'webhooks'> & { readonly executions: Executions };
  readonly streams: Pick<StreamStore, 'purge'>;
  /** Absent: nothing is recorded. */
  readonly telemetry?: Pick<TelemetryStore, 'purge'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const defaultExecutionsMs = 30 * dayMs;
/**
 * Replies that have ended are stored in their conversations. Most streams are deleted earlier, by
 * the processes that wrote them.
 */
const streamsMs = 10 * minuteMs;
const defaultTelemetryDays = 14;
/** A yearly review still has all of the year before. */
const defaultAuditDays = 400;

/** A process that has just started has more urgent work. */
const firstSweepMs = 5 * minuteMs;
const sweepEveryMs = 60 * minuteMs;
/** Small, so that no batch blocks other work of the storage. */
const batchSize = 500;
const pauseMs = 200;

/**
 * Deletes old executions, events, approvals, audit records, webhooks, replies and telemetry in small batches. Several
 * servers on one storage may do so at once.
 *
 * A part of a sweep that fails is repeated an hour later; the others go on.
 */
export class Retention {
  readonly #services: RetentionServices;
  readonly #executionsMs: number;
  readonly #telemetryMs: number;
  readonly #auditMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sweep: Promise<void> | undefined;
  #isStopped = false;
  #endPause: (() => void) | undefined;

  constructor(
    services: RetentionServices,
    {
      auditDays = defaultAuditDays,
      executionsMs = defaultExecutionsMs,
      telemetryDays = defaultTelemetryDays,
    }: RetentionOptions = {},
  ) {
    this.#services = services;
    this.#executionsMs = executionsMs;
    this.#telemetryMs = telemetryDays * dayMs;
    this.#auditMs = auditDays * dayMs;
  }

  start(): void {
    this.#sweepIn(firstSweepMs);
  }

  /** Resolves when the running batch is done. Nothing is deleted afterwards. */
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
    const { clock, logger, storage, streams, telemetry } = this.#services;
    const startedAt = clock.now();
    const executions = await this.#inBatches('executions', () =>
      storage.executions.purge(this.#executionsMs, batchSize),
    );
    const events = await this.#inBatches('events', () => storage.executions.purgeEvents(this.#executionsMs, batchSize));
    const approvals = await this.#inBatches('approvals', () => storage.approvals.purge(batchSize));
    const audit =
      this.#auditMs === Infinity
        ? 0
        : await this.#inBatches('audit', () => storage.audit.purge(startedAt - this.#auditMs, batchSize));
    const webhooks = await this.#inBatches(
      'webhooks',
      async () => (await storage.webhooks?.purge(this.#executionsMs, batchSize)) ?? 0,
    );
    const answers = await this.#inBatches('answers', () => streams.purge(streamsMs, batchSize));
    // Not in batches: stores drop whole days, or contain little.
    const records = await this.#tryPart('telemetry', async () =>
      this.#isStopped ? 0 : ((await telemetry?.purge(startedAt - this.#telemetryMs)) ?? 0),
    );
    if (executions + events + approvals + audit + webhooks + answers + records === 0) return;
    logger.info(
      { executions, events, approvals, audit, webhooks, answers, records, durationMs: clock.now() - startedAt },
      'deleted old executions, events, approvals, audit records, webhooks, answers and telemetry',
    );
  }

  /** @returns how many it deleted in all, or until a failure. */
  async #inBatches(part: string, deleteSome: () => Promise<number>): Promise<number> {
    let total = 0;
    while (!this.#isStopped) {
      const deleted = await this.#tryPart(part, deleteSome);
      total += deleted;
      if (deleted < batchSize) break;
      await this.#pause();
    }
    return total;
  }

  /**
   * Never rejects, so that a part that fails does not keep the others. @returns how many it
   * deleted.
   */
  async #tryPart(part: string, deleteSome: () => Promise<number>): Promise<number> {
    try {
      return await deleteSome();
    } catch (error) {
      this.#services.logger.warn({ err: error, part }, 'old data could not be deleted: trying again later');
      return 0;
    }
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

/** @throws ConfigurationError for a time that is not a number, or negative. */
export function checkRetention(retention: Readonly<Partial<Record<keyof RetentionOptions, unknown>>>): void {
  for (const [name, value] of Object.entries(retention)) {
    if (value === undefined || (typeof value === 'number' && value >= 0)) continue;
    const found = typeof value === 'number' ? value : JSON.stringify(value);
    throw new ConfigurationError(`The option \`retention.${name}\` must be a number from 0 on, not ${found}`);
  }
}
