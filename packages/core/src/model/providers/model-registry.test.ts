import { ConfigurationError } from '@halyard/contracts';
import { createProviderRegistry, customProvider } from 'ai';
import { expect, it } from 'vitest';
import { Agent } from '../../agent/agent.ts';
import { scriptedModel } from '../../testing/index.ts';

const fast = scriptedModel('From the fast model.');
const good = scriptedModel('From the good model.');
const house = customProvider({ languageModels: { fast, good } });
const providers = createProviderRegistry({ house });

it('finds models by their ids in a registry of the AI SDK', async () => {
  const agent = new Agent({ id: 'a', model: 'house:fast', providers });

  expect((await agent.generateText('Hi')).text).toBe('From the fast model.');
  expect(agent.modelName).toBe(fast.modelId);
});

it('finds models in one provider', async () => {
  const agent = new Agent({ id: 'a', model: 'good', providers: house });

  expect((await agent.generateText('Hi')).text).toBe('From the good model.');
});

it('finds the models of a list, and those that a function chooses', async () => {
  const listed = new Agent({ id: 'a', model: ['house:good', fast], providers });
  const chosen = new Agent({ id: 'a', model: ({ context }) => `house:${String(context['speed'])}`, providers });

  expect((await listed.generateText('Hi')).text).toBe('From the good model.');
  expect((await chosen.generateText('Hi', { context: { speed: 'fast' } })).text).toBe('From the fast model.');
});

it.each([
  ['house:slow', 'There is no model "house:slow" in `providers`: No such languageModel: slow'],
  ['acme:fast', 'There is no model "acme:fast" in `providers`: No such provider: acme (available providers: house)'],
])('refuses %s when the agent is created', (model, message) => {
  expect(() => new Agent({ id: 'a', model, providers })).toThrow(new ConfigurationError(message));
});

it('refuses an id that a function chooses in the run', async () => {
  const agent = new Agent({ id: 'a', model: () => 'house:slow', providers });

  await expect(agent.generateText('Hi')).rejects.toThrow('There is no model "house:slow" in `providers`');
});

it('names the missing registry of an id', () => {
  expect(() => new Agent({ id: 'a', model: 'openai:gpt-5' })).toThrow(
    'The model "openai:gpt-5" is an id, and there are no `providers` to find it in',
  );
});
