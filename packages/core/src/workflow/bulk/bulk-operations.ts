import { isDeepStrictEqual } from 'node:util';
import {
  ConflictError,
  type Execution,
  type ExecutionError,
  type ExecutionStatus,
  type ExecutionStore,
  HalyardError,
  type JsonObject,
  type JsonValue,
  NotFoundError,
  type Owner,
} from '@halyard/contracts';
import { isoTime } from '../../services/iso-time.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptJson } from '../runtime/accept-json.ts';
import type { WorkflowRuntime } from '../runtime/workflow-runtime.ts';
import { scheduleWorkflowId } from '../schedules/schedule-record.ts';
import type { BulkRuntime } from './apply-to-execution.ts';
import { bulkIdOf } from './bulk-id.ts';
import { type BulkReport, emptyReport } from './bulk-report.ts';
import {
  acceptBulkFilter,
  acceptBulkRequest,
  type BulkFilter,
  type BulkOperationName,
  type BulkRequest,
  type BulkSelection,
} from './bulk-request.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';
import { type BulkInput, bulkInputOf, bulkWorkflow } from './bulk-workflow.ts';
import { readPage } from './read-page.ts';

/** Counting ends here. */
const maxMatched = 10_000;
const previewed = 20;
/** A bulk operation whose storages have different clocks may have its last executions in another order. */
const newestExecutions = 10;

/** What a bulk operation would change. */
export interface BulkPreview {
  /** How many executions match: exact below 10 000. */
  readonly matched: number;
  /** The first of them, newest first: at most 20. */
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

/** Who asks for a bulk operation. It reaches only executions of this owner. */
export interface BulkCaller {
  /** Default: `anyone`. */
  readonly owner?: Owner;
  /** Stored with resumed executions as the user who resumed them. */
  readonly resumedBy?: string | undefined;
  /** Skips executions whose `resumeData` would answer no question: {@link ResumeOptions.onlyToQuestions}. Default: false. */
  readonly onlyToQuestions?: boolean | undefined;
  /** Begins the names of fields in errors: `body/`. */
  readonly at?: string;
}

export interface BulkOperationsOptions extends BulkRuntime {
  readonly now: () => number;
  readonly wait: WorkflowRuntime['wait'];
  /** Starts an execution of {@link BulkOperations.workflow}. */
  readonly begin: (
    input: JsonValue,
    options: { readonly executionId: string; readonly metadata: JsonObject },
  ) => Promise<void>;
}

/**
 * Cancels, resumes, retries or replays all root executions that match a filter. Each bulk operation is an execution of its own workflow, so that it survives its process, and another one
 * continues it.
 */
export class BulkOperations {
  /** Carries them out. The runtime has it. */
  readonly workflow: WorkflowDefinition;
  readonly #options: BulkOperationsOptions;

  constructor(options: BulkOperationsOptions) {
    this.#options = options;
    this.workflow = bulkWorkflow(options);
  }

