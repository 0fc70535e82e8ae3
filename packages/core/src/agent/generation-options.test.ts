import { expect, it } from 'vitest';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import { createScriptedModel } from '../testing/scripted-model.ts';
import type { InternalRunOptions } from './agent-options.ts';
import { Agent } from './agent.ts';
import { generationDefaults, type GenerationSettings } from './generation-options.ts';

async function sent(generation: GenerationSettings | undefined, options: InternalRunOptions = {}) {
  const model = scriptedModel('Hi');
  await new Agent({ id: 'a', model, ...(generation !== undefined && { generation }) }).generateText('Go', options);
  const { prompt: _prompt, abortSignal: _signal, ...settings } = model.calls[0] ?? {};
  return settings;
}

const own = { temperature: 0.1, seed: 1, stopSequences: ['END'], providerOptions: { openai: { store: false } } };
const nothing = {
  temperature: null,
  maxOutputTokens: null,
  topP: null,
  frequencyPenalty: null,
  presencePenalty: null,
  seed: null,
};

it('sends no setting that neither the agent nor the request sets', async () => {
  expect(await sent(undefined)).toEqual({});
  expect(await sent({ temperature: undefined })).toEqual({});
});

it('uses the value of the request, then of the agent, then the default', async () => {
  expect(await sent(own)).toEqual(own);
  expect(await sent(own, { generationDefaults })).toEqual({ ...generationDefaults, ...own });
  const request = {
    temperature: 0,
    topP: 0.5,
    stopSequences: [],
    providerOptions: { openai: { store: true } },
  };
  expect(await sent(own, { ...request, generationDefaults })).toEqual({ ...generationDefaults, ...own, ...request });
});

it('does not send a setting that the agent sets to null, unless the request sets it', async () => {
  expect(await sent(nothing, { generationDefaults })).toEqual({});
  expect(await sent(nothing, { generationDefaults, temperature: 0.2, topP: null })).toEqual({ temperature: 0.2 });
});

it('does not send unknown settings', async () => {
  const unknown = { topN: 5, cookies: { a: 'b' }, prompt: [], maxSteps: 3, context: { temperature: 2 } };
  expect(await sent(undefined, unknown as never)).toEqual({});
});

it('sends a default no longer to a model that refuses it, and logs no warning about it', async () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void logged.push(fields) };
  const refusal = (feature: string) => ({ type: 'unsupported' as const, feature });
  const model = scriptedModel({ text: 'Hi', warnings: [refusal('temperature'), refusal('seed')] }, 'Hi');
  const agent = new Agent({ id: 'a', model, generation: { seed: 1 } });

  for (const options of [{}, {}, { temperature: 0.2 }])
    await agent.generateText('Go', { ...options, generationDefaults, services: { logger } } as InternalRunOptions);

  expect(model.calls.map(({ seed, temperature, topP }) => ({ seed, temperature, topP }))).toEqual([
    { seed: 1, temperature: 0.7, topP: 1 },
    { seed: 1, temperature: undefined, topP: 1 },
    { seed: 1, temperature: 0.2, topP: 1 },
  ]);
  expect(logged).toMatchObject([{ warning: refusal('seed') }]);
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

async function scriptedSettings(
  model: ReturnType<typeof createScriptedModel>,
  generation?: GenerationSettings | 'provider-defaults',
  runs = 1,
) {
  const agent = new Agent({ id: 'a', model, generation });
  for (let run = 0; run < runs; run += 1) await agent.generateText('Go', { generationDefaults } as InternalRunOptions);
  return model.calls.map(({ prompt: _prompt, abortSignal: _signal, ...settings }) => settings);
}

it('sends a reasoning model no default, but what the agent sets', async () => {
  expect(await scriptedSettings(createScriptedModel(['Hi'], { modelId: 'gpt-5-mini' }))).toEqual([{}]);
  const model = createScriptedModel(['Hi'], { modelId: 'o3' });
  expect(await scriptedSettings(model, { maxOutputTokens: 900 })).toEqual([{ maxOutputTokens: 900 }]);
});

it('sends no default once a model has reported reasoning tokens', async () => {
  const model = createScriptedModel([{ text: 'Hi', usage: { reasoningTokens: 7 } }], { modelId: 'our-deployment' });
  expect(await scriptedSettings(model, undefined, 2)).toEqual([generationDefaults, {}]);
});

it('sends no default to a list of models of which one reasons', async () => {
  const models = ['gpt-4.1', 'gpt-5'].map((modelId) => createScriptedModel(['Hi'], { modelId }));
  await new Agent({ id: 'a', model: models }).generateText('Go', { generationDefaults } as InternalRunOptions);
  expect(models[0]?.calls[0]).not.toHaveProperty('temperature');
});

it('sends no default of an agent that uses the defaults of its provider', async () => {
  expect(await scriptedSettings(scriptedModel('Hi'), 'provider-defaults')).toEqual([{}]);
  expect(() => new Agent({ id: 'a', model: scriptedModel('Hi'), generation: 'defaults' as never })).toThrow(
    'generation of agent "a" must be settings or \'provider-defaults\'',
  );
});

it('warns of a reply that the default has cut, and of no other', async () => {
  const cut = () => scriptedModel({ text: 'Once upon', finishReason: 'length' });
  const warnings = async (generation: GenerationSettings, options: InternalRunOptions) =>
    (await new Agent({ id: 'a', model: cut(), generation }).generateText('Go', options)).warnings;
  const message =
    'The reply of agent "a" was cut at 4000 tokens, the default of HTTP requests: ' +
    "set maxOutputTokens, or generation: 'provider-defaults'";
  const services = { logger: silentLogger };
  expect(await warnings({}, { generationDefaults, services })).toEqual([{ type: 'other', message }]);
  expect(await warnings({ maxOutputTokens: 2 }, { generationDefaults, services })).toEqual([]);
  expect(await warnings({}, { services })).toEqual([]);
});

it('warns of a conversation that is not stored', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
  const { warnings } = await agent.generateText('Go', { conversationId: 'c', userId: 'u' });
  expect(warnings).toEqual([{ type: 'other', message: 'Agent "a" has no memory: the conversation is not stored' }]);
  expect((await agent.generateText('Go')).warnings).toEqual([]);
});
