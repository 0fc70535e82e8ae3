import { expect, it } from 'vitest';
import { toUsage } from '../../agent/usage.ts';
import type { ModelPart } from './model-port.ts';
import { reportedUsage } from './reported-usage.ts';

const kind = 'anthropic.message_start';

it('sums the tokens of the prompt that Anthropic reports at the start of its answer', () => {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 200,
    cache_creation_input_tokens: 30,
    output_tokens: 1,
  };
  const reported = reportedUsage({ type: 'custom', kind, providerMetadata: { anthropic: { usage } } });
  expect(reported && toUsage(reported)).toEqual({
    promptTokens: 240,
    completionTokens: 1,
    totalTokens: 241,
    cachedInputTokens: 200,
    reasoningTokens: 0,
  });
});

it.each<ModelPart>([
  { type: 'custom', kind },
  { type: 'custom', kind, providerMetadata: { anthropic: { usage: null } } },
  { type: 'custom', kind: 'openai.compaction', providerMetadata: { anthropic: { usage: { input_tokens: 1 } } } },
  { type: 'text-delta', id: 't', delta: 'Hi', providerMetadata: { anthropic: { usage: { input_tokens: 1 } } } },
])('finds none in a part that says nothing about tokens', (part) => {
  expect(reportedUsage(part)).toBeUndefined();
});
