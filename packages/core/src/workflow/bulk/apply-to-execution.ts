import {
  cutText,
  type Execution,
  type ExecutionIndex,
  type ExecutionLog,
  type Ids,
  InvalidInputError,
  isHalyardError,
  type Job,
  NotFoundError,
  NotSuspendedError,
  type Owner,
  UnavailableError,
} from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { readApproval } from '../../agent/tools/plan-call.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptJson } from '../engine/accept-json.ts';
import type { ReplayOptions } from '../engine/runtime-options.ts';
import type { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { acceptResumeData } from '../interpreter/waits/accept-resume-data.ts';
import { retryExecution } from '../rewind/retry.ts';
import { type BulkTarget, longestMessage } from './bulk-page.ts';
import type { BulkOutcome } from './bulk-report.ts';
import type { BulkInput } from './bulk-request.ts';

/** How long the report waits until a cancelled execution has ended. */
const cancelWaitMs = 5_000;

/** The part of the runtime that bulk operations use. */
export interface BulkRuntime {
  readonly store: ExecutionLog & ExecutionIndex;
  readonly ids: Ids;
  readonly services: Pick<AgentServices, 'executionValueBytes' | 'logger'>;
  readonly cancel: WorkflowRuntime['cancel'];
  /** Creates the replay of an execution with this id, once. */
  readonly replay: (owner: Owner, execution: Execution, options: ReplayOptions, replayId: string) => Promise<void>;
  /** Tells the runner of an execution that it was changed, or starts it. */
  readonly signal: (job: Job) => Promise<void>;
  /** The workflows whose executions are no work of the app. */
  readonly frameworkWorkflowIds: () => readonly string[];
  /** The workflow of an execution, as far as this process has it. */
  readonly workflowOf: (execution: Execution) => WorkflowDefinition | undefined;
}

type BulkContext = Pick<BulkInput, 'action' | 'owner' | 'resumedBy'> & {
  readonly bulkId: string;
  /** Ends waits. */
  readonly signal: AbortSignal;
};

/** States that do not allow the operation. */
const skipCodes: ReadonlySet<string> = new Set([
  'EXECUTION_NOT_FAILED',
  'EXECUTION_NOT_FOUND',
  'EXECUTION_NOT_RUNNING',
  'EXECUTION_NOT_SUSPENDED',
]);

/**
 * Carries the operation out for one execution, once: a repeated call finds that it was done, and
 * reports that it succeeded.
 *
 * @throws when the storage does not respond.
 */
export async function applyToExecution(
  runtime: BulkRuntime,
  context: BulkContext,
  target: BulkTarget,
): Promise<BulkOutcome> {
  const { executionId, workflowId } = target;
  const refused = (code: string, message: string): BulkOutcome => ({
    kind: skipCodes.has(code) ? 'skipped' : 'failed',
    refusal: { executionId, workflowId, code, message },
  });
  if (target.todo === 'skip') return refused(target.code, target.message);
  try {
    await apply(runtime, context, target);
    return { kind: 'succeeded' };
  } catch (error) {
    if (isOutage(error)) throw error;
    if (isHalyardError(error) && error.kind !== 'internal')
      return refused(error.code, cutText(error.message, longestMessage));
    const details = { err: error, executionId, bulkId: context.bulkId };
    runtime.services.logger.error(details, 'a bulk operation failed for one execution');
    return refused('INTERNAL', 'An error in the server: the log contains the cause');
  }
}

async function apply(
  runtime: BulkRuntime,
  context: BulkContext,
  target: Exclude<BulkTarget, { todo: 'skip' }>,
): Promise<void> {
  const { action, owner, resumedBy, signal } = context;
  // The execution may have been deleted since.
  if (target.todo === 'replay' && (await runtime.store.find(owner, target.replayId)) !== undefined) return;
  const root = await find(runtime, owner, target.executionId);
  const { id: executionId, workflowId } = root;
  switch (target.todo) {
    case 'cancel': {
      // It was open when its page was read.
      if (root.status === 'cancelled') return;
      const reason = ('reason' in action ? action.reason : undefined) ?? 'Cancelled by a bulk operation';
      await runtime.cancel({ owner, workflowId, executionId }, reason, { timeoutMs: cancelWaitMs, signal });
      return;
    }
    case 'retry':
      await retry(runtime, owner, root, target.seq);
      return;
    case 'resume':
      await resume(runtime, context, root, target.suspensionId);
      return;
    case 'replay':
      if (action.operation === 'replay') await runtime.replay(owner, root, { ...action, resumedBy }, target.replayId);
      return;
    default:
      return target satisfies never;
  }
}

/** A rewind from the planned event is the retry, also if the execution has failed again since. */
async function retry(runtime: BulkRuntime, owner: Owner, root: Execution, seq: number): Promise<void> {
  const isRetried = ({ rewinds }: Execution): boolean => rewinds.some((rewind) => rewind.seq === seq);
  if (isRetried(root)) return;
  if (root.seq !== seq)
    throw new InvalidInputError(`Execution has changed since the bulk operation has read it: ${root.id}`, {
      code: 'EXECUTION_NOT_FAILED',
    });
  const workflow = runtime.workflowOf(root);
  if (workflow === undefined) throw new NotFoundError('workflow', root.workflowId);
  try {
    await retryExecution(runtime.store, owner, { root, workflow });
  } catch (error) {
    if (isRetried(await find(runtime, owner, root.id))) return;
    throw error;
  }
  await runtime.signal({ executionId: root.id, workflowId: root.workflowId });
}

/** The storage knows the request if it was repeated. */
async function resume(
  runtime: BulkRuntime,
  { action, bulkId, owner, resumedBy }: BulkContext,
  root: Execution,
  suspensionId: string,
): Promise<void> {
  const executionId = root.id;
  const suspension = root.suspensions.find(({ id }) => id === suspensionId);
  const json = acceptJson('resumeData' in action ? (action.resumeData ?? null) : null, 'resumeData is');
  const data =
    suspension === undefined
      ? json
      : await acceptResumeData(root, runtime.workflowOf(root), suspension, json, 'resumeData');
  if (suspension?.kind === 'approval' && readApproval(data).input !== undefined)
    throw new InvalidInputError('resumeData/input is not accepted: each call has arguments of its own');
  const answer = { executionId, suspensionId, data, resumedBy, requestId: bulkId };
  if ((await runtime.store.resume(owner, answer)) === 'not-suspended') throw new NotSuspendedError(executionId);
  await runtime.signal({ executionId: root.id, workflowId: root.workflowId });
}

async function find({ store }: BulkRuntime, owner: Owner, id: string): Promise<Execution> {
  const execution = await store.find(owner, id);
  if (execution === undefined) throw new NotFoundError('execution', id);
  return execution;
}

/** Whether the same call may succeed later, for all executions. */
function isOutage(error: unknown): boolean {
  return error instanceof UnavailableError && error.code !== 'STILL_RUNNING';
}
