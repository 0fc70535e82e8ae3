import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

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

// Names that are keywords elsewhere, a recursive reference, and a condition.
const odd = createTool({
  name: 'odd',
  description: 'Counts the nodes of a tree',
  input: {
    type: 'object',
    properties: {
      if: { type: 'string' },
      $ref: { type: 'integer' },
      tree: { $ref: '#node' },
    },
    required: ['if', 'tree'],
    if: { required: ['$ref'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { if: { minLength: 1 } } },
    $defs: {
      const: {
        $anchor: 'node',
        type: 'object',
        properties: { next: { $ref: '#/$defs/const' }, value: { type: 'integer' } },
        examples: [{ $ref: 'x' }],
      },
    },
  },
  execute: (input) => JSON.stringify(input).split('next').length,
});

const Item = Type.Recursive((This) => Type.Object({ name: Type.String(), parts: Type.Array(This) }), { $id: 'Item' });
const order = createWorkflow({
  id: 'order',
  purpose: 'Takes an order',
  input: Type.Object({ item: Item, total: Type.Number() }),
  resumeSchema: Type.Object({ by: Type.String() }),
  result: Type.Object({ confirmedBy: Type.String() }),
}).andThen({
  id: 'approve',
  execute: ({ resumeData, suspend }) =>
    resumeData === undefined ? suspend('needs approval') : { confirmedBy: resumeData.by },
});
const echo = createWorkflow({ id: 'echo:1', input: Type.Object({ text: Type.String() }) }).andThen({
  id: 'say',
  execute: ({ data }) => data,
});

let server: HalyardServer;
let origin: string;
let folder: string;
beforeAll(async () => {
  server = await createServer({
    limits: unreachableLimits,
    agents: [new Agent({ id: 'assistant', model: scriptedModel('Hello.'), tools: [dice, odd] })],
    workflows: [order, echo],
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
    'assistant: dice,odd',
    'Hello. (stop)',
    'Agent not found: unknown',
    '6',
    'start start-step text-start text-delta text-end finish-step finish',
    'Hello.',
    'total 5',
    'suspended null',
    'completed ada',
    'input sail',
    'dice 9',
    'odd 3',
    'echo completed',
    'catalog: assistant, order, echo:1, dice, odd',
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

const started = await client.POST('/workflows/order/execute', {
  body: { input: { item: { name: 'sail', parts: [{ name: 'rope', parts: [] }] }, total: 5 }, options: { executionId: 'o1' } },
});
console.log(started.data?.data.status + ' ' + started.data?.data.result);

const resumed = await client.POST('/workflows/order/executions/{executionId}/resume', {
  params: { path: { executionId: 'o1' } },
  body: { resumeData: { by: 'ada' } },
});
const run = resumed.data?.data;
if (run?.status === 'completed') console.log(run.status + ' ' + run.result.confirmedBy);

const state = await client.GET('/workflows/order/executions/{executionId}', { params: { path: { executionId: 'o1' } } });
console.log('input ' + state.data?.data.input.item.name);

const dice = await client.POST('/tools/dice/execute', { body: { input: { count: 3 } } });
console.log('dice ' + dice.data?.data.result);

const counted = await client.POST('/tools/odd/execute', {
  body: { input: { if: 'a', $ref: 1, tree: { next: { next: {} } } } },
});
console.log('odd ' + counted.data?.data.result);

const echoed = await client.POST('/workflows/echo:1/execute', { body: { input: { text: 'hi' } } });
console.log('echo ' + (echoed.data?.data.status ?? JSON.stringify(echoed.error)));

const catalog = (await client.GET('/api/catalog')).data?.data;
const callable = [...(catalog?.agents ?? []), ...(catalog?.workflows ?? [])].map(({ id }) => id);
console.log('catalog: ' + [...callable, ...(catalog?.tools ?? []).map(({ name }) => name)].join(', '));

// Invalid requests do not compile.
export const mistakes = () => [
  // @ts-expect-error no such path
  client.GET('/agent'),
  // @ts-expect-error no input
  client.POST('/agents/{id}/text', { params: { path: { id } }, body: {} }),
  // @ts-expect-error no such role
  client.POST('/agents/{id}/text', { params: { path: { id } }, body: { input: [{ role: 'unknown', content: 'hi' }] } }),
  // @ts-expect-error the total is a number
  client.POST('/workflows/order/execute', { body: { input: { item: { name: 'sail', parts: [] }, total: '5' } } }),
  // @ts-expect-error the part of a part has a name
  client.POST('/workflows/order/execute', { body: { input: { item: { name: 'x', parts: [{ parts: [] }] }, total: 5 } } }),
  client.POST('/workflows/order/executions/{executionId}/resume', {
    params: { path: { executionId: 'o1' } },
    // @ts-expect-error it is resumed by somebody
    body: { resumeData: {} },
  }),
  // @ts-expect-error only a completed execution has a result
  run?.status === 'suspended' && run.result.confirmedBy,
  // @ts-expect-error the result has no such field
  resumed.data?.data.result?.total,
  // @ts-expect-error the dice are counted
  client.POST('/tools/dice/execute', { body: { input: { count: 'three' } } }),
  // @ts-expect-error the values of a tree are numbers
  client.POST('/tools/odd/execute', { body: { input: { if: 'a', tree: { next: { value: 'x' } } } } }),
  // @ts-expect-error no item
  client.POST('/workflows/order/stream', { body: { input: {} } }),
  // A workflow that is chosen at run time.
  client.POST('/workflows/{id}/execute', { params: { path: { id } }, body: { input: { anything: 1 } } }),
  // @ts-expect-error no such finish reason
  text.data?.data.finishReason === 'bored',
];
`;
