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

function addUsage(a: Usage, b: Usage): Usage {
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
