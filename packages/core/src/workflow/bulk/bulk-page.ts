import { cutText, type Execution, type ExecutionFilter, InvalidInputError, type Owner } from '@halyard/contracts';
import { isOpen } from '../follow/is-idle.ts';
import { isWithoutQuestion } from '../interpreter/waits/check-question.ts';
import { chooseSuspension } from '../interpreter/waits/choose-suspension.ts';
import { acceptReplay, replayFields } from '../rewind/replay.ts';
import type { BulkRuntime } from './apply-to-execution.ts';
import type { BulkFilter, BulkInput } from './bulk-request.ts';

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
  /**
   * The last executions that were read of those created at that moment: at most {@link maxSeen}.
   */
  readonly seen: readonly string[];
}

/**
 * An execution as it was when its page was read, and the change to make. It is recorded before the
 * change, so that the operation is recognised when a process ends before it has recorded the
 * outcome.
 */
export type BulkTarget = { readonly executionId: string; readonly workflowId: string } & BulkPlan;

type BulkPlan =
  | { readonly todo: 'cancel' }
  /** `seq`: number of its last event. */
  | { readonly todo: 'retry'; readonly seq: number }
  | { readonly todo: 'resume'; readonly suspensionId: string }
  /** `replayId`: the id of the new execution. */
  | { readonly todo: 'replay'; readonly replayId: string }
  | { readonly todo: 'skip'; readonly code: string; readonly message: string };

export interface BulkPage {
  readonly targets: readonly BulkTarget[];
  readonly cursor: BulkCursor;
}

/** The executions of a page, and the change to make. */
type PageRequest = Pick<BulkInput, 'action' | 'exceptUserId' | 'filter' | 'onlyToQuestions' | 'owner'>;

type PageRuntime = Pick<BulkRuntime, 'frameworkWorkflowIds' | 'store' | 'ids' | 'services' | 'workflowOf'>;

/**
 * The next executions that match, newest first; null at the end.
 */
export async function readPage(
  runtime: PageRuntime,
  request: PageRequest,
  cursor: BulkCursor | null,
): Promise<BulkPage | null> {
  const { filter, owner } = request;
  const executions = await nextExecutions(runtime, owner, filter, cursor);
  const last = executions.at(-1);
  if (last === undefined) return null;
  const { createdAt, id: after } = last;
  const earlier = cursor?.createdAt === createdAt ? cursor.seen : [];
  const ofThisMoment = executions.filter((execution) => execution.createdAt === createdAt).map(({ id }) => id);
  const seen = [...earlier, ...ofThisMoment].slice(-maxSeen);
  const targets: BulkTarget[] = [];
  // One after the other: a replay reads the whole journal, and 100 of them would take all
  // connections and much memory.
  for (const execution of executions) targets.push(await planTarget(runtime, execution, request));
  return { targets, cursor: { after, createdAt, seen } };
}

/** The root executions of the app that match. */
export function toListFilter(
  filter: BulkFilter,
  { frameworkWorkflowIds }: Pick<BulkRuntime, 'frameworkWorkflowIds'>,
): Omit<ExecutionFilter, 'limit'> {
  return {
    ...filter,
    parentExecutionId: null,
    exceptWorkflowIds: frameworkWorkflowIds(),
    offset: 0,
    maxBytes: pageBytes,
  };
}

async function nextExecutions(
  runtime: Pick<PageRuntime, 'frameworkWorkflowIds' | 'store'>,
  owner: Owner,
  filter: BulkFilter,
  cursor: BulkCursor | null,
): Promise<readonly Execution[]> {
  const { store } = runtime;
  const page = { ...toListFilter(filter, runtime), limit: pageSize, maxTotal: 0 };
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

async function planTarget(runtime: PageRuntime, execution: Execution, request: PageRequest): Promise<BulkTarget> {
  const place = { executionId: execution.id, workflowId: execution.workflowId };
  try {
    return { ...place, ...(await plan(runtime, execution, request)) };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return { ...place, todo: 'skip', code: error.code, message: cutText(error.message, longestMessage) };
  }
}

/** @throws InvalidInputError when the execution does not allow the operation. */
async function plan(
  runtime: PageRuntime,
  execution: Execution,
  { action, exceptUserId, onlyToQuestions = false, owner }: PageRequest,
): Promise<BulkPlan> {
  const { seq, status, userId } = execution;
  if (action.operation !== 'cancel' && exceptUserId !== undefined && userId === exceptUserId)
    throw refusal('OPERATION_NOT_ALLOWED', 'Execution is your own, and a console role is for those of others');
  switch (action.operation) {
    case 'cancel':
      if (!isOpen(execution)) throw refusal('EXECUTION_NOT_RUNNING', `Execution has the status "${status}"`);
      return { todo: 'cancel' };
    case 'retry':
      if (status !== 'error')
        throw refusal('EXECUTION_NOT_FAILED', `Execution is ${status}, and only a failed one can be retried`);
      return { todo: 'retry', seq };
    case 'resume': {
      const { resumeData = null, stepId } = action;
      const suspension = isOpen(execution) ? chooseSuspension(execution, stepId) : undefined;
      const where = stepId === undefined ? '' : ` at step "${stepId}"`;
      if (suspension === undefined) throw refusal('EXECUTION_NOT_SUSPENDED', `Execution is not suspended${where}`);
      if (suspension.kind === 'approval' || suspension.rules !== undefined)
        throw refusal(
          'SUSPENSION_ID_REQUIRED',
          'Execution waits for an approval, or for people whom its step names: answer each by itself',
        );
      if (
        onlyToQuestions &&
        resumeData !== null &&
        isWithoutQuestion(suspension, execution, runtime.workflowOf(execution))
      )
        throw refusal(
          'INVALID_INPUT',
          'Execution was suspended from outside, and asks no question: resume it without data',
        );
      return { todo: 'resume', suspensionId: suspension.id };
    }
    case 'replay': {
      // Decided now: the execution may reach the step before another process repeats the page.
      const workflow = runtime.workflowOf(execution);
      if (workflow !== undefined) await acceptReplay(runtime, owner, { execution, workflow }, action, replayFields);
      return { todo: 'replay', replayId: runtime.ids.next() };
    }
    default:
      return action satisfies never;
  }
}

function refusal(code: string, message: string): InvalidInputError {
  return new InvalidInputError(message, { code });
}
