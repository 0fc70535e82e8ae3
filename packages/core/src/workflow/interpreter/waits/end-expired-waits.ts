import { ownerForUser } from '../../engine/owner-for-user.ts';
import type { ExecutionRun } from '../run/execution-run.ts';

/**
 * Ends the waits whose time is over. The store decides whether resume data came first. Meanwhile,
 * the run is not released.
 */
export async function endExpiredWaits(run: ExecutionRun): Promise<void> {
  const { options, root, scope, waits } = run;
  const expired = waits.expired(run.now());
  if (expired.length === 0) return;
  const { services, store } = options;
  scope.enter();
  try {
    for (const { id } of expired)
      await store.resume(ownerForUser(root.userId), {
        executionId: root.id,
        suspensionId: id,
        data: null,
        isTimeout: true,
        requestId: `timeout ${id}`,
      });
    await run.readSignals();
  } catch (error) {
    const fields = { err: error, executionId: root.id };
    services.logger.warn(fields, 'a wait could not be ended in time; the next sweep tries again');
  } finally {
    scope.leave();
  }
}
