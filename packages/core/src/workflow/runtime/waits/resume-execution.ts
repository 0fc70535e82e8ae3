import { type Execution, type ExecutionStore, NotSuspendedError } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { acceptJson } from '../accept-json.ts';
import { checkSizes } from '../check-sizes.ts';
import { type FieldNames, rewindExecution } from '../rewind/rewind.ts';
import type { ExecutionKey, ResumeOptions } from '../runtime-options.ts';
import { acceptResumeData } from './accept-resume-data.ts';
import { checkEventAnswer } from './check-event-answer.ts';
import { chooseSuspension } from './choose-suspension.ts';

/**
 * Stores the answer to a suspension, or rewinds to an earlier step.
 *
 * @throws NotSuspendedError, InvalidInputError, HalyardError (`OPERATION_NOT_ALLOWED`)
 */
export async function resumeExecution(
  {
    services,
    store,
    workflowOf,
    workflowOfRun,
  }: {
    readonly store: ExecutionStore;
    readonly services: Pick<AgentServices, 'ids' | 'executionValueBytes'>;
    readonly workflowOf: (executionId: string) => Promise<WorkflowDefinition | undefined>;
    readonly workflowOfRun: (execution: Execution) => WorkflowDefinition;
  },
  { executionId, owner }: ExecutionKey,
  execution: Execution,
  { resumeData, resumedBy, stepId }: Omit<ResumeOptions, 'traceParent'>,
  at: FieldNames,
): Promise<void> {
  const isOpen = execution.status === 'running' || execution.status === 'suspended';
  if (!isOpen || execution.suspensions.length === 0) throw new NotSuspendedError(executionId);
  const data = resumeData === undefined ? null : acceptJson(resumeData, `${at.resumeData} is`);
  checkSizes({ [at.resumeData]: data }, services);
  const suspension = chooseSuspension(execution, stepId);
  if (suspension === undefined) {
    const workflow = workflowOfRun(execution);
    await rewindExecution(store, owner, { execution, workflow }, { stepId: stepId ?? '', data, resumedBy }, at);
  } else {
    checkEventAnswer(suspension, resumedBy !== undefined);
    const workflow = await workflowOf(suspension.executionId);
    const outcome = await store.resume(owner, {
      executionId: execution.rootExecutionId,
      suspensionId: suspension.id,
      data: await acceptResumeData(workflow, suspension, data, at.resumeData),
      resumedBy,
      requestId: services.ids.next(),
    });
    if (outcome === 'not-suspended') throw new NotSuspendedError(executionId);
  }
}
