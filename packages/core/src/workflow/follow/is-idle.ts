import type { Execution, ExecutionLog } from '@halyard/contracts';
import { isBelow } from '../definition/place.ts';

/**
 * Whether an execution has ended or is suspended.
 *
 * The row of a sub-workflow that was resumed or rewound is still `suspended` until its root runs
 * again: it is not idle.
 */
export async function isIdle(
  store: Pick<ExecutionLog, 'find'>,
  { id, path, rootExecutionId, status, suspensions }: Execution,
): Promise<boolean> {
  if (status !== 'suspended' || id === rootExecutionId) return status !== 'running';
  if (suspensions.length === 0) return false;
  const root = await store.find('anyone', rootExecutionId);
  return root?.resumptions.every((resumption) => !isBelow(resumption.path, path)) ?? true;
}

/** Whether an execution can continue. */
export function isOpen({ status }: Pick<Execution, 'status'>): boolean {
  return status === 'running' || status === 'suspended';
}
