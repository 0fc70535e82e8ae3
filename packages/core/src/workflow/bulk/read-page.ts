import { cutText, type Execution, type ExecutionStore, InvalidInputError, type Owner } from '@halyard/contracts';
import { acceptReplay, replayFields } from '../runtime/rewind/replay.ts';
import { isWithoutQuestion } from '../runtime/waits/check-question.ts';
import { chooseSuspension } from '../runtime/waits/choose-suspension.ts';
import { scheduleWorkflowId } from '../schedules/schedule-record.ts';
import type { BulkRuntime } from './apply-to-execution.ts';
import type { BulkAction, BulkFilter } from './bulk-request.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';

const pageSize = 100;
const pageBytes = 4 * 1024 * 1024;
const maxSeen = 1_000;
/** Of the reason why an execution is not changed. */
export const longestMessage = 500;

/** Where the list of executions continues. */
export interface BulkCursor {
  readonly after: string;
  /** When that execution was created. The list continues there if the execution is deleted. */
  readonly createdAt: number;
  /** The last executions that were read of those created at that moment: at most {@link maxSeen}. */
  readonly seen: readonly string[];
}

/**
 * An execution as it was when its page was read, and what is to be done with it. It is recorded before anything is done, so that the operation is recognised when a
 * process ends before it has recorded the outcome.
 */
export type BulkTarget = { readonly executionId: string; readonly workflowId: string } & (
  | { readonly todo: 'cancel' }
  /** `seq`: number of its last event. */
  | { readonly todo: 'retry'; readonly seq: number }
  | { readonly todo: 'resume'; readonly suspensionId: string }
  /** `replayId`: the id of the new execution. */
  | { readonly todo: 'replay'; readonly replayId: string }
  | { readonly todo: 'skip'; readonly code: string; readonly message: string }
);

export interface BulkPage {
  readonly targets: readonly BulkTarget[];
  readonly cursor: BulkCursor;
}

/** Which executions a page contains, and what is to be done with them. */
interface PageRequest {
  readonly action: BulkAction;
  readonly filter: BulkFilter;
  readonly owner: Owner;
  readonly onlyToQuestions?: boolean;
}

type PageRuntime = Pick<BulkRuntime, 'store' | 'ids' | 'services' | 'workflowOf'>;

/** The next executions that match, newest first; null at the end. Bulk operations themselves are left out. */
export async function readPage(
  runtime: PageRuntime,
  request: PageRequest,
  cursor: BulkCursor | null,
): Promise<BulkPage | null> {
  const { filter, owner } = request;
  const executions = await nextExecutions(runtime.store, owner, filter, cursor);
  const last = executions.at(-1);
  if (last === undefined) return null;
  const { createdAt, id: after } = last;
  const earlier = cursor?.createdAt === createdAt ? cursor.seen : [];
  const ofThisMoment = executions.filter((execution) => execution.createdAt === createdAt).map(({ id }) => id);
  const seen = [...earlier, ...ofThisMoment].slice(-maxSeen);
  const others = executions.filter(({ workflowId }) => workflowId !== bulkWorkflowId);
  const targets: BulkTarget[] = [];
  // One after the other: a replay reads the whole journal, and 100 of them would take all connections and much memory.
  for (const execution of others) targets.push(await planTarget(runtime, execution, request));
  return { targets, cursor: { after, createdAt, seen } };
}

async function nextExecutions(
  store: ExecutionStore,
  owner: Owner,
  filter: BulkFilter,
  cursor: BulkCursor | null,
): Promise<readonly Execution[]> {
  const page = {
    ...filter,
    exceptWorkflowIds: [scheduleWorkflowId],
    parentExecutionId: null,
    limit: pageSize,
    maxBytes: pageBytes,
    offset: 0,
    maxTotal: 0,
  };
  if (cursor === null) return (await store.list(owner, page)).executions;
  const { after, createdAt, seen } = cursor;
  const { executions } = await store.list(owner, { ...page, after });
  if (executions.length > 0 || (await store.find(owner, after)) !== undefined) return executions;
  // Nothing follows an execution that has been deleted since.
  const to = Math.min(filter.to ?? createdAt, createdAt);
  let rest = await store.list(owner, { ...page, to, limit: pageSize + seen.length });
  for (;;) {
    const unseen = rest.executions.filter(({ id }) => !seen.includes(id));
    const last = rest.executions.at(-1);
    if (unseen.length > 0 || !rest.hasMore || last === undefined) return unseen;
    rest = await store.list(owner, { ...page, to, after: last.id });
  }
}

async function planTarget(
  runtime: PageRuntime,
  execution: Execution,
  { action, onlyToQuestions = false, owner }: PageRequest,
): Promise<BulkTarget> {
  const { id: executionId, seq, status, workflowId } = execution;
  const place = { executionId, workflowId };
  const isOpen = status === 'running' || status === 'suspended';
  const skip = (code: string, message: string): BulkTarget => ({ ...place, todo: 'skip', code, message });
  switch (action.operation) {
    case 'cancel':
      return isOpen ? { ...place, todo: 'cancel' } : skip('EXECUTION_NOT_RUNNING', `Execution is ${status}`);
    case 'retry':
      return status === 'error'
        ? { ...place, todo: 'retry', seq }
        : skip('EXECUTION_NOT_FAILED', `Execution is ${status}, and only a failed one can be retried`);
    case 'resume': {
      const { stepId } = action;
      const suspension = isOpen ? chooseSuspension(execution, stepId) : undefined;
      if (suspension?.kind === 'approval')
        return skip(
          'SUSPENSION_ID_REQUIRED',
          'Execution waits for an approval, which is for one call: answer each by itself',
        );
      if (
        suspension !== undefined &&
        onlyToQuestions &&
        hasData(action.resumeData) &&
        isWithoutQuestion(suspension, execution, runtime.workflowOf(execution))
      )
        return skip(
          'INVALID_INPUT',
          'Execution was suspended from outside, and asks no question: resume it without data',
        );
      if (suspension !== undefined) return { ...place, todo: 'resume', suspensionId: suspension.id };
      const where = stepId === undefined ? '' : ` at step "${stepId}"`;
      return skip('EXECUTION_NOT_SUSPENDED', `Execution is not suspended${where}`);
    }
    case 'replay': {
      const refusal = await refusalOfReplay(runtime, owner, execution, action);
      if (refusal !== undefined) return skip(refusal.code, cutText(refusal.message, longestMessage));
      return { ...place, todo: 'replay', replayId: runtime.ids.next() };
    }
    default:
      return action satisfies never;
  }
}

function hasData(resumeData: unknown): boolean {
  return resumeData !== undefined && resumeData !== null;
}

/**
 * Decided when the page is read: a process that has lost its lease could otherwise replay an execution for which its successor has recorded a refusal, because it
 * reached the step in between.
 */
async function refusalOfReplay(
  runtime: PageRuntime,
  owner: Owner,
  execution: Execution,
  { inputData, resumeData, stepId }: BulkAction & { readonly operation: 'replay' },
): Promise<InvalidInputError | undefined> {
  const workflow = runtime.workflowOf(execution);
  // The replay is refused without it.
  if (workflow === undefined) return undefined;
  try {
    await acceptReplay(runtime, owner, { execution, workflow }, { inputData, resumeData, stepId }, replayFields);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}
