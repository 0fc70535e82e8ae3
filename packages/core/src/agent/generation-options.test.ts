import { expect, it } from 'vitest';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import type { RunOptions } from './agent-options.ts';
import { Agent } from './agent.ts';
import type { GenerationSettings } from './generation-options.ts';

async function sent(generation: GenerationSettings | undefined, options: RunOptions = {}) {
  const model = scriptedModel('Hi');
  await new Agent({ id: 'a', model, ...(generation !== undefined && { generation }) }).generateText('Go', options);
  const { prompt: _prompt, abortSignal: _signal, ...settings } = model.calls[0] ?? {};
  return settings;
}

const defaults = { temperature: 0.7, maxOutputTokens: 4000, topP: 1, frequencyPenalty: 0, presencePenalty: 0 };

it('sends the defaults of the contract unless agent or request set a value', async () => {
  expect(await sent(undefined)).toEqual(defaults);
  expect(await sent({ temperature: undefined })).toEqual(defaults);
});

it('uses the value of the request, then of the agent, then the default', async () => {
  const own = { temperature: 0.1, seed: 1, stopSequences: ['END'], providerOptions: { openai: { store: false } } };

  expect(await sent(own)).toEqual({ ...defaults, ...own });
  expect(
    await sent(own, { temperature: 0, topP: 0.5, stopSequences: [], providerOptions: { openai: { store: true } } }),
  ).toEqual({
    ...defaults,
    ...own,
    temperature: 0,
    topP: 0.5,
    stopSequences: [],
    providerOptions: { openai: { store: true } },
  });
});

it('does not send a setting that the agent sets to null, unless the request sets it', async () => {
  const nothing = {
    temperature: null,
    maxOutputTokens: null,
    topP: null,
    frequencyPenalty: null,
    presencePenalty: null,
    seed: null,
  };

  expect(await sent(nothing)).toEqual({});
  expect(await sent(nothing, { temperature: 0.2, topP: null })).toEqual({ temperature: 0.2 });
});

it('does not send unknown settings', async () => {
  expect(
    await sent(undefined, {
      topK: 5,
      headers: { a: 'b' },
      prompt: [],
      maxSteps: 3,
      context: { temperature: 2 },
    } as never),
  ).toEqual(defaults);
});

it('logs each warning of a provider once', async () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void logged.push(fields) };
  const warning = (message: string) => ({ type: 'other' as const, message });
  const model = scriptedModel(
    { text: 'Hi', warnings: [warning('no temperature'), warning('no seed')] },
    { text: 'Hi', warnings: [warning('no seed'), warning('no topP')] },
  );
  const agent = new Agent({ id: 'a', model });

  for (let run = 0; run < 3; run += 1) await agent.generateText('Go', { services: { logger } });
  await (
    await agent.streamText('Go', { services: { logger } })
  ).result;

  expect(logged).toEqual(
    ['no temperature', 'no seed', 'no topP'].map((message) => ({
      agentId: 'a',
      runId: expect.any(String),
      warning: warning(message),
    })),
  );
});
