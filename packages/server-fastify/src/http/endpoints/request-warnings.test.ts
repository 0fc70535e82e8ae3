import { createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { afterEach, expect, it, vi } from 'vitest';
import type { ServerOptions } from '../../server-options.ts';
import { agents, plain } from '../../testing/generation.ts';
import { json, serve, type Served } from '../../testing/serve.ts';

const workflow = createWorkflow({
  id: 'order',
  name: 'Order',
  purpose: '',
  input: Type.Object({ price: Type.Number() }),
});

let server: Served;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function serveIn(mode: string, options: ServerOptions = {}): Promise<void> {
  vi.stubEnv('NODE_ENV', mode);
  server = await serve([], { agents, workflows: [workflow], ...options });
}

async function reply(path: string, body: unknown): Promise<string> {
  return (await fetch(`${server.origin}${path}`, json(body))).text();
}

const misspelt = { input: 'hi', options: { temprature: 0.2, memory: { options: { readonly: true } } }, stream: true };
const warnings = [
  'body has no option "stream". Its options are input, options',
  'body/options has no option "temprature". Did you mean "temperature"?',
  'body/options/memory/options has no option "readonly". Did you mean "readOnly"?',
];

it('names unknown options and the nearest known ones in development', async () => {
  await serveIn('development');
  expect(JSON.parse(await reply('/agents/plain/text', misspelt))).toEqual({
    success: true,
    data: expect.objectContaining({ text: 'Hi "you"' }),
    warnings,
  });
  expect(plain.calls.at(-1)).not.toHaveProperty('temprature');
  expect(plain.calls.at(-1)).not.toHaveProperty('stream');
});

it.each<readonly [string, object, string]>([
  [
    '/agents/object/object',
    { input: 'x', schema: { type: 'object' }, option: {} },
    'body has no option "option". Did you mean "options"?',
  ],
  [
    '/workflows/order/execute',
    { input: { price: 1, other: 2 }, options: { userid: 'ada', context: { any: 1 } } },
    'body/options has no option "userid". Did you mean "userId"?',
  ],
  [
    '/tools/getWeather/execute',
    { input: { city: 'Rome', other: 1 }, contxt: {} },
    'body has no option "contxt". Did you mean "context"?',
  ],
])('names them in the reply of %s', async (path, body, warning) => {
  await serveIn('development');
  expect(JSON.parse(await reply(path, body))).toMatchObject({ success: true, warnings: [warning] });
});

it('sends no list for a request without unknown options, whatever its messages and free objects contain', async () => {
  await serveIn('development');
  const input = [{ role: 'user', parts: [{ type: 'text', text: 'hi', own: 1 }], own: 1 }];
  const options = { context: { any: 1 }, providerOptions: { openai: { any: 1 } }, memory: null };
  expect(JSON.parse(await reply('/agents/plain/text', { input, options }))).not.toHaveProperty('warnings');
});

it.each(['stream', 'chat'])('begins the events of /%s with comments, which clients ignore', async (route) => {
  await serveIn('development');
  const body = { input: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }], options: misspelt.options };
  const [first, second, third] = (await reply(`/agents/plain/${route}`, body)).split('\n\n');
  expect([first, second]).toEqual(warnings.slice(1).map((warning) => `: ${warning}`));
  expect(third).toMatch(/^data: /);
});

it('keeps a comment on one line, whatever the name of the option contains', async () => {
  await serveIn('development');
  const [first, second] = (await reply('/agents/plain/stream', { input: 'hi', 'a\ndata: {}\r\n\n': 1 })).split('\n\n');
  expect(first).toMatch(/^: body has no option "a data: \{\} "[^\r\n]*$/);
  expect(second).toMatch(/^data: /);
});

it('logs them in development', async () => {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  await serveIn('development', { logger: { level: 'warn', stream } });
  await reply('/agents/plain/text', misspelt);
  expect(lines).toMatchObject([{ level: 40, warnings, msg: 'the request has unknown options, which are ignored' }]);
});

it.each(['production', 'test'])('says nothing about them if NODE_ENV is %s', async (mode) => {
  await serveIn(mode);
  expect(JSON.parse(await reply('/agents/plain/text', misspelt))).not.toHaveProperty('warnings');
  expect(await reply('/agents/plain/stream', misspelt)).toMatch(/^data: /);
});
