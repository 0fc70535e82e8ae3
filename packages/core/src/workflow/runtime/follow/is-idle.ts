import type { Execution, ExecutionStore } from '@halyard/contracts';
import { isBelow } from '../waits/waits.ts';

/**
 * Whether an execution is at rest: it has ended, or waits for somebody.
 *
 * A sub-workflow that somebody has answered, or that was taken back to an earlier step, is not, though its row says so until its root runs on.
 */
export async function isIdle(
  store: Pick<ExecutionStore, 'find'>,
  { id, path, rootExecutionId, status, suspensions }: Execution,
): Promise<boolean> {
  if (status !== 'suspended' || id === rootExecutionId) return status !== 'running';
  if (suspensions.length === 0) return false;
  const root = await store.find('anyone', rootExecutionId);
  return root?.resumptions.every((resumption) => !isBelow(resumption.path, path)) ?? true;
}
