import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, createMemory, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { createClient } from '@hey-api/openapi-ts';
import { Type } from '@sinclair/typebox';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

const run = promisify(execFile);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const compilerOptions = {
  target: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
  strict: true,
  noEmit: true,
};

const order = createWorkflow({
  id: 'order',
  input: Type.Object({ item: Type.String() }),
  resumeSchema: Type.Object({ by: Type.String() }),
  result: Type.Object({ confirmedBy: Type.String() }),
}).andThen({
  id: 'approve',
  execute: ({ resumeData, suspend }) =>
    resumeData === undefined ? suspend('needs approval') : { confirmedBy: resumeData.by },
});

let server: HalyardServer;
let origin: string;
let folder: string;
beforeAll(async () => {
  server = await createServer({
    limits: unreachableLimits,
    agents: [new Agent({ id: 'assistant', model: scriptedModel('Hello.') })],
    workflows: [order],
    memory: createMemory(),
    logger: false,
    signals: false,
  });
  origin = await server.listen({ port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'halyard-sdk-'));
  await createClient({ input: `${origin}/doc`, output: join(folder, 'api'), logs: { level: 'silent' } });
  await Promise.all([
    writeFile(join(folder, 'package.json'), '{"type":"module"}'),
    writeFile(join(folder, 'program.ts'), program),
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] })),
    symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules')),
  ]);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

it('compiles against the functions that @hey-api/openapi-ts creates from the document', async () => {
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect(stdout).toBe('');
});

it('starts, lists and resumes executions, and reads streams', async () => {
  const outfile = join(folder, 'program.js');
  await build({ entryPoints: [join(folder, 'program.ts')], outfile, bundle: true, format: 'esm', platform: 'node' });
  const { stdout } = await run(process.execPath, [outfile, origin]);
  expect(stdout.trim().split('\n')).toEqual([
    'start suspended',
    'list piano',
    'resume ada',
    'follow workflow-start step-start workflow-suspended workflow-result step-complete workflow-complete workflow-result',
    'text Hello.',
    'chat start start-step text-start text-delta text-end finish-step finish [DONE]',
    'stream Hello.',
    'failed once',
    'unknown Agent not found: unknown',
    "invalid body/input must have required property 'item'",
    'deleted org/7',
  ]);
});

const program = `
import { client } from './api/client.gen';
import * as api from './api';
declare const process: { argv: string[] };

client.setConfig({ baseUrl: process.argv[2] ?? '' });
const sseMaxRetryAttempts = 1;

// How events are typed is a matter of the generator.
interface Event { readonly type: string; readonly delta?: string }
async function collect(stream: AsyncIterable<unknown>): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(typeof event === 'string' ? { type: event } : (event as Event));
  return events;
}

const started = await api.executeWorkflowOrder({ body: { input: { item: 'sail' }, options: { executionId: 'piano' } } });
console.log('start', started.data?.data.status);
const list = await api.listExecutions({ query: { workflowId: 'order', status: 'suspended', limit: 5, events: false } });
console.log('list', list.data?.data.map(({ id }) => id).join());
const suspensionId = list.data?.data[0]?.suspension?.suspensionId ?? '';
const resumed = await api.resumeExecutionOrder({
  path: { executionId: 'piano' },
  body: { resumeData: { by: 'ada' }, options: { suspensionId } },
});
console.log('resume', resumed.data?.data.result?.confirmedBy);

const followed = await api.followExecution({ path: { id: 'order', executionId: 'piano' }, sseMaxRetryAttempts });
console.log('follow', ...(await collect(followed.stream)).map(({ type }) => type));

const path = { id: 'assistant' };
const text = await api.generateText({ path, body: { input: 'hi' } });
console.log('text', text.data?.data.text);
const chat = await api.chat({
  path,
  body: { messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }] },
  sseMaxRetryAttempts,
});
console.log('chat', ...(await collect(chat.stream)).map(({ type }) => type));
const answer = await api.streamText({ path, body: { input: 'hi' }, sseMaxRetryAttempts });
console.log('stream', (await collect(answer.stream)).map(({ delta = '' }) => delta).join(''));

let failures = 0;
const none = await api.chat({
  path: { id: 'unknown' },
  body: { prompt: 'hi' },
  sseMaxRetryAttempts,
  onSseError: () => (failures += 1),
});
await collect(none.stream);
console.log('failed', failures === 1 ? 'once' : failures);

const unknown = await api.getAgent({ path: { id: 'unknown' } });
console.log('unknown', unknown.error?.error);
// @ts-expect-error no item
const invalid = await api.executeWorkflowOrder({ body: { input: {} } });
console.log('invalid', invalid.error?.error);

await api.createConversation({ body: { userId: 'org/7' } });
const deleted = await api.deleteUser({ path: { userId: 'org/7' } });
console.log('deleted', deleted.data?.success ? 'org/7' : deleted.error);
`;
