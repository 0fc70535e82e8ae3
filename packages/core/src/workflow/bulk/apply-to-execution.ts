import {
  cutText,
  type Execution,
  type ExecutionStore,
  type Ids,
  InvalidInputError,
  isHalyardError,
  type Job,
  NotFoundError,
  NotSuspendedError,
  type Owner,
  UnavailableError,
} from '@halyard/contracts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptJson } from '../runtime/accept-json.ts';
import { subjectOf } from '../runtime/claims/subject-of.ts';
import { retryExecution } from '../runtime/rewind/retry.ts';
import type { ReplayOptions } from '../runtime/runtime-options.ts';
import { acceptAnswer } from '../runtime/waits/accept-resume-data.ts';
import type { WorkflowRuntime } from '../runtime/workflow-runtime.ts';
import type { BulkOutcome, BulkRefusal } from './bulk-report.ts';
import type { BulkAction } from './bulk-request.ts';
import { type BulkTarget, longestMessage } from './read-page.ts';

/** How long the report waits until a cancelled execution has ended. */
const cancelWaitMs = 5_000;

/** What bulk operations use of the runtime. */
export interface BulkRuntime {
  readonly store: ExecutionStore;
  readonly ids: Ids;
  readonly services: Pick<AgentServices, 'executionValueBytes' | 'logger'>;
  readonly cancel: WorkflowRuntime['cancel'];
  /** Creates the replay of an execution with this id, once. */
  readonly replay: (owner: Owner, execution: Execution, options: ReplayOptions, replayId: string) => Promise<void>;
  /** Tells the runner of an execution that it was changed, or starts it. */
  readonly signal: (job: Job) => Promise<void>;
  /** The workflow of an execution, as far as this process has it. */
  readonly workflowOf: (execution: Execution) => WorkflowDefinition | undefined;
}

export interface BulkContext {
  readonly bulkId: string;
  readonly owner: Owner;
  readonly action: BulkAction;
  readonly resumedBy?: string | undefined;
  /** Ends waits. */
  readonly signal: AbortSignal;
}

/** States that do not allow the operation. */
const skipCodes: ReadonlySet<string> = new Set([
  'EXECUTION_NOT_FAILED',
  'EXECUTION_NOT_FOUND',
  'EXECUTION_NOT_RUNNING',
  'EXECUTION_NOT_SUSPENDED',
]);

/**
 * Carries the operation out for one execution, once: a repeated call finds that it was done, and reports that it succeeded.
 *
 * @throws when the storage does not answer.
 */
export async function applyToExecution(
  runtime: BulkRuntime,
  context: BulkContext,
  target: BulkTarget,
): Promise<BulkOutcome> {
  const { executionId, workflowId } = target;
  const place = { executionId, workflowId };
  if (target.todo === 'skip') {
    const { code, message } = target;
    return refused({ ...place, code, message });
  }
  const failure = await failureOf(runtime, context, target);
  if (failure === undefined) return { kind: 'succeeded' };
  const { code, message } = describe(failure);
  if (code === internal.code)
    runtime.services.logger.error(
      { err: failure, executionId, bulkId: context.bulkId },
      'a bulk operation failed for one execution',
    );
  return refused({ ...place, code, message });
}

function refused(refusal: BulkRefusal): BulkOutcome {
  return { kind: skipCodes.has(refusal.code) ? 'skipped' : 'failed', refusal };
}

/** Why the operation cannot be carried out; undefined if it was. An error of unknown cause may pass, so that a second attempt follows. */
async function failureOf(
  runtime: BulkRuntime,
  context: BulkContext,
  target: Exclude<BulkTarget, { todo: 'skip' }>,
): Promise<unknown> {
  try {
    await apply(runtime, context, target);
    return undefined;
  } catch (error) {
    if (isOutage(error)) throw error;
    if (describe(error) !== internal) return error;
  }
  // Rejects if the storage is the cause.
  await runtime.store.find(context.owner, target.executionId);
  try {
    await apply(runtime, context, target);
    return undefined;
  } catch (error) {
    if (isOutage(error)) throw error;
    return error;
  }
}

async function apply(
  runtime: BulkRuntime,
  context: BulkContext,
  target: Exclude<BulkTarget, { todo: 'skip' }>,
): Promise<void> {
  switch (target.todo) {
    case 'cancel':
      return cancel(runtime, context, target);
    case 'retry':
      return retry(runtime, context, target);
    case 'resume':
      return resume(runtime, context, target);
    case 'replay':
      return replay(runtime, context, target);
    default:
      return target satisfies never;
  }
}

