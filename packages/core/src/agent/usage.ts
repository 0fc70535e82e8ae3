import type { ModelUsage } from '../model/providers/model-port.ts';

/**
 * The tokens that a run has used, in its steps and its sub-agents. 0 where the provider reports
 * none.
 */
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

export interface UsageSum {
  readonly add: (usage: Usage) => void;
  readonly total: () => Usage;
}

/** @param addToParent also receives the added usage. */
export function usageSum(addToParent?: (usage: Usage) => void): UsageSum {
  let sum = noUsage;
  return {
    add: (usage) => {
      sum = addUsage(sum, usage);
      addToParent?.(usage);
    },
    total: () => sum,
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** The usage without an earlier one that it includes. */
export function usageSince(earlier: Usage, usage: Usage): Usage {
  const added = Object.entries(usage).map(([name, tokens]) => [
    name,
    Math.max(0, tokens - earlier[name as keyof Usage]),
  ]);
  return Object.fromEntries(added) as Usage;
}

/** The usage that a provider reports, with 0 for numbers that it does not report. */
export function toUsage({ inputTokens, outputTokens }: ModelUsage): Usage {
  const promptTokens = tokenCount(inputTokens.total);
  const completionTokens = tokenCount(outputTokens.total);
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedInputTokens: tokenCount(inputTokens.cacheRead),
    reasoningTokens: tokenCount(outputTokens.reasoning),
  };
}

/** Some providers report NaN. */
export function tokenCount(tokens: number | undefined): number {
  return Number.isFinite(tokens) ? (tokens ?? 0) : 0;
}
