import { type Execution, type ExecutionLog, type JsonValue, NotSuspendedError } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { acceptJson } from '../../engine/accept-json.ts';
import { checkSizes } from '../../engine/check-sizes.ts';
import type { ExecutionKey, ResumeOptions } from '../../engine/runtime-options.ts';
import { type RewindFieldNames, rewindExecution } from '../../rewind/rewind.ts';
import { acceptResumeData } from './accept-resume-data.ts';
import { checkResponder, decideSuspension, recordAnswer } from './approval-of-suspension.ts';
import { checkChangedCall } from './check-changed-call.ts';
import { checkEventResumption } from './check-event-resumption.ts';
import { isWithoutQuestion, refuseUnasked } from './check-question.ts';
import { findSuspension } from './find-suspension.ts';

/** How errors name the fields of a request to resume. */
export interface ResumeFieldNames extends RewindFieldNames {
  readonly suspensionId: string;
}

/** The names in TypeScript. */
export const resumeFields: ResumeFieldNames = {
  resumeData: 'resumeData',
  stepId: 'stepId',
  suspensionId: 'suspensionId',
  newIdempotencyKeys: 'newIdempotencyKeys',
};

interface ResumeDependencies {
  readonly store: ExecutionLog;
  readonly services: Pick<AgentServices, 'approvals' | 'ids' | 'executionValueBytes' | 'logger'>;
  readonly workflowOf: (executionId: string) => Promise<WorkflowDefinition | undefined>;
  readonly workflowOfRun: (execution: Execution) => WorkflowDefinition;
  /** Undefined if only other processes know the workflow. */
  readonly definitionOf: (execution: Execution) => WorkflowDefinition | undefined;
}

/**
 * Stores the resume data of a suspension, or rewinds to an earlier step.
 *
 * @returns the error for a response that does not count, because others have decided before: the
 * execution continues as they decided.
 * @throws NotSuspendedError, InvalidInputError, ConflictError, HalyardError
 * (`OPERATION_NOT_ALLOWED`)
 */
export async function resumeExecution(
  { definitionOf, services, store, workflowOf, workflowOfRun }: ResumeDependencies,
  { executionId, owner }: ExecutionKey,
  execution: Execution,
  options: ResumeOptions,
  names: ResumeFieldNames,
): Promise<NotSuspendedError | undefined> {
  const { requestedBy, resumeData } = options;
  const isOpen = execution.status === 'running' || execution.status === 'suspended';
  if (!isOpen || execution.suspensions.length === 0) throw new NotSuspendedError(executionId);
  const data = resumeData === undefined ? null : acceptJson(resumeData, `${names.resumeData} is`);
  checkSizes({ [names.resumeData]: data }, services);
  const suspension = findSuspension(execution, options, names);
  if (suspension === undefined) {
    const workflow = workflowOfRun(execution);
    // Steps that an operator repeats keep their user.
    const user = requestedBy === 'operator' ? undefined : options.user;
    await rewindExecution({ store, workflowOf }, owner, { execution, workflow }, { ...options, user, data }, names);
    return undefined;
  }
  checkEventResumption(suspension, requestedBy === 'user');
  const responder = { user: options.user, isOperator: requestedBy !== 'user' };
  if (requestedBy !== undefined) await checkResponder({ services, execution, suspension }, responder);
  // The next step may ask others than the user, who must not answer before it does.
  const isUnasked =
    requestedBy === 'user'
      ? suspension.kind === 'request'
      : options.onlyToQuestions === true &&
        isWithoutQuestion(suspension, execution, await workflowOf(execution.rootExecutionId));
  if (isUnasked) refuseUnasked(data, names.resumeData);
  const { rootExecutionId } = execution;
  const root = execution.id === rootExecutionId ? execution : await store.find(owner, rootExecutionId);
  if (root === undefined) throw new NotSuspendedError(executionId);
  const workflow = definitionOf(root);
  const accepted = await acceptResumeData(root, workflow, suspension, data, names.resumeData);
  await checkChangedCall({ root, workflow, suspension, data: accepted, responder, at: names.resumeData }, services);
  const resume = (answer: JsonValue, resumedBy: string | undefined): ReturnType<ExecutionLog['resume']> =>
    store.resume(owner, {
      executionId: rootExecutionId,
      suspensionId: suspension.id,
      data: answer,
      resumedBy,
      requestId: services.ids.next(),
    });
  const { rules } = suspension;
  if (rules?.quorum === undefined) {
    const { resumedBy } = options;
    if ((await resume(accepted, resumedBy)) === 'not-suspended') throw new NotSuspendedError(executionId);
    await recordAnswer(root, suspension, { data: accepted, resumedBy }, services);
    return undefined;
  }
  const decided = await decideSuspension({ services, root, suspension }, accepted, options.resumedBy, rules);
  const { isCounted, settledBy } = decided;
  // Also where another person has decided: that resumption may have failed.
  if (settledBy !== undefined) await resume(settledBy.data ?? null, settledBy.userId ?? undefined);
  return isCounted ? undefined : new NotSuspendedError(executionId);
}
