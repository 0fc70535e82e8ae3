import { createGoogle } from '@ai-sdk/google';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openGoogleWire } from './google-wire.ts';
import { ask, deltasOf, partsOf, readParts } from './reading.ts';

let wire: Awaited<ReturnType<typeof openGoogleWire>>;
beforeEach(async () => {
  wire = await openGoogleWire();
});
afterEach(() => wire.close());

const model = (id = 'gemini-2.5-flash') => createGoogle({ baseURL: wire.baseURL, apiKey: 'test-key' })(id);

it('streams a text', async () => {
  wire.reply({ text: 'Hello, world', usage: { inputTokens: 7, outputTokens: 3 } });

  const parts = await readParts((await model().doStream(ask('Hi'))).stream);

  expect(deltasOf(parts, 'text-delta')).toEqual(['Hello, w', 'orld']);
  expect(partsOf(parts, 'error')).toEqual([]);
  expect(partsOf(parts, 'stream-start')).toMatchObject([{ warnings: [] }]);
  expect(partsOf(parts, 'finish')).toMatchObject([
    { finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } } },
  ]);
  expect(wire.requests[0]?.path).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
});

it('returns the complete text if the request does not stream, and records the request', async () => {
  wire.reply({ text: 'Hello' });

  const { content } = await model().doGenerate(ask('Hi'));

  expect(content).toMatchObject([{ type: 'text', text: 'Hello' }]);
  expect(wire.requests).toMatchObject([
    { headers: { 'x-goog-api-key': 'test-key' }, body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] } },
  ]);
});

it('replies with an error status and the error body of the provider', async () => {
  wire.reply({ status: 429, retryAfter: 2 });

  await expect(model().doStream(ask('Hi'))).rejects.toMatchObject({
    statusCode: 429,
    responseHeaders: { 'retry-after': '2' },
    data: { error: { status: 'RESOURCE_EXHAUSTED' } },
  });
});

it('sends no setting when none is set, without a warning', async () => {
  expect(await send('gemini-2.5-flash', {})).toEqual({ sent: {}, warned: [] });
});

it('sends supported settings without a warning', async () => {
  const settings = { maxOutputTokens: 4000, temperature: 0.7, topP: 1, topK: 5, seed: 1, stopSequences: ['END'] };

  expect(await send('gemini-2.5-flash', settings)).toEqual({ sent: settings, warned: [] });
});

it('omits the penalties for gemini 2.5, and warns', async () => {
  expect(await send('gemini-2.5-flash', { frequencyPenalty: 0, presencePenalty: 0 })).toEqual({
    sent: {},
    warned: ['frequencyPenalty', 'presencePenalty'],
  });
});

async function send(id: string, settings: Omit<LanguageModelV4CallOptions, 'prompt'>) {
  wire.reply({ text: 'Hello' });
  const { warnings } = await model(id).doGenerate(ask('Hi', settings));
  return {
    warned: warnings.map((warning) => ('feature' in warning ? warning.feature : warning.type)),
    sent: wire.requests.at(-1)?.settings,
  };
}