  /** What a bulk operation with this filter would change now. @throws InvalidInputError */
  async preview(selection: BulkSelection, { at = '', owner = 'anyone' }: BulkCaller = {}): Promise<BulkPreview> {
    const filter = acceptBulkFilter(selection, at);
    const read = { action: { operation: 'cancel' }, filter, owner } as const;
    const ids: string[] = [];
    for (let page = await readPage(this.#options, read, null); page !== null;) {
      ids.push(...page.targets.map(({ executionId }) => executionId));
      if (ids.length >= previewed) break;
      page = await readPage(this.#options, read, page.cursor);
    }
    return { matched: await this.#count(owner, filter), executionIds: ids.slice(0, previewed) };
  }

  /**
   * Starts a bulk operation and does not wait for it. It reaches each execution that matches while the list is read, newest first, from the newest at the start. Each is changed at most once, also
   * if processes die.
   *
   * @throws InvalidInputError; ConflictError (`BULK_REQUEST_EXISTS`) if the request id belongs to another request; UnavailableError
   */
  async start(
    request: BulkRequest,
    { at = '', onlyToQuestions = false, owner = 'anyone', resumedBy }: BulkCaller = {},
  ): Promise<BulkOperation> {
    const accepted = acceptBulkRequest(request, at);
    const bulkId = this.#idOf(owner, request.requestId);
    const repeated = request.requestId === undefined ? undefined : await this.#options.store.find('anyone', bulkId);
    if (repeated === undefined) {
      const input: BulkInput = {
        ...accepted,
        bulkId,
        owner,
        ...(resumedBy !== undefined && { resumedBy }),
        ...(onlyToQuestions && { onlyToQuestions }),
        startAt: isoTime(this.#options.now()),
        matched: await this.#count(owner, accepted.filter),
        link: 0,
        cursor: null,
        report: emptyReport,
      };
      const isNew = await this.#begin(bulkId, acceptJson(input, 'the request is'));
      if (isNew) return this.get(bulkId, { owner });
    }
    const first = repeated ?? (await this.#options.store.find('anyone', bulkId));
    if (first?.workflowId !== bulkWorkflowId || !isSameRequest(bulkInputOf(first), accepted))
      throw new ConflictError('BULK_REQUEST_EXISTS', 'The requestId belongs to another request: choose a new one');
    return this.get(bulkId, { owner });
  }

  /** The progress of a bulk operation, and its report when it has ended. @throws NotFoundError */
  async get(bulkId: string, { owner = 'anyone' }: Pick<BulkCaller, 'owner'> = {}): Promise<BulkOperation> {
    return describe(bulkId, await this.#last(bulkId, owner));
  }

  /** Waits until a bulk operation has ended, or the signal aborts. @returns its progress then. @throws NotFoundError */
  async wait(
    bulkId: string,
    { owner = 'anyone', signal }: Pick<BulkCaller, 'owner'> & { readonly signal?: AbortSignal } = {},
  ): Promise<BulkOperation> {
    for (let current = await this.#last(bulkId, owner); ;) {
      if (current.status !== 'running' || signal?.aborted === true) return describe(bulkId, current);
      await this.#options.wait({ owner: 'anyone', executionId: current.id }, signal === undefined ? {} : { signal });
      current = await this.#last(bulkId, owner);
    }
  }

  /**
   * Cancels a bulk operation, and waits until it has ended. What it has changed stays changed.
   *
   * @throws NotFoundError; InvalidInputError (`EXECUTION_NOT_RUNNING`); UnavailableError when it has not ended in time.
   */
  async cancel(
    bulkId: string,
    {
      owner = 'anyone',
      reason = 'Cancelled on request',
    }: Pick<BulkCaller, 'owner'> & { readonly reason?: string } = {},
  ): Promise<BulkOperation> {
    for (let current = await this.#last(bulkId, owner); ;) {
      const error = await this.#cancelExecution(current, reason);
      const last = await this.#last(bulkId, owner);
      // Meanwhile it may have continued as a new execution.
      if (last.id === current.id && error !== undefined) throw error;
      if (last.id === current.id) return describe(bulkId, last);
      current = last;
    }
  }

  async #cancelExecution({ id, workflowId }: Execution, reason: string): Promise<HalyardError | undefined> {
    try {
      await this.#options.cancel({ owner: 'anyone', workflowId, executionId: id }, reason);
      return undefined;
    } catch (error) {
      if (error instanceof HalyardError && error.code === 'EXECUTION_NOT_RUNNING') return error;
      throw error;
    }
  }

  /** The execution that carries it out now, or did so last. @throws NotFoundError */
  async #last(bulkId: string, owner: Owner): Promise<Execution> {
    const { store } = this.#options;
    const filter = { workflowId: bulkWorkflowId, metadata: { bulkId }, parentExecutionId: null };
    const { executions } = await store.list('anyone', { ...filter, limit: newestExecutions, offset: 0, maxTotal: 0 });
    const last = executions.toSorted((one, other) => bulkInputOf(other).link - bulkInputOf(one).link)[0];
    if (last === undefined || !isAccessible(bulkInputOf(last), owner))
      throw new NotFoundError('bulk operation', bulkId);
    return last;
  }

  /** Without bulk operations, which are left out. */
  async #count(owner: Owner, filter: BulkFilter): Promise<number> {
    const { store } = this.#options;
    const total = await countMatching(store, owner, filter);
    const own =
      filter.workflowId === undefined
        ? await countMatching(store, owner, { ...filter, workflowId: bulkWorkflowId })
        : 0;
    return total === maxMatched ? total : Math.max(0, total - own);
  }

  #idOf(owner: Owner, requestId: string | undefined): string {
    return requestId === undefined ? this.#options.ids.next() : bulkIdOf(owner, requestId);
  }

  /** @returns false if there is an execution with this id. */
  async #begin(bulkId: string, input: JsonValue): Promise<boolean> {
    try {
      await this.#options.begin(input, { executionId: bulkId, metadata: { bulkId } });
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }
}

async function countMatching(store: ExecutionStore, owner: Owner, filter: BulkFilter): Promise<number> {
  const exceptWorkflowIds = [scheduleWorkflowId];
  const page = { ...filter, exceptWorkflowIds, parentExecutionId: null, limit: 1, offset: 0, maxTotal: maxMatched };
  return (await store.list(owner, page)).total;
}

function describe(bulkId: string, execution: Execution): BulkOperation {
  const { endedAt, error, status, workflowState } = execution;
  const { action, filter, matched, report, startAt } = bulkInputOf(execution);
  return {
    bulkId,
    operation: action.operation,
    filter,
    status,
    matched,
    ...report,
    // Only the runtime sets the state.
    ...(workflowState as Partial<BulkReport>),
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
