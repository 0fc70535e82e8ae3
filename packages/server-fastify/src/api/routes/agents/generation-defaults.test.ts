import { Agent } from '@halyard/core';
import { generationDefaults } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { afterEach, expect, it } from 'vitest';
import { answer } from '../../../testing/generation.ts';
import { json, serve, type Served, type ServedOptions } from '../../../testing/serve.ts';

let server: Served | undefined;
afterEach(() => server?.close());

async function start(options: Partial<ServedOptions>): Promise<string> {
  server = await serve([], options);
  return server.origin;
}

async function settingsOf(origin: string, id: string): Promise<unknown> {
  const body = (await (await fetch(`${origin}/agents/${id}`)).json()) as {
    data: { settings: { generation: unknown } };
  };
  return body.data.settings.generation;
}

it('sends the defaults of the API, and shows them', async () => {
  const model = scriptedModel('Hi');
  const origin = await start({ agents: [new Agent({ id: 'a', model })] });
  expect(await answer(origin, 'a/text', { input: 'Go', options: null })).not.toHaveProperty('warnings');
  expect(model.calls[0]).toMatchObject(generationDefaults);
  expect(await settingsOf(origin, 'a')).toEqual(generationDefaults);
});

it.each(['server', 'agent'])('sends none where the %s uses the defaults of the provider', async (where) => {
  const model = scriptedModel('Hi');
  const generation = 'provider-defaults';
  const agent = new Agent({ id: 'a', model, ...(where === 'agent' && { generation }) });
  const origin = await start({ agents: [agent], ...(where === 'server' && { generation }) });
  await answer(origin, 'a/text', { input: 'Go', options: { seed: 1 } });
  expect(Object.keys(model.calls[0] ?? {}).toSorted()).toEqual(['abortSignal', 'prompt', 'seed']);
  expect(await settingsOf(origin, 'a')).toEqual({});
});

it('sends none to a reasoning model', async () => {
  const model = scriptedModel('Hi');
  const origin = await start({ agents: [new Agent({ id: 'a', model: { ...model, modelId: 'gpt-5' } })] });
  await answer(origin, 'a/text', { input: 'Go' });
  expect(Object.keys(model.calls[0] ?? {}).toSorted()).toEqual(['abortSignal', 'prompt']);
  expect(await settingsOf(origin, 'a')).toEqual({});
});

it('refuses another value of the switch', async () => {
  await expect(start({ generation: { temperature: 1 } as never })).rejects.toThrow(
    "The option `generation` must be 'provider-defaults'",
  );
});

it('warns in the reply of a text that a default has cut, and of a conversation that is not stored', async () => {
  const model = scriptedModel({ text: 'Once upon', finishReason: 'length' });
  const origin = await start({ agents: [new Agent({ id: 'a', model })] });
  const options = { conversationId: 'c', userId: 'u' };
  const notStored = 'Agent "a" has no memory: the conversation is not stored';
  expect(await answer(origin, 'a/text', { input: 'Go', options })).toMatchObject({
    data: { finishReason: 'length' },
    warnings: [notStored, expect.stringMatching(/^The reply of agent "a" was cut at 4000 tokens/)],
  });
  const stream = await fetch(`${origin}/agents/a/stream`, json({ input: 'Go', options }));
  expect(await stream.text()).toContain(`: ${notStored}\n`);
});
