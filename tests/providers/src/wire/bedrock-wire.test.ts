import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBedrockWire } from './bedrock-wire.ts';
import { ask, deltasOf, partsOf, readParts } from './reading.ts';

let wire: Awaited<ReturnType<typeof openBedrockWire>>;
beforeEach(async () => {
  wire = await openBedrockWire();
});
afterEach(() => wire.close());

const model = (id = 'anthropic.claude-haiku-4-5-20251001-v1:0') =>
  createAmazonBedrock({ baseURL: wire.baseURL, apiKey: 'test-key' })(id);

it('streams reasoning, a text and a tool call', async () => {
  wire.reply({
    reasoning: ['Hm'],
    text: 'Hello, world',
    toolCalls: [{ name: 'look', input: { city: 'Oslo' } }],
    usage: { inputTokens: 7, outputTokens: 3 },
  });

  const parts = await readParts((await model().doStream(ask('Hi'))).stream);

  expect(deltasOf(parts, 'reasoning-delta')).toEqual(['Hm']);
  expect(partsOf(parts, 'reasoning-delta').at(-1)?.providerMetadata).toMatchObject({
    amazonBedrock: { signature: 'signature 1.0' },
  });
  expect(deltasOf(parts, 'text-delta')).toEqual(['Hello, w', 'orld']);
  expect(partsOf(parts, 'tool-call')).toMatchObject([
    { toolCallId: 'call_1_0', toolName: 'look', input: '{"city":"Oslo"}' },
  ]);
  expect(partsOf(parts, 'error')).toEqual([]);
  expect(partsOf(parts, 'finish')).toMatchObject([
    { finishReason: { unified: 'tool-calls' }, usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } } },
  ]);
});

it('returns the complete answer if the request does not stream, and records the request', async () => {
  wire.reply({ reasoning: ['Hm'], text: 'Hello' });

  const { content } = await model().doGenerate(ask('Hi', { temperature: 0.2, maxOutputTokens: 100 }));

  expect(content).toMatchObject([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Hello' },
  ]);
  expect(wire.requests).toMatchObject([
    {
      path: '/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/converse',
      headers: { authorization: 'Bearer test-key' },
      settings: { temperature: 0.2, maxTokens: 100 },
    },
  ]);
});

it('replies with an error status and the error body of the provider', async () => {
  wire.reply({ status: 429, message: 'Too many tokens.', retryAfter: 2 });

  await expect(model().doStream(ask('Hi'))).rejects.toMatchObject({
    statusCode: 429,
    message: 'Too many tokens.',
    responseHeaders: { 'retry-after': '2' },
  });
});

it('reports a failure inside a stream', async () => {
  wire.reply({
    text: ['Hel', 'lo'],
    fault: { kind: 'error-event', afterChunks: 1, error: { message: 'Slow down.', type: 'throttlingException' } },
  });

  const parts = await readParts((await model().doStream(ask('Hi'))).stream);

  expect(deltasOf(parts, 'text-delta')).toEqual(['Hel']);
  expect(partsOf(parts, 'error')).toMatchObject([{ error: { message: 'Slow down.', statusCode: 429 } }]);
});

it('inserts an event that is no JSON and continues', async () => {
  wire.reply({ text: ['Hel', 'lo'], fault: { kind: 'malformed', afterChunks: 1 } });

  const parts = await readParts((await model().doStream(ask('Hi'))).stream);

  expect(deltasOf(parts, 'text-delta')).toEqual(['Hel', 'lo']);
  expect(partsOf(parts, 'error')).toHaveLength(1);
});
