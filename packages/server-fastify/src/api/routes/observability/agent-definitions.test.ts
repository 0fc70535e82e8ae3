import { Agent, type AgentOptions } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { afterEach, expect, it } from 'vitest';
import { serve, type Served, type ServedOptions } from '../../../testing/serve.ts';

let server: Served | undefined;
afterEach(() => server?.close());

async function read(
  own: Partial<AgentOptions>,
  options: ServedOptions = {},
  headers: Record<string, string> = {},
): Promise<unknown> {
  await server?.close();
  server = await serve([], { agents: [new Agent({ id: 'a', model: scriptedModel('Hello.'), ...own })], ...options });
  const response = await fetch(`${server.origin}/observability/agents/a`, { headers });
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly data: unknown }).data;
}

it.each([
  ['a text', 'Be brief.', 'Be brief.'],
  ['none', undefined, ''],
  ['a message', { role: 'system', content: 'Be brief.' } as const, 'Be brief.'],
  [
    'messages',
    ['Be brief.', 'Be kind.'].map((content) => ({ role: 'system' as const, content })),
    'Be brief.\n\nBe kind.',
  ],
  ['a function', () => 'Be brief.', null],
])('shows the instructions: %s', async (_, instructions, shown) => {
  expect(await read({ ...(instructions && { instructions }) })).toMatchObject({ id: 'a', instructions: shown });
});

it('tells where the settings of model calls come from', async () => {
  const headers = { authorization: 'secret' };
  const { settings } = (await read({ generation: { temperature: 0, topP: null, headers } })) as { settings: unknown };
  expect(settings).toEqual([
    { name: 'temperature', value: 0, origin: 'agent' },
    { name: 'topP', value: null, origin: 'agent' },
    { name: 'maxOutputTokens', value: 4000, origin: 'default' },
    { name: 'frequencyPenalty', value: 0, origin: 'default' },
    { name: 'presencePenalty', value: 0, origin: 'default' },
  ]);
  expect(await read({ generation: 'provider-defaults' })).toMatchObject({ settings: [] });
  expect(await read({}, { generation: 'provider-defaults' })).toMatchObject({ settings: [] });
});

it('shows no instructions to a user, who reads traces in legacy mode', async () => {
  const provider = { type: 'names', verifyToken: (id: string) => ({ id }) };
  const auth = { mode: 'legacy', provider, consoleKey: 'the key of the console' } as const;
  const own = { instructions: 'The code is 1234.' };
  expect(await read(own, { auth }, { authorization: 'Bearer ada' })).toMatchObject({ instructions: null });
  expect(await read(own, { auth }, { 'x-console-access-key': auth.consoleKey })).toMatchObject(own);
});
