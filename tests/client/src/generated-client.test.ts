import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

const dice = createTool({
  name: 'dice',
  description: 'Rolls dice',
  input: Type.Object({ count: Type.Integer() }),
  execute: ({ count }) => count * 3,
});

let server: HalyardServer;
let origin: string;
let folder: string;
beforeAll(async () => {
  server = await createServer({
    agents: [new Agent({ id: 'assistant', model: scriptedModel('Hello.'), tools: [dice] })],
    logger: false,
    signals: false,
  });
  server.app.get(
    '/orders/:id',
    { schema: { response: { 200: Type.Object({ total: Type.Number() }, { additionalProperties: false }) } } },
    () => ({ total: 5 }),
  );
  origin = await server.listen({ port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'halyard-client-'));
  const document = (await (await fetch(`${origin}/doc`)).json()) as OpenAPI3;
  const types = astToString(await openapiTypescript(document));
  await Promise.all([
    writeFile(join(folder, 'package.json'), '{"type":"module"}'),
    writeFile(join(folder, 'api.ts'), types),
    writeFile(join(folder, 'client.ts'), program),
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] })),
    symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules')),
  ]);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

it('compiles against the types that a generator creates from the document', async () => {
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect(stdout).toBe('');
});

it('receives replies that match the types', async () => {
  const { stdout } = await run(process.execPath, [join(folder, 'client.ts'), origin]);
  expect(stdout.trim().split('\n')).toEqual([
    'assistant: dice',
    'Hello. (stop)',
    'Agent not found: unknown',
    '6',
    'start start-step text-start text-delta text-end finish-step finish',
    'Hello.',
    'total 5',
  ]);
});

/** A program that uses the generated types. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

type AgentEvent = components['schemas']['AgentEvent'];
type StreamData = paths['/agents/{id}/stream']['post']['responses'][200]['content']['text/event-stream'];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
declare const process: { argv: string[] };

const agents = await client.GET('/agents');
for (const agent of agents.data?.data ?? []) console.log(agent.id + ': ' + agent.tools.join());

const id = 'assistant';
const text = await client.POST('/agents/{id}/text', {
  params: { path: { id } },
  body: { input: [{ role: 'user', content: 'hi' }], options: { temperature: 0, memory: null } },
});
if (text.data) console.log(text.data.data.text + ' (' + text.data.data.finishReason + ')');

const missing = await client.GET('/agents/{id}', { params: { path: { id: 'unknown' } } });
if (missing.error) console.log(missing.error.error);

const rolled = await client.POST('/tools/{name}/execute', {
  params: { path: { name: 'dice' } },
  body: { input: { count: 2 } },
});
console.log(rolled.data?.data.result);

const stream = await client.POST('/agents/{id}/stream', {
  params: { path: { id } },
  body: { input: 'hi' },
  parseAs: 'text',
});
const events = String(stream.data)
  .split('\\n\\n')
  .filter(Boolean)
  .map((frame) => JSON.parse(frame.slice('data: '.length)) as StreamData);
console.log(events.map(({ type }) => type).join(' '));
console.log(events.map(describe).join(''));

function describe(event: AgentEvent): string {
  switch (event.type) {
    case 'text-delta':
      return event.delta;
    case 'finish':
      // @ts-expect-error a finish event has no text
      return event.delta ?? '';
    default:
      return '';
  }
}

const order = await client.GET('/orders/{id}', { params: { path: { id: '1' } } });
console.log('total ' + order.data?.total);

// Invalid requests do not compile.
export const mistakes = () => [
  // @ts-expect-error no such path
  client.GET('/agent'),
  // @ts-expect-error no input
  client.POST('/agents/{id}/text', { params: { path: { id } }, body: {} }),
  // @ts-expect-error no such role
  client.POST('/agents/{id}/text', { params: { path: { id } }, body: { input: [{ role: 'unknown', content: 'hi' }] } }),
  // @ts-expect-error no such finish reason
  text.data?.data.finishReason === 'bored',
];
`;
