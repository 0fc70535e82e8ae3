import { type Execution, NotFoundError } from '@halyard/contracts';
import { type Caller, ownerForCaller } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';

type HidingServices = Pick<Services, 'storage' | 'targets'>;

/**
 * Whether an execution belongs to a workflow that is kept from the caller. A sub-workflow also
 * belongs to the workflows around it.
 */
export async function isHidden(
  { parentExecutionId, workflowId }: Pick<Execution, 'parentExecutionId' | 'workflowId'>,
  caller: Caller,
  { storage, targets }: HidingServices,
): Promise<boolean> {
  const hidden = targets.hiddenWorkflows(caller);
  if (hidden.length === 0) return false;
  if (hidden.includes(workflowId)) return true;
  if (parentExecutionId === null) return false;
  const parent = await storage.executions.find('anyone', parentExecutionId);
  return parent === undefined || isHidden(parent, caller, { storage, targets });
}

/** @throws NotFoundError as for an unknown id, for an execution that is kept from the caller. */
export async function refuseHidden(executionId: string, caller: Caller, services: HidingServices): Promise<void> {
  if (services.targets.hiddenWorkflows(caller).length === 0) return;
  const execution = await services.storage.executions.find(ownerForCaller(caller), executionId);
  if (execution !== undefined && (await isHidden(execution, caller, services)))
    throw new NotFoundError('execution', executionId);
}
