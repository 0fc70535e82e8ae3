import { outcomeOfError } from '@halyard/contracts';
import type { ResolvedModel } from '../../model/providers/model-port.ts';
import { providerName } from '../../model/providers/provider-name.ts';
import type { RunEnd } from '../../telemetry/run-metrics.ts';
import type { AgentServices } from '../agent-services.ts';
import type { Agent } from '../agent.ts';
import { noUsage } from '../usage.ts';
import type { RunDependencies } from './run.ts';
import type { ReportedTokens } from './step/reported-tokens.ts';
import { RunSuspended } from './suspensions.ts';

type Clocked = Pick<AgentServices, 'clock' | 'metrics'>;

/**
 * Counts a run of an agent, and its model and tool calls. Those of sub-agents belong to their own
 * runs.
 */
export class RunCounter {
  readonly #agent: Pick<Agent, 'id' | 'name'>;
  readonly #operation: string;
  readonly #services: Clocked;
  readonly #startedAt: number;
  #inferenceCalls = 0;
  #toolCalls = 0;

  constructor(agent: Pick<Agent, 'id' | 'name'>, operation: string, services: Clocked, startedAt: number) {
    this.#agent = agent;
    this.#operation = operation;
    this.#services = services;
    this.#startedAt = startedAt;
  }

  /** @returns what counts a model call that starts now. */
  modelCall(): ModelCallCounter {
    this.#inferenceCalls += 1;
    return modelCallCounter(this.#agent.id, this.#services);
  }

  toolCall(): void {
    this.#toolCalls += 1;
  }

  /** To be called once, when the run has ended. */
  ended(end: RunEnd): void {
    const { clock, metrics } = this.#services;
    metrics?.agentRunEnded({
      agentId: this.#agent.id,
      agentName: this.#agent.name,
      operation: this.#operation,
      end,
      durationMs: clock.now() - this.#startedAt,
      inferenceCalls: this.#inferenceCalls,
      toolCalls: this.#toolCalls,
    });
  }
}

/** How a run ended that did not complete. */
export function endOfFailed({ journal }: Pick<RunDependencies, 'journal'>, error: unknown): RunEnd {
  // The process that took the run over counts how it ends.
  return journal.isStale?.() === true ? 'suspended' : endOfError(error);
}

/** Counts one model call, when it has ended. */
export interface ModelCallCounter {
  ended(reply: ModelReply, tokens: ReportedTokens): void;
  /** `model`: the last failed one. */
  failed(model: ResolvedModel | undefined, error: unknown, tokens?: ReportedTokens): void;
}

function modelCallCounter(agentId: string, { clock, metrics }: Clocked): ModelCallCounter {
  const startedAt = clock.now();
  const count = (provider: string, modelId: string, end: RunEnd, tokens?: ReportedTokens): void =>
    metrics?.modelCallEnded({
      agentId,
      provider: providerName(provider),
      modelId,
      end,
      durationMs: clock.now() - startedAt,
      ...(tokens !== undefined && { usage: tokens.usage, cacheWriteTokens: tokens.cacheWriteTokens }),
    });
  return {
    ended: ({ modelId, provider }, tokens) => count(provider, modelId, 'completed', tokens),
    failed: (model, error, tokens) =>
      count(
        model?.provider ?? 'unknown',
        model?.modelId ?? 'unknown',
        endOfError(error),
        tokens?.usage === noUsage ? undefined : tokens,
      ),
  };
}

interface ModelReply {
  readonly provider: string;
  readonly modelId: string;
}

/** How a run ended that did not begin, or a model call. */
export function endOfError(error: unknown): RunEnd {
  return error instanceof RunSuspended ? 'suspended' : outcomeOfError(error);
}
