import { expect, it } from 'vitest';
import type { TextResult } from '../agent/run-result.ts';
import { toTextReply } from './to-text-reply.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const call = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 } };
const executed = { ...call, toolCallId: 'c2', providerExecuted: true };
const marks = { dynamic: true, invalid: true, providerMetadata: { openai: { itemId: 'x' } } };
const result: TextResult = {
  text: 'Done.',
  fullText: 'I pay now.\n\nDone.',
  reasoning: [{ type: 'reasoning', text: 'Hm.' }],
  reasoningText: 'Hm.',
  files: [],
  sources: [],
  toolCalls: [{ ...call, ...marks, approvalId: 'a1', signature: 'sig' }, executed, { ...call, toolCallId: 'c3' }],
  toolResults: [
    { ...call, ...marks, output: 'paid' },
    { ...executed, output: 'found' },
  ],
  finishReason: 'tool-calls',
  rawFinishReason: 'tool_use',
  usage,
  warnings: [],
  providerMetadata: undefined,
  steps: [],
  response: undefined,
  responseMessages: [],
  conversationId: 'talk',
};

it('has the text of all steps, the calls and the results, without those that the provider ran itself', () => {
  expect(toTextReply(result)).toStrictEqual({
    text: 'I pay now.\n\nDone.',
    usage,
    finishReason: 'tool-calls',
    toolCalls: [
      { ...call, approvalId: 'a1', signature: 'sig' },
      { ...call, toolCallId: 'c3' },
    ],
    toolResults: [{ ...call, output: 'paid' }],
    conversationId: 'talk',
  });
});

it('has no conversation where the run has none', () => {
  const { conversationId: _, ...rest } = result;
  expect(Object.keys(toTextReply(rest))).not.toContain('conversationId');
});
