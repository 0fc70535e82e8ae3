import type { Clock, Logger } from '@halyard/contracts';
import type { Connection } from '../define/define-channel.ts';
import type { Approval } from '../routes/approvals/schemas.ts';

/** Identifies a request. */
type Place = Pick<Approval, 'conversationId' | 'executionId' | 'id'>;

/** The requests that a client learns of. */
export interface Announced {
  /** Those that it may answer: it gets new ones, too. */
  readonly approvals: readonly Approval[];
  /** Those of its own runs that others answer. */
  readonly withOthers: readonly Place[];
}

/** How long after a change the list is read, with all that changed until then. */
const gatherMs = 50;
/** The shortest time between two readings. */
const intervalMs = 1_000;
/** When changes by other processes are noticed at the latest. */
const pollMs = 5_000;

/**
 * Tells a client which requests are new, and which no longer wait: it compares the list before and
 * after.
 */
export class ApprovalAnnouncer {
  readonly #connection: Connection;
  readonly #read: () => Promise<Announced>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #known: ReadonlyMap<string, Place> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #readAt = -Infinity;
  #isReading = false;
  #isStale = false;
  #isClosed = false;
  #hasFailed = false;

  constructor(
    connection: Connection,
    read: () => Promise<Announced>,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#connection = connection;
    this.#read = read;
    this.#clock = clock;
    this.#logger = logger;
    connection.onClose(() => {
      this.#isClosed = true;
      clearTimeout(this.#timer);
    });
  }

  /** Reads what waits already, about which the client is not told. */
  start(): void {
    void this.#update();
  }

  /** Something may have changed. */
  changed(): void {
    if (this.#isReading) this.#isStale = true;
    else this.#schedule(Math.max(gatherMs, this.#readAt + intervalMs - this.#clock.now()));
  }

  #schedule(delayMs: number): void {
    const dueAt = this.#clock.now() + delayMs;
    if (this.#isClosed || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#update(), delayMs).unref();
  }

  async #update(): Promise<void> {
    this.#dueAt = Infinity;
    this.#readAt = this.#clock.now();
    this.#isReading = true;
    this.#isStale = false;
    try {
      const { approvals, withOthers } = await this.#read();
      this.#hasFailed = false;
      this.#compare(approvals, withOthers);
    } catch (error) {
      if (this.#isClosed) return;
      // The database may restart: the next read finds the changes.
      if (!this.#hasFailed) this.#logger.error({ err: error, channel: '/ws/approvals' }, 'requests could not be read');
      this.#hasFailed = true;
    } finally {
      this.#isReading = false;
    }
    if (this.#isStale) this.changed();
    this.#schedule(pollMs);
  }

  #compare(approvals: readonly Approval[], withOthers: readonly Place[]): void {
    const before = this.#known;
    const now = new Map<string, Place>([...withOthers, ...approvals].map((each) => [keyOf(each), each]));
    this.#known = now;
    if (before === undefined) return this.#send({ type: 'CONNECTION_SUCCESS', data: { message: 'Connected' } });
    for (const approval of approvals.toReversed())
      if (!before.has(keyOf(approval))) this.#send({ type: 'APPROVAL_REQUESTED', data: approval });
    for (const [key, { conversationId, executionId, id }] of before)
      if (!now.has(key)) this.#send({ type: 'APPROVAL_SETTLED', data: { id, executionId, conversationId } });
    return undefined;
  }

  #send({ data, type }: { readonly type: string; readonly data: object }): void {
    if (!this.#isClosed) this.#connection.send(JSON.stringify({ type, success: true, data }));
  }
}

function keyOf({ conversationId, executionId, id }: Place): string {
  return JSON.stringify([id, executionId, conversationId]);
}
