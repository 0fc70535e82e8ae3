import type { ModelUsage } from '../model/model-port.ts';

/** Tokens a run has cost, summed over its steps and its sub-agents. 0 where the provider says nothing. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
}

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** Sums the usage of a run and of the runs that work for it. */
export function usageSum(): { readonly add: (usage: Usage) => void; readonly total: () => Usage } {
  let sum = noUsage;
  return {
    add: (usage) => {
      sum = addUsage(sum, usage);
    },
    total: () => sum,
  };
}

/** What a provider counted, with 0 for what it does not know. */
export function toUsage({ inputTokens, outputTokens }: ModelUsage): Usage {
  const promptTokens = count(inputTokens.total);
  const completionTokens = count(outputTokens.total);
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedInputTokens: count(inputTokens.cacheRead),
    reasoningTokens: count(outputTokens.reasoning),
  };
}

/** Some providers count in NaN what they do not know. */
function count(tokens: number | undefined): number {
  return Number.isFinite(tokens) ? (tokens ?? 0) : 0;
}
