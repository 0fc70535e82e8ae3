import type { Clock, Logger } from '@halyard/contracts';
import { type Approvals, toApprovalRef } from '@halyard/core/server';
import type { Connection } from '../define/define-channel.ts';
import type { Approval } from '../routes/approvals/schemas.ts';

/** Identifies a request. */
type Place = Pick<Approval, 'conversationId' | 'executionId' | 'id'>;

interface KnownPlace extends Place {
  readonly decisionsKey: string;
  readonly quorum: number;
}

/** The requests that a client learns of. */
export interface Announced {
  /** Those that it may answer: it gets new ones, too. */
  readonly approvals: readonly Approval[];
  /** By which the decisions about a request are stored. Default: its id. */
  readonly decisionsKeys: ReadonlyMap<Approval, string>;
  /** Those of its own runs that others answer. */
  readonly withOthers: readonly Place[];
}

interface AnnouncerOptions {
  readonly approvals: Pick<Approvals, 'decisions'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The shortest time between two readings. */
  readonly pauseMs: number;
}

/** How long after a change the list is read, with all that changed until then. */
const gatherMs = 50;
/** Changes by other processes are noticed after so many pauses at the latest. */
const pausesPerPoll = 5;

/**
 * Tells a client which requests are new, and which no longer wait: it compares the list before and
 * after.
 */
export class ApprovalAnnouncer {
  readonly #connection: Connection;
  readonly #read: () => Promise<Announced>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #approvals: AnnouncerOptions['approvals'];
  readonly #pauseMs: number;
  #known: ReadonlyMap<string, KnownPlace> | undefined;
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
    { approvals, clock, logger, pauseMs }: AnnouncerOptions,
  ) {
    this.#connection = connection;
    this.#read = read;
    this.#clock = clock;
    this.#logger = logger;
    this.#approvals = approvals;
    this.#pauseMs = pauseMs;
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
    else this.#schedule(Math.max(gatherMs, this.#readAt + this.#pauseMs - this.#clock.now()));
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
      await this.#compare(await this.#read());
      this.#hasFailed = false;
    } catch (error) {
      if (this.#isClosed) return;
      // The database may restart: the next read finds the changes.
      if (!this.#hasFailed) this.#logger.error({ err: error, channel: '/ws/approvals' }, 'requests could not be read');
      this.#hasFailed = true;
    } finally {
      this.#isReading = false;
    }
    if (this.#isStale) this.changed();
    this.#schedule(pausesPerPoll * this.#pauseMs);
  }

  async #compare({ approvals, decisionsKeys, withOthers }: Announced): Promise<void> {
    const before = this.#known;
    const places = [
      ...withOthers.map((place) => toKnown(place)),
      ...approvals.map((each) => toKnown(each, decisionsKeys.get(each), each.quorum)),
    ];
    const now = new Map(places.map((place) => [keyOf(place), place]));
    const gone = [...(before ?? [])].flatMap(([key, place]) => (now.has(key) ? [] : [place]));
    const settled = await Promise.all(gone.map((place) => this.#settledData(place)));
    this.#known = now;
    if (before === undefined) return this.#send({ type: 'CONNECTION_SUCCESS', data: { message: 'Connected' } });
    for (const approval of approvals.toReversed())
      if (!before.has(keyOf(approval))) this.#send({ type: 'APPROVAL_REQUESTED', data: approval });
    for (const data of settled) this.#send({ type: 'APPROVAL_SETTLED', data });
    return undefined;
  }

  async #settledData({ conversationId, decisionsKey, executionId, id, quorum }: KnownPlace): Promise<object> {
    const decisions = await this.#approvals.decisions(decisionsKey);
    const last = decisions.at(-1);
    // Of several who must approve, the request may have ended after the first.
    const decision = last?.approved === true && decisions.length < quorum ? undefined : last;
    const { approved = null, expired = false, reason = null, userId: answeredBy = null } = decision ?? {};
    return { id, executionId, conversationId, approved, answeredBy, reason, expired };
  }

  #send({ data, type }: { readonly type: string; readonly data: object }): void {
    if (!this.#isClosed) this.#connection.send(JSON.stringify({ type, success: true, data }));
  }
}

function toKnown({ conversationId, executionId, id }: Place, key?: string, quorum = 1): KnownPlace {
  const place = { conversationId, executionId, id };
  if (key !== undefined) return { ...place, decisionsKey: key, quorum };
  // In a conversation, how the request was settled is one decision.
  return { ...place, decisionsKey: toApprovalRef(id).approvalId, quorum: 1 };
}

function keyOf({ conversationId, executionId, id }: Place): string {
  return JSON.stringify([id, executionId, conversationId]);
}
