/** The parameters of the list of traces that look into all spans of a trace. */
export const partFilters = ['agentId', 'toolName', 'model', 'minSeconds', 'minTokens', 'minCost'] as const;