/** The execution was open, so that a cancelled one was cancelled since. */
async function cancel(
  runtime: BulkRuntime,
  { action, owner, signal }: BulkContext,
  { executionId, workflowId }: BulkTarget,
): Promise<void> {
  const reason = (action.operation === 'cancel' ? action.reason : undefined) ?? 'Cancelled by a bulk operation';
  if ((await getExecution(runtime, owner, executionId)).status === 'cancelled') return;
  await runtime.cancel({ owner, workflowId, executionId }, reason, { timeoutMs: cancelWaitMs, signal });
}

/** A rewind from the planned event is the retry, also if the execution has failed again since. */
async function retry(
  runtime: BulkRuntime,
  { owner }: BulkContext,
  { executionId, seq }: BulkTarget & { readonly todo: 'retry' },
): Promise<void> {
  const root = await getExecution(runtime, owner, executionId);
  if (isRetriedFrom(root, seq)) return;
  if (root.seq !== seq) throw changed(executionId);
  try {
    await retryExecution(runtime.store, owner, { root, workflow: getWorkflow(runtime, root) });
  } catch (error) {
    if (isRetriedFrom(await getExecution(runtime, owner, executionId), seq)) return;
    throw error;
  }
  await runtime.signal(jobOf(root));
}

/** The storage knows the request if it was repeated. */
async function resume(
  runtime: BulkRuntime,
  { action, bulkId, owner, resumedBy }: BulkContext,
  { executionId, suspensionId }: BulkTarget & { readonly todo: 'resume' },
): Promise<void> {
  const { store } = runtime;
  const root = await getExecution(runtime, owner, executionId);
  const suspension = root.suspensions.find(({ id }) => id === suspensionId);
  const resumeData = action.operation === 'resume' ? action.resumeData : undefined;
  const json = resumeData === undefined ? null : acceptJson(resumeData, 'resumeData is');
  const outcome = await store.resume(owner, {
    executionId,
    suspensionId,
    data:
      suspension === undefined
        ? json
        : await acceptAnswer(root, runtime.workflowOf(root), suspension, json, 'resumeData'),
    resumedBy,
    requestId: bulkId,
  });
  if (outcome === 'not-suspended') throw new NotSuspendedError(executionId);
  await runtime.signal(jobOf(root));
}

async function replay(
  runtime: BulkRuntime,
  { action, owner, resumedBy }: BulkContext,
  { executionId, replayId }: BulkTarget & { readonly todo: 'replay' },
): Promise<void> {
  if (action.operation !== 'replay') return;
  const { inputData, resumeData, stepId } = action;
  if ((await runtime.store.find(owner, replayId)) !== undefined) return;
  const execution = await getExecution(runtime, owner, executionId);
  await runtime.replay(owner, execution, { stepId, resumeData, resumedBy, inputData }, replayId);
}

async function getExecution({ store }: BulkRuntime, owner: Owner, id: string): Promise<Execution> {
  const execution = await store.find(owner, id);
  if (execution === undefined) throw new NotFoundError('execution', id);
  return execution;
}

function getWorkflow({ workflowOf }: BulkRuntime, execution: Execution): WorkflowDefinition {
  const workflow = workflowOf(execution);
  if (workflow === undefined) throw new NotFoundError('workflow', execution.workflowId);
  return workflow;
}

function isRetriedFrom({ rewinds }: Execution, seq: number): boolean {
  return rewinds.some((rewind) => rewind.seq === seq);
}

function changed(executionId: string): InvalidInputError {
  return new InvalidInputError(`Execution has changed since the bulk operation has read it: ${executionId}`, {
    code: 'EXECUTION_NOT_FAILED',
  });
}

function jobOf({ id, userId, workflowId }: Execution): Job {
  return { executionId: id, workflowId, subject: subjectOf(userId) };
}

const internal = { code: 'INTERNAL', message: 'An error in the server: the log contains the cause' };

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (!isHalyardError(error) || error.kind === 'internal') return internal;
  return { code: error.code, message: cutText(error.message, longestMessage) };
}

/** Whether the same call may succeed later, for all executions. */
function isOutage(error: unknown): boolean {
  return error instanceof UnavailableError && error.code !== 'STILL_RUNNING';
}
