import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from './openai-wire.ts';
import { ask } from './reading.ts';

type Settings = Omit<LanguageModelV4CallOptions, 'prompt'>;

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const models = {
  responses: (id: string) => createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' })(id),
  chat: (id: string) => createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' }).chat(id),
};

async function send(api: keyof typeof models, id: string, settings: Settings) {
  wire.reply({ text: 'Hello' });
  const { warnings } = await models[api](id).doGenerate(ask('Hi', settings));
  return {
    warned: warnings.map((warning) => ('feature' in warning ? warning.feature : warning.type)),
    sent: wire.requests.at(-1)?.settings,
  };
}

describe.each(['responses', 'chat'] as const)('settings on the %s API', (api) => {
  it.each(['gpt-4.1', 'gpt-5-mini'])('sends none to %s by default, without a warning', async (id) => {
    expect(await send(api, id, {})).toEqual({ sent: {}, warned: [] });
  });

  it('omits temperature and topP for a reasoning model, and warns', async () => {
    const { sent, warned } = await send(api, 'gpt-5-mini', { temperature: 0.7, topP: 1, maxOutputTokens: 4000 });

    expect(sent).toEqual(api === 'chat' ? { max_completion_tokens: 4000 } : { max_output_tokens: 4000 });
    expect(warned).toEqual(['temperature', 'topP']);
  });
});

it('sends settings that the responses API supports, without a warning', async () => {
  expect(await send('responses', 'gpt-4.1', { temperature: 0.7, topP: 1, maxOutputTokens: 4000 })).toEqual({
    sent: { temperature: 0.7, top_p: 1, max_output_tokens: 4000 },
    warned: [],
  });
});

it('omits settings that the responses API does not support, and warns', async () => {
  expect(
    await send('responses', 'gpt-4.1', {
      seed: 1,
      topK: 5,
      frequencyPenalty: 0,
      presencePenalty: 0,
      stopSequences: ['END'],
    }),
  ).toEqual({
    sent: {},
    warned: ['topK', 'seed', 'presencePenalty', 'frequencyPenalty', 'stopSequences'],
  });
});

it('sends settings that chat completions support, without a warning', async () => {
  const settings = {
    temperature: 0.7,
    topP: 1,
    maxOutputTokens: 4000,
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    seed: 1,
    stopSequences: ['END'],
  };

  expect(await send('chat', 'gpt-4.1', settings)).toEqual({
    sent: {
      temperature: 0.7,
      top_p: 1,
      max_tokens: 4000,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      seed: 1,
      stop: ['END'],
    },
    warned: [],
  });
});
