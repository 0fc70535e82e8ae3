import type { JsonObject } from '../json.ts';
import type { Owner } from '../users/owner.ts';
import type { Execution, ExecutionEvent, ExecutionStatus } from './execution.ts';

/**
 * Lists of executions, for people and for retention. The lists may be slightly older than the log,
 * if they are in another store.
 */
export interface ExecutionIndex {
  /** Newest first, also among executions created in the same millisecond. */
  list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage>;

  /**
   * The first events of several executions, at most `limit` of each. Executions that are not found
   * are absent.
   *
   * @param maxBytes how large the events of all may be together, in bytes of JSON, or of memory in
   * a store that has no JSON. Later events are left out. Default: no limit.
   */
  histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes?: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>>;

  /**
   * Deletes at most `limit` root executions that ended at least `olderThanMs` ago (Infinity: none),
   * with all their data. @returns how many.
   */
  purge(olderThanMs: number, limit: number): Promise<number>;
}

/** All conditions must match. Pages are cut from the matches. */
export interface ExecutionFilter {
  /** Only sub-workflows of this parent; null: only roots. */
  readonly parentExecutionId: string | null;
  /** Only those with one of these ids. */
  readonly ids?: readonly string[] | undefined;
  readonly workflowId?: string | undefined;
  /** Without the executions of these workflows. */
  readonly exceptWorkflowIds?: readonly string[] | undefined;
  readonly status?: ExecutionStatus | undefined;
  readonly userId?: string | undefined;
  /** Only those that are in quarantine. */
  readonly isQuarantined?: true | undefined;
  /** Created at or after, milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Created at or before. */
  readonly to?: number | undefined;
  /** Every value must be equal, compared as JSON. */
  readonly metadata?: JsonObject | undefined;
  /**
   * Only executions that follow this one in the list, so that a page needs no offset. Empty if it
   * is not an execution of the parent, user and workflow of the filter; its other fields may have
   * changed.
   */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /**
   * How large the page may be, in bytes of JSON, or of memory in a store that has no JSON. Its
   * first execution is returned even if it is larger. A store does not read the others into its
   * process. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Where counting ends: a `total` that is lower is exact. A whole number. Default:
   * {@link defaultMaxTotal}.
   */
  readonly maxTotal?: number | undefined;
}

export interface ExecutionPage {
  readonly executions: readonly Execution[];
  /** How many match on all pages, up to `maxTotal`. */
  readonly total: number;
  /** Whether others follow in the list. */
  readonly hasMore: boolean;
}

/** Counting more takes a store longer than reading a page. */
export const defaultMaxTotal = 10_000;
