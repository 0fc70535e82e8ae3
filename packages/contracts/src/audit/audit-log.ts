import type { JsonValue } from '../json.ts';

/**
 * Who did what on a server. Records are added and never changed, except that the outcome follows.
 * They outlive the data of the users whom they name.
 */
export interface AuditLog {
  /** Adds a record, which is durable when the call resolves. A second one with the same id changes nothing. */
  append(record: NewAuditRecord): Promise<void>;

  /** Adds the outcome to a record without one. Otherwise changes nothing. */
  settle(id: string, outcome: AuditOutcome): Promise<void>;

  /** The matching records with the greatest ids, the greatest first: ids begin with the time. */
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>;

  /** Deletes records of a time before this one, `limit` at most, the oldest first. @returns how many. */
  purge(before: number, limit: number): Promise<number>;
}

/** A record as it is written before its action begins. */
export interface NewAuditRecord {
  /** Unique. Ids are ordered by code point, as their times are. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: AuditActor;
  /** Such as `execution.cancel`. */
  readonly action: string;
  readonly target: AuditTarget;
  /** What was requested: such as the decision about an approval, and its reason. */
  readonly detail?: Readonly<Record<string, JsonValue>>;
}

export interface AuditRecord extends NewAuditRecord {
  /** Null while the action runs, and for good if its process ended before it was written. */
  readonly outcome: AuditOutcome | null;
}

/** The person or machine that acts. */
export interface AuditActor {
  /** The id of the verified user, also of an operator who sent a token; null without one. */
  readonly userId: string | null;
  readonly roles: readonly string[];
  readonly tenantId: string | null;
  /**
   * The credential. `open`: none, without access control or with the bypass for development.
   * `server`: code of the app answered for the user, or nobody acted, such as at the end of a time
   * limit.
   */
  readonly channel: 'token' | 'console-key' | 'link' | 'webhook' | 'open' | 'server';
  /** The IP address. */
  readonly address: string;
}

/** The ids of everything that an action is about. */
export interface AuditTarget {
  readonly agentId?: string;
  readonly approvalId?: string;
  readonly bulkId?: string;
  readonly conversationId?: string;
  readonly executionId?: string;
  readonly userId?: string;
  readonly workflowId?: string;
}

export interface AuditOutcome {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The code of the error with which the request was refused or failed; null for a success. */
  readonly errorCode: string | null;
}

export interface AuditFilter {
  /** The id of a user who acted. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** An id in {@link AuditTarget}. */
  readonly target?: string | undefined;
  /** From this time on, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Before this time. */
  readonly to?: number | undefined;
  /** Only records with a smaller id. */
  readonly after?: string | undefined;
  readonly limit: number;
}
