import { type Execution, NotFoundError } from '@halyard/contracts';
import { type ConsoleGrant, covers } from '../../../access/console-roles.ts';
import {
  asOperator,
  type Caller,
  limitsOfOperator,
  ownerForCaller,
  subjectForCaller,
} from '../../../access/identity.ts';
import type { Services } from '../../services.ts';

type HidingServices = Pick<Services, 'storage' | 'targets'>;

/**
 * Whether an execution belongs to a workflow that is kept from the caller, or is none of those that
 * the console role of an operator is for. A sub-workflow also belongs to the workflows around it.
 */
export async function isHidden(execution: Execution, caller: Caller, services: HidingServices): Promise<boolean> {
  const limits = limitsOfOperator(caller);
  if (limits !== undefined && !(await coversExecution(limits, execution, services))) return true;
  return isRestricted(execution, caller, services);
}

/** A role for a workflow is also for its sub-workflows. */
async function coversExecution(
  grants: readonly ConsoleGrant[],
  execution: Execution,
  { storage }: Pick<HidingServices, 'storage'>,
): Promise<boolean> {
  const { id, rootExecutionId } = execution;
  const root = id === rootExecutionId ? execution : await storage.executions.find('anyone', rootExecutionId);
  return root !== undefined && covers(grants, { kind: 'workflow', id: root.workflowId, startedBy: root.user });
}

async function isRestricted(
  { parentExecutionId, workflowId }: Pick<Execution, 'parentExecutionId' | 'workflowId'>,
  caller: Caller,
  { storage, targets }: HidingServices,
): Promise<boolean> {
  const hidden = targets.hiddenWorkflows(caller);
  if (hidden.length === 0) return false;
  if (hidden.includes(workflowId)) return true;
  if (parentExecutionId === null) return false;
  const parent = await storage.executions.find('anyone', parentExecutionId);
  return parent === undefined || isRestricted(parent, caller, { storage, targets });
}

/** @throws NotFoundError as for an unknown id, for an execution that is kept from the caller. */
export async function refuseHidden(executionId: string, caller: Caller, services: HidingServices): Promise<void> {
  if (services.targets.hiddenWorkflows(caller).length === 0 && limitsOfOperator(caller) === undefined) return;
  const execution = await services.storage.executions.find(ownerForCaller(caller), executionId);
  if (execution !== undefined && (await isHidden(execution, caller, services)))
    throw new NotFoundError('execution', executionId);
}

/**
 * The caller as an operator, if an execution is not its own, and its console roles are for it; else
 * the caller.
 */
export async function actingOn(
  executionId: string,
  caller: Caller,
  services: Pick<HidingServices, 'storage'>,
): Promise<Caller> {
  const { grants, user } = caller;
  if (user === undefined || grants === undefined) return caller;
  const execution = await services.storage.executions.find('anyone', executionId);
  const isOfOthers = execution !== undefined && execution.userId !== subjectForCaller(caller);
  return isOfOthers && (await coversExecution(grants, execution, services)) ? asOperator(caller) : caller;
}
