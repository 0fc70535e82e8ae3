import type { AgentServices } from '../../../agent/agent-services.ts';
import type { ExecutionRunEnd } from '../../../telemetry/run-metrics.ts';
import type { ExecutionRun } from '../../interpreter/run/execution-run.ts';
import type { ExecutionRunOutcome } from '../../interpreter/run/release.ts';

/** Runs an execution until it is released or lost, and counts that. Never rejects. */
export async function runCounted(
  run: ExecutionRun,
  { clock, metrics }: Pick<AgentServices, 'clock' | 'metrics'>,
): Promise<ExecutionRunOutcome> {
  const startedAt = clock.now();
  const outcome = await run.run();
  const workflowId = run.root.workflow.id;
  metrics?.executionRunEnded({ workflowId, end: toEnd(outcome), durationMs: clock.now() - startedAt });
  return outcome;
}

function toEnd(outcome: ExecutionRunOutcome): ExecutionRunEnd {
  if (outcome.kind === 'lost') return 'lost';
  return outcome.status === 'running' ? 'waiting' : outcome.status;
}
