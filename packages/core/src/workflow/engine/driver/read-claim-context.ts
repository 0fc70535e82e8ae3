import type { ClaimedExecution, Executions } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { ClaimContext } from '../../interpreter/run/execution-run-options.ts';
import { readStartedSteps } from '../../interpreter/run/started-steps.ts';
import { storeTimeSince } from '../../interpreter/run/store-time.ts';

/**
 * What a run needs besides its claim.
 *
 * @param requestedAt when the claim was requested, by `monotonicTime`.
 */
export async function readClaimContext(
  claimed: ClaimedExecution,
  workflow: WorkflowDefinition,
  requestedAt: number,
  { services, store }: { readonly services: AgentServices; readonly store: Executions },
): Promise<ClaimContext> {
  const storeTime = storeTimeSince(claimed, services.clock, requestedAt);
  return { startedSteps: await readStartedSteps(store, claimed, workflow.index), storeTime };
}
