import { ownerForUser } from '../../engine/owner-for-user.ts';
import type { ExecutionRun } from '../run/execution-run.ts';
import { recordAnswer } from './approval-of-suspension.ts';
import { outcomeOfExpired, resumptionOfExpired } from './ask-again.ts';

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
    for (const suspension of expired) {
      const { data, id: suspensionId, kind } = suspension;
      const end = async (): Promise<void> => {
        const resumption = resumptionOfExpired(suspension);
        const outcome = await store.resume(ownerForUser(root.userId), {
          executionId: root.id,
          suspensionId,
          ...resumption,
          requestId: `timeout ${suspensionId}`,
        });
        if (outcome === 'resumed' && resumption.isExpired === true)
          await recordAnswer(root, suspension, resumption, services);
      };
      const { recordExpiry } = services;
      const { approvalId = suspensionId } = (kind === 'approval' ? data : {}) as { readonly approvalId?: string };
      const outcome = outcomeOfExpired(suspension);
      const request = { workflowId: root.workflow.id, executionId: root.id, approvalId, outcome };
      // An event is no request to a person.
      await (kind === 'event' || recordExpiry === undefined ? end() : recordExpiry(request, end));
    }
    await run.readSignals();
  } catch (error) {
    const fields = { err: error, executionId: root.id };
    services.logger.warn(fields, 'a wait could not be ended in time; the next sweep tries again');
  } finally {
    scope.leave();
  }
}
