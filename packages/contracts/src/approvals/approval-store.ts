import type { JsonObject, JsonValue } from '../json.ts';
import type { SettledDecision } from '../webhooks/settled-decision.ts';
import type { StoredApprovalRules } from './approval-rules.ts';

/**
 * Stores which tool approvals were used, so that each is accepted once, and the requests in
 * conversations that others than the user of the conversation may answer. The suspension of an
 * execution has its own rules.
 */
export interface ApprovalStore {
  /**
   * Unique per process for a store that loses its data when the process ends; absent for a durable
   * store. Approval requests are signed with it: requests of an earlier process are refused,
   * because it is unknown whether they were used.
   */
  readonly lifeId?: string;
  /**
   * Marks an approval as used, and deletes its open request. Atomic: of concurrent calls with the
   * same id, exactly one resolves to `true`.
   *
   * @param expiresAt milliseconds since the epoch. The store may delete the id after that.
   * @param decision for webhooks.
   */
  consume(approvalId: string, expiresAt: number, decision?: SettledDecision): Promise<boolean>;

  /**
   * Stores a request. With a `round`, it replaces the open request with this id of an earlier round,
   * and stores nothing without one. Otherwise, a second call with the same id changes nothing.
   */
  open(request: OpenApproval): Promise<void>;

  /** An open request; undefined for one that was used, or may be deleted. */
  find(approvalId: string): Promise<OpenApproval | undefined>;

  /**
   * The newest open requests whose rules have one of these keys: see `approverKeys`.
   *
   * @param offset how many newer ones to skip.
   */
  listOpen(approverKeys: readonly string[], limit: number, offset?: number): Promise<readonly OpenApproval[]>;

  /**
   * Adds the decision of a person, unless that person has decided, or the decisions are complete:
   * with a denial, or with `quorum` decisions. Atomic: concurrent calls see each other's decisions.
   *
   * @returns all decisions, the earliest first.
   */
  decide(approvalId: string, decision: ApprovalDecision, options: DecideOptions): Promise<readonly ApprovalDecision[]>;

  /** The decisions about a request, the earliest first; none if there are none, or they may be deleted. */
  decisions(approvalId: string): Promise<readonly ApprovalDecision[]>;

  /** Deletes expired ids, requests and decisions, `limit` at most. @returns how many. */
  purge(limit: number): Promise<number>;
}

/**
 * A tool call in a conversation that waits for the approval of others than its user; or the
 * `delegation` that waits for its calls, whose rules name nobody; or a `grant`, which is a request
 * that was approved for later calls, too. Webhooks announce only calls.
 */
export interface OpenApproval {
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** The user of the run. */
  readonly userId: string | undefined;
  /** A snapshot of the verified user, with which the run continues. */
  readonly user: JsonObject | undefined;
  /** Without `approvers`, the user of the run may respond. */
  readonly rules: StoredApprovalRules;
  /** Until when they may respond, in milliseconds since the epoch. Absent: until `expiresAt`. */
  readonly dueAt?: number;
  /** How often the request has asked again. Default: 0. */
  readonly round?: number;
  /** The work of sub-agents that continues with the responses to their requests. */
  readonly delegation?: JsonObject;
  /** The later calls that were approved, and by whom. Its rules have keys that no user has. */
  readonly grant?: JsonObject;
  /** Milliseconds since the epoch, as below. */
  readonly createdAt: number;
  /** The store may delete it after that. */
  readonly expiresAt: number;
}

/** The decision of one person. */
export interface ApprovalDecision {
  /** The id of the verified user; null for an operator without one. */
  readonly userId: string | null;
  readonly approved: boolean;
  readonly reason?: string;
  /** Nobody has responded in time. */
  readonly expired?: true;
  /** The resume data of a suspension. */
  readonly data?: JsonValue;
  /** Milliseconds since the epoch. */
  readonly decidedAt: number;
}

export interface DecideOptions {
  readonly quorum: number;
  /** The user of the run. The decisions are deleted with this user's data. */
  readonly userId?: string | undefined;
  /** The store may delete the decisions after that, in milliseconds since the epoch. */
  readonly expiresAt: number;
}
