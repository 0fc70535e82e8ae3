import { type Execution, NotFoundError } from '@halyard/contracts';
import { type Caller, ownerOf } from '../../access/identity.ts';
import type { Services } from '../../services/services.ts';

type HidingServices = Pick<Services, 'storage' | 'targets'>;

/** Whether an execution belongs to a workflow that is kept from the caller. A sub-workflow belongs to the workflow of its root. */
export async function isHidden(
  { id, rootExecutionId, workflowId }: Pick<Execution, 'id' | 'rootExecutionId' | 'workflowId'>,
  caller: Caller,
  { storage, targets }: HidingServices,
): Promise<boolean> {
  const hidden = targets.hiddenWorkflows(caller);
  if (hidden.length === 0) return false;
  if (hidden.includes(workflowId)) return true;
  if (rootExecutionId === id) return false;
  const root = await storage.executions.find('anyone', rootExecutionId);
  return root === undefined || hidden.includes(root.workflowId);
}

/** @throws NotFoundError as for an unknown id, for an execution that is kept from the caller. */
export async function refuseHidden(executionId: string, caller: Caller, services: HidingServices): Promise<void> {
  if (services.targets.hiddenWorkflows(caller).length === 0) return;
  const execution = await services.storage.executions.find(ownerOf(caller), executionId);
  if (execution !== undefined && (await isHidden(execution, caller, services)))
    throw new NotFoundError('execution', executionId);
}
