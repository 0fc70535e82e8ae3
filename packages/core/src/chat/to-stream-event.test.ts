import { expect, it } from 'vitest';
import type { AgentEvent } from '../agent/agent-event.ts';
import { toStreamEvent } from './to-stream-event.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const providerMetadata = { openai: { itemId: 'x' } };
const ofAgent = { agentId: 'b', agentPath: ['a', 'b'], parentToolCallId: 'c1' };
const call = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 }, providerExecuted: true, dynamic: true };
const image = { mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata };

it.each<AgentEvent>([
  { type: 'start-step' },
  { type: 'finish-step', finishReason: 'stop', usage, providerMetadata },
  { type: 'abort', reason: 'gone' },
  { type: 'error', error: 'no model' },
  { type: 'text-start', id: 't', providerMetadata },
  { type: 'text-delta', id: 't', delta: 'a', providerMetadata },
  { type: 'text-end', id: 't', citations: [], providerMetadata },
  { type: 'reasoning-start', id: 'r', providerMetadata },
  { type: 'reasoning-delta', id: 'r', delta: 'b', providerMetadata },
  { type: 'reasoning-end', id: 'r', providerMetadata },
  { type: 'tool-input-start', id: 'c1', toolName: 'pay', title: 'Pay', dynamic: true, providerMetadata },
  { type: 'tool-input-delta', id: 'c1', delta: '{', providerMetadata },
  { type: 'tool-input-end', id: 'c1', providerMetadata },
  { type: 'tool-call', ...call, title: 'Pay', approvalId: 'a1', signature: 'sig', invalidInput: true },
  { type: 'tool-result', ...call, output: 'paid', preliminary: true, providerMetadata },
  { type: 'tool-error', ...call, error: 'no', denied: true, invalidInput: true },
  { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b', title: 'A', providerMetadata },
  { type: 'source', id: 's2', sourceType: 'document', mediaType: 'text/plain', title: 'T', filename: 't.txt' },
  { type: 'file', ...image },
  { type: 'raw', rawValue: { chunk: 1 } },
])('sends $type as it is, also that of a sub-agent', (event) => {
  expect(toStreamEvent(event)).toStrictEqual(event);
  expect(toStreamEvent({ ...event, ...ofAgent })).toStrictEqual({ ...event, ...ofAgent });
});

it('sends the start and the finish without the metadata of the message', () => {
  expect(toStreamEvent({ type: 'start', messageMetadata: { a: 1 }, ...ofAgent })).toStrictEqual({
    type: 'start',
    ...ofAgent,
  });
  expect(
    toStreamEvent({ type: 'finish', finishReason: 'stop', usage, messageMetadata: { a: 1 }, ...ofAgent }),
  ).toStrictEqual({ type: 'finish', finishReason: 'stop', usage, ...ofAgent });
});

it('sends a file of the reasoning as a file', () => {
  expect(toStreamEvent({ type: 'reasoning-file', ...image, ...ofAgent })).toStrictEqual({
    type: 'file',
    ...image,
    ...ofAgent,
  });
});

it.each<AgentEvent>([
  { type: 'custom', kind: 'openai.compaction', providerMetadata },
  { type: 'data', part: { type: 'data-chart', data: 1 } },
  { type: 'summary', message: { id: 's', role: 'system', parts: [] } },
])('does not send $type', (event) => {
  expect(toStreamEvent(event)).toBeUndefined();
});
