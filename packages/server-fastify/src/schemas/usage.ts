import { type Static, Type } from '@sinclair/typebox';

/** Tokens, summed over all steps and sub-agents; 0 where the provider says nothing. */
export const Usage = Type.Object(
  {
    promptTokens: Type.Number(),
    completionTokens: Type.Number(),
    totalTokens: Type.Number(),
    cachedInputTokens: Type.Number(),
    reasoningTokens: Type.Number(),
  },
  { $id: 'Usage' },
);
export type Usage = Static<typeof Usage>;
