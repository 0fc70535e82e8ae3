import type { EndedAgentRun, EndedModelCall, EndedToolCall } from '@halyard/core/server';
import { callSeconds, modelAttributes } from './definitions.ts';
import { counter, histogram } from './metric-definition.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** As the semantic conventions recommended for `gen_ai.client.token.usage`. */
const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power);

/**
 * Metrics that have another name since version 0.1.0 of the conventions for generative AI. To be
 * removed in the next minor release.
 */
const previousDefinitions = {
  agentRuns: histogram('halyard.agent.run.duration', 's', 'Runs of agents, sub-agents included', {
    attributes: ['gen_ai.agent.id', 'operation', 'status'],
    boundaries: callSeconds,
  }),
  modelCalls: histogram('gen_ai.client.operation.duration', 's', 'Calls of models, with their retries', {
    attributes: [...modelAttributes, 'status'],
    boundaries: callSeconds,
  }),
  tokenUsage: histogram('gen_ai.client.token.usage', '{token}', 'Tokens of one model call', {
    attributes: [...modelAttributes, 'gen_ai.token.type'],
    boundaries: tokens,
  }),
  cachedTokens: counter(
    'halyard.tokens.cached',
    '{token}',
    'Input tokens that the provider has read from its cache',
    modelAttributes,
  ),
  reasoningTokens: counter(
    'halyard.tokens.reasoning',
    '{token}',
    'Output tokens that the model has used for reasoning',
    modelAttributes,
  ),
  toolCalls: histogram('halyard.tool.call.duration', 's', 'Calls of tools', {
    attributes: ['gen_ai.tool.name', 'status'],
    boundaries: callSeconds,
  }),
};

/** Counts under the previous names. Its arguments are values of attributes. */
export class PreviousMetrics {
  readonly #agentRuns;
  readonly #modelCalls;
  readonly #tokenUsage;
  readonly #cachedTokens;
  readonly #reasoningTokens;
  readonly #toolCalls;

  constructor(registry: MetricRegistry) {
    this.#agentRuns = registry.histogram(previousDefinitions.agentRuns);
    this.#modelCalls = registry.histogram(previousDefinitions.modelCalls);
    this.#tokenUsage = registry.histogram(previousDefinitions.tokenUsage);
    this.#cachedTokens = registry.counter(previousDefinitions.cachedTokens);
    this.#reasoningTokens = registry.counter(previousDefinitions.reasoningTokens);
    this.#toolCalls = registry.histogram(previousDefinitions.toolCalls);
  }

  agentRunEnded(seconds: number, agent: string, operation: string, end: EndedAgentRun['end']): void {
    this.#agentRuns(seconds, agent, operation, end);
  }

  modelCallEnded(
    seconds: number,
    model: readonly [agent: string, provider: string, model: string],
    { end, usage }: Pick<EndedModelCall, 'end' | 'usage'>,
  ): void {
    this.#modelCalls(seconds, ...model, end);
    if (usage === undefined) return;
    this.#tokenUsage(usage.promptTokens, ...model, 'input');
    this.#tokenUsage(usage.completionTokens, ...model, 'output');
    if (usage.cachedInputTokens > 0) this.#cachedTokens(usage.cachedInputTokens, ...model);
    if (usage.reasoningTokens > 0) this.#reasoningTokens(usage.reasoningTokens, ...model);
  }

  toolCallEnded(seconds: number, tool: string, end: EndedToolCall['end']): void {
    this.#toolCalls(seconds, tool, end);
  }
}
