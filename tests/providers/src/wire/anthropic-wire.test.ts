import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAnthropicWire } from './anthropic-wire.ts';
import { ask, deltasOf, partsOf, readParts } from './reading.ts';

let wire: Awaited<ReturnType<typeof openAnthropicWire>>;
beforeEach(async () => {
  wire = await openAnthropicWire();
});
afterEach(() => wire.close());

const model = (id = 'claude-haiku-4-5') => createAnthropic({ baseURL: wire.baseURL, apiKey: 'test-key' })(id);

it('streams a text', async () => {
  wire.reply({ text: 'Hello, world', usage: { inputTokens: 7, outputTokens: 3 } });

  const parts = await readParts((await model().doStream(ask('Hi'))).stream);

  expect(deltasOf(parts, 'text-delta')).toEqual(['Hello, w', 'orld']);
  expect(partsOf(parts, 'error')).toEqual([]);
  expect(partsOf(parts, 'stream-start')).toMatchObject([{ warnings: [] }]);
  expect(partsOf(parts, 'finish')).toMatchObject([
    { finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } } },
  ]);
});

it('returns the complete text if the request does not stream, and records the request', async () => {
  wire.reply({ text: 'Hello' });

  const { content } = await model().doGenerate(ask('Hi'));

  expect(content).toMatchObject([{ type: 'text', text: 'Hello' }]);
  expect(wire.requests).toMatchObject([
    { path: '/v1/messages', headers: { 'x-api-key': 'test-key' }, body: { model: 'claude-haiku-4-5' } },
  ]);
});

it('replies with an error status and the error body of the provider', async () => {
  wire.reply({ status: 429, retryAfter: 2 });

  await expect(model().doStream(ask('Hi'))).rejects.toMatchObject({
    statusCode: 429,
    responseHeaders: { 'retry-after': '2' },
    data: { error: { type: 'rate_limit_error' } },
  });
});

it('reports a failure inside a stream', async () => {
  wire.reply({
    text: ['Hel', 'lo'],
    fault: { kind: 'error-event', afterChunks: 1, error: { message: 'Overloaded.', type: 'overloaded_error' } },
  });

  const parts = await readParts((await model().doStream(ask('Hi'))).stream);

  expect(partsOf(parts, 'error')).toMatchObject([{ error: { message: 'Overloaded.' } }]);
});

it('sends only the required token limit by default, without a warning', async () => {
  expect(await send({})).toEqual({ sent: { max_tokens: 64_000 }, warned: [] });
});

it.each([
  { settings: { temperature: 0.7 }, sent: { temperature: 0.7 } },
  { settings: { topP: 0.9 }, sent: { top_p: 0.9 } },
  { settings: { topK: 5, stopSequences: ['END'] }, sent: { top_k: 5, stop_sequences: ['END'] } },
])('sends $settings without a warning', async ({ settings, sent }) => {
  expect(await send({ maxOutputTokens: 4000, ...settings })).toEqual({
    sent: { max_tokens: 4000, ...sent },
    warned: [],
  });
});

it('omits unsupported settings, including topP together with a temperature, and warns', async () => {
  expect(
    await send({ maxOutputTokens: 4000, temperature: 0.7, topP: 1, frequencyPenalty: 0, presencePenalty: 0, seed: 1 }),
  ).toEqual({
    sent: { max_tokens: 4000, temperature: 0.7 },
    warned: ['frequencyPenalty', 'presencePenalty', 'seed', 'topP'],
  });
});

async function send(settings: Omit<LanguageModelV4CallOptions, 'prompt'>) {
  wire.reply({ text: 'Hello' });
  const { warnings } = await model().doGenerate(ask('Hi', settings));
  return {
    warned: warnings.map((warning) => ('feature' in warning ? warning.feature : warning.type)),
    sent: wire.requests.at(-1)?.settings,
  };
}
