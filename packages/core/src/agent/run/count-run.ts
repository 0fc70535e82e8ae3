import { outcomeOfError } from '@halyard/contracts';
import type { ResolvedModel } from '../../model/model-port.ts';
import { providerName } from '../../model/provider-name.ts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { RunEnd } from '../../services/run-metrics.ts';
import type { Agent } from '../agent.ts';
import { noUsage, type Usage } from '../usage.ts';
import type { Run } from './run.ts';
import { RunSuspended } from './suspensions.ts';

type Clocked = Pick<AgentServices, 'clock' | 'metrics'>;

/** @returns what counts the run; to be called once, when it has ended. */
export function runCounter(
  { id: agentId }: Agent,
  operation: string,
  { clock, metrics }: Clocked,
  startedAt: number,
): (end: RunEnd) => void {
  return (end) => metrics?.agentRunEnded({ agentId, operation, end, durationMs: clock.now() - startedAt });
}

/** How a run ended that did not complete. */
export function endOfFailed({ journal }: Run, error: unknown): RunEnd {
  // The process that took the run over counts how it ends.
  return journal.isStale?.() === true ? 'suspended' : endOfError(error);
}

/** @returns what counts a model call that starts now. `model`: the one that answered, or the last one that failed. */
export function modelCallCounter(
  { id: agentId }: Agent,
  { clock, metrics }: Clocked,
): { ended(answer: ModelAnswer): void; failed(model: ResolvedModel | undefined, error: unknown, usage?: Usage): void } {
  const startedAt = clock.now();
  const count = (provider: string, modelId: string, end: RunEnd, usage?: Usage): void =>
    metrics?.modelCallEnded({
      agentId,
      provider: providerName(provider),
      modelId,
      end,
      durationMs: clock.now() - startedAt,
      ...(usage !== undefined && { usage }),
    });
  return {
    ended: ({ modelId, provider, usage }) => count(provider, modelId, 'completed', usage),
    failed: (model, error, usage = noUsage) =>
      count(
        model?.provider ?? 'unknown',
        model?.modelId ?? 'unknown',
        endOfError(error),
        usage === noUsage ? undefined : usage,
      ),
  };
}

interface ModelAnswer {
  readonly provider: string;
  readonly modelId: string;
  readonly usage: Usage;
}

/** How a run ended that did not begin, or a model call. */
export function endOfError(error: unknown): RunEnd {
  return error instanceof RunSuspended ? 'suspended' : outcomeOfError(error);
}
