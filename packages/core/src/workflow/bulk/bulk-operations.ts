import { isDeepStrictEqual } from 'node:util';
import {
  ConflictError,
  type Execution,
  type ExecutionError,
  type ExecutionPage,
  type ExecutionStatus,
  type JsonValue,
  NotFoundError,
  type Owner,
} from '@halyard/contracts';
import { isoTime } from '../../json/iso-time.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptJson } from '../engine/accept-json.ts';
import type { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import type { BulkRuntime } from './apply-to-execution.ts';
import { toBulkId } from './bulk-id.ts';
import { toListFilter } from './bulk-page.ts';
import type { BulkReport } from './bulk-report.ts';
import {
  acceptBulkFilter,
  acceptBulkRequest,
  type BulkFilter,
  type BulkInput,
  type BulkOperationName,
  type BulkRequest,
  type BulkSelection,
} from './bulk-request.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';
import { toBulkInput, bulkWorkflow, reportIn } from './bulk-workflow.ts';

/** Counting ends here. */
const maxMatched = 10_000;
const previewed = 20;

/** The executions that a bulk operation would change. */
export interface BulkPreview {
  /** How many executions match: exact below 10 000. */
  readonly matched: number;
  /** The first of them, newest first: at most 20, and fewer if they are large. */
  readonly executionIds: readonly string[];
}

/** A bulk operation: its progress while it runs, its report at the end. */
export interface BulkOperation extends BulkReport {
  readonly bulkId: string;
  readonly operation: BulkOperationName;
  /** Without conditions, all executions. */
  readonly filter: BulkFilter;
  readonly status: ExecutionStatus;
  /** How many executions matched at the start: exact below 10 000. */
  readonly matched: number;
  /** ISO 8601. */
  readonly startAt: string;
  /** ISO 8601; null until it ends. */
  readonly endAt: string | null;
  /** Why it ended early, with the status `error`. */
  readonly error?: ExecutionError;
}

/** The caller of a bulk operation. It reaches only executions of this owner. */
export interface BulkCaller {
  /** Default: `anyone`. */
  readonly owner?: Owner;
  /** Stored with resumed executions as the user who resumed them. */
  readonly resumedBy?: string | undefined;
  /**
   * Skips executions whose `resumeData` would be for no question: {@link
   * ResumeOptions.onlyToQuestions}. Default: false.
   */
  readonly onlyToQuestions?: boolean | undefined;
  /**
   * A user whose executions are cancelled, but not resumed, retried or replayed: an operator by a
   * role, who must not pass a check that is for others.
   */
  readonly exceptUserId?: string | undefined;
  /** Begins the names of fields in errors: `body/`. */
  readonly at?: string;
}

export interface BulkOperationsOptions extends BulkRuntime {
  readonly now: () => number;
  readonly wait: WorkflowRuntime['wait'];
  /** Starts an execution of {@link BulkOperations.workflow}. */
  readonly begin: (executionId: string, input: JsonValue) => Promise<void>;
}

/**
 * Cancels, resumes, retries or replays all root executions that match a filter. Each bulk operation
 * is an execution of its own workflow, so that it survives its process: another one continues it.
 */
export class BulkOperations {
  /** Carries them out. The runtime has it. */
  readonly workflow: WorkflowDefinition;
  readonly #options: BulkOperationsOptions;

  constructor(options: BulkOperationsOptions) {
    this.#options = options;
    this.workflow = bulkWorkflow(options);
  }

  /**
   * Counts the executions that a bulk operation with this filter would change now. @throws
   * InvalidInputError
   */
  async preview(selection: BulkSelection, { at = '', owner = 'anyone' }: BulkCaller = {}): Promise<BulkPreview> {
    const filter = acceptBulkFilter(selection, at);
    const { executions, total } = await this.#list(owner, filter, previewed);
    return { matched: total, executionIds: executions.map(({ id }) => id) };
  }

  /**
   * Starts a bulk operation and does not wait for it. It reaches each execution that matches while
   * the list is read, newest first, from the newest at the start. Each is changed at most once,
   * also if processes die.
   *
   * @throws InvalidInputError; ConflictError (`BULK_REQUEST_EXISTS`) if the request id belongs to
   * another request; UnavailableError
   */
  async start(
    request: BulkRequest,
    { at = '', exceptUserId, onlyToQuestions = false, owner = 'anyone', resumedBy }: BulkCaller = {},
  ): Promise<BulkOperation> {
    const { ids, now, store } = this.#options;
    const { requestId } = request;
    const accepted = acceptBulkRequest(request, at);
    const bulkId = requestId === undefined ? ids.next() : toBulkId(owner, requestId);
    if (requestId === undefined || (await store.find('anyone', bulkId)) === undefined) {
      const { total: matched } = await this.#list(owner, accepted.filter, 1);
      await this.#begin(bulkId, {
        ...accepted,
        owner,
        ...(resumedBy !== undefined && { resumedBy }),
        ...(onlyToQuestions && { onlyToQuestions }),
        ...(exceptUserId !== undefined && { exceptUserId }),
        startAt: isoTime(now()),
        matched,
      });
    }
    const execution = await store.find('anyone', bulkId);
    if (execution?.workflowId !== bulkWorkflowId || !isSameRequest(toBulkInput(execution), accepted))
      throw new ConflictError('BULK_REQUEST_EXISTS', 'The requestId belongs to another request: choose a new one');
    return describe(execution);
  }

  /** The progress of a bulk operation, and its report when it has ended. @throws NotFoundError */
  async get(bulkId: string, { owner = 'anyone' }: Pick<BulkCaller, 'owner'> = {}): Promise<BulkOperation> {
    const execution = await this.#options.store.find('anyone', bulkId);
    if (execution?.workflowId !== bulkWorkflowId || !isAccessible(toBulkInput(execution), owner))
      throw new NotFoundError('bulk operation', bulkId);
    return describe(execution);
  }

  /**
   * Waits until a bulk operation has ended, or the signal aborts. @returns its progress then.
   * @throws NotFoundError
   */
  async wait(
    bulkId: string,
    { owner = 'anyone', signal }: Pick<BulkCaller, 'owner'> & { readonly signal?: AbortSignal } = {},
  ): Promise<BulkOperation> {
    for (;;) {
      const operation = await this.get(bulkId, { owner });
      if (operation.status !== 'running' || signal?.aborted === true) return operation;
      await this.#options.wait({ owner: 'anyone', executionId: bulkId }, signal === undefined ? {} : { signal });
    }
  }

  /**
   * Cancels a bulk operation, and waits until it has ended. Its changes stay.
   *
   * @throws NotFoundError; InvalidInputError (`EXECUTION_NOT_RUNNING`); UnavailableError when it
   * has not ended in time.
   */
  async cancel(
    bulkId: string,
    {
      owner = 'anyone',
      reason = 'Cancelled on request',
    }: Pick<BulkCaller, 'owner'> & { readonly reason?: string } = {},
  ): Promise<BulkOperation> {
    await this.get(bulkId, { owner });
    await this.#options.cancel({ owner: 'anyone', workflowId: bulkWorkflowId, executionId: bulkId }, reason);
    return this.get(bulkId, { owner });
  }

  #list(owner: Owner, filter: BulkFilter, limit: number): Promise<ExecutionPage> {
    return this.#options.store.list(owner, { ...toListFilter(filter, this.#options), limit, maxTotal: maxMatched });
  }

  async #begin(bulkId: string, input: BulkInput): Promise<void> {
    try {
      await this.#options.begin(bulkId, acceptJson(input, 'the request is'));
    } catch (error) {
      // Another request with this id was faster.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

function describe({ endedAt, error, id, status, workflowState, ...execution }: Execution): BulkOperation {
  const { action, filter, matched, startAt } = toBulkInput(execution);
  return {
    bulkId: id,
    operation: action.operation,
    filter,
    status,
    matched,
    ...reportIn(workflowState),
    startAt,
    endAt: endedAt === null ? null : isoTime(endedAt),
    ...(error !== undefined && { error }),
  };
}

function isAccessible({ owner }: BulkInput, caller: Owner): boolean {
  return caller === 'anyone' || (owner !== 'anyone' && owner.user === caller.user);
}

/** The owner is part of the id. */
function isSameRequest({ action, filter }: BulkInput, accepted: Pick<BulkInput, 'action' | 'filter'>): boolean {
  return isDeepStrictEqual(
    { action, filter },
    acceptJson({ action: accepted.action, filter: accepted.filter }, 'the request is'),
  );
}
