import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openai } from '@ai-sdk/openai';
import { ConfigurationError } from '@halyard/contracts';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { mcpClient, mcpTools } from '@halyard/mcp';
import { createPgVectorStore } from '@halyard/memory-pgvector';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createPgBossQueue } from '@halyard/queue-pg-boss';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import { type EndedApp, startApp } from './start-app.ts';

const model = scriptedModel('Hello.');
/** As JavaScript passes options: without the compiler's checks. */
const untyped = (options: object): never => options as never;

it.each<{ readonly mistake: string; readonly make: () => unknown; readonly says: string }>([
  {
    mistake: 'an unknown option of an agent',
    make: () => new Agent(untyped({ id: 'support', model, tool: [] })),
    says: 'Agent "support" has no option "tool". Did you mean "tools"?',
  },
  {
    mistake: 'an unknown time limit of an agent',
    make: () => new Agent(untyped({ id: 'support', model, timeouts: { totalMS: 1 } })),
    says: '`timeouts` of agent "support" has no option "totalMS". Did you mean "totalMs"?',
  },
  {
    mistake: 'an agent without a model',
    make: () => new Agent(untyped({ id: 'support' })),
    says: 'Agent "support" needs a `model`, such as openai(\'gpt-5-mini\')',
  },
  {
    mistake: 'the name of a model instead of a model',
    make: () => new Agent(untyped({ id: 'support', model: 'gpt-5-mini' })),
    says: "The model \"gpt-5-mini\" is an id, and there are no `providers` to find it in. Pass a model, such as openai('gpt-5-mini'), or the agent's option `providers: createProviderRegistry({ openai })`",
  },
  {
    mistake: 'an object that is no model, without its API key',
    make: () => new Agent(untyped({ id: 'support', model: { apiKey: 'topsecret', modelId: 'gpt-5-mini' } })),
    says: 'The model of agent "support" must be an AI SDK language model of interface version 2, 3 or 4, such as openai(\'gpt-5-mini\'), not an object without `specificationVersion`',
  },
  {
    mistake: 'a model of an old interface version among others',
    make: () => new Agent(untyped({ id: 'support', model: [model, { specificationVersion: 'v1' }] })),
    says: 'The model of agent "support" must be an AI SDK language model of interface version 2, 3 or 4, such as openai(\'gpt-5-mini\'), not an object of version v1',
  },
  {
    mistake: 'a missing model among others',
    make: () => new Agent(untyped({ id: 'support', model: [model, undefined] })),
    says: 'The model of agent "support" must be an AI SDK language model of interface version 2, 3 or 4, such as openai(\'gpt-5-mini\'), not undefined',
  },
  {
    mistake: 'an unknown option of a tool',
    make: () => createTool(untyped({ name: 'look', description: '', inputs: Type.Object({}) })),
    says: 'Tool "look" has no option "inputs". Did you mean "input"?',
  },
  {
    mistake: 'a tool without a schema',
    make: () => createTool(untyped({ name: 'look', description: '' })),
    says: 'Tool "look" needs an `input`: a schema of its arguments, such as Type.Object({})',
  },
  {
    mistake: 'an unknown option of a workflow',
    make: () => createWorkflow(untyped({ id: 'order', resumeSchemas: Type.Object({}) })),
    says: 'Workflow "order" has no option "resumeSchemas". Did you mean "resumeSchema"?',
  },
  {
    mistake: 'an unknown option of a memory',
    make: () => createMemory(untyped({ title: true })),
    says: 'createMemory has no option "title". Did you mean "titles"?',
  },
  {
    mistake: 'an unknown option of the working memory',
    make: () => createMemory(untyped({ workingMemory: { scop: 'user' } })),
    says: '`workingMemory` of createMemory has no option "scop". Did you mean "scope"?',
  },
  {
    mistake: 'an unknown option of a server',
    make: () => createServer(untyped({ agent: [] })),
    says: 'createServer has no option "agent". Did you mean "agents"?',
  },
  {
    mistake: 'an unknown option of access control',
    make: () => createServer(untyped({ auth: { providers: [] } })),
    says: 'The option `auth` has no option "providers". Did you mean "provider"?',
  },
  {
    mistake: 'an agent instead of a list of agents',
    make: () => createServer(untyped({ agents: new Agent({ id: 'support', model }) })),
    says: 'The option `agents` must be a list or a record: [agent] or { agent }',
  },
  {
    mistake: 'a port that is not a number',
    make: () => createServer(untyped({ port: '80a' })),
    says: 'The option `port` must be a whole number from 0 to 65535, not "80a"',
  },
  {
    mistake: 'a storage without a place',
    make: () => createPostgresStorage(untyped({})),
    says: 'createPostgresStorage needs one of the options `connectionString`, `pool` and `dataDir`',
  },
  {
    mistake: 'a storage in two places',
    make: () => createPostgresStorage(untyped({ dataDir: '.halyard', connectionString: 'postgres://localhost/shop' })),
    says: 'createPostgresStorage needs one of the options `connectionString`, `pool` and `dataDir`, not both `connectionString` and `dataDir`',
  },
  {
    mistake: 'an unknown option of a storage',
    make: () => createPostgresStorage(untyped({ connectionstring: 'postgres://localhost/shop' })),
    says: 'createPostgresStorage has no option "connectionstring". Did you mean "connectionString"?',
  },
  {
    mistake: 'an unknown option of a vector store',
    make: () => createPgVectorStore(untyped({ dataDir: '.halyard', dimension: 3 })),
    says: 'createPgVectorStore has no option "dimension". Did you mean "dimensions"?',
  },
  {
    mistake: 'an unknown option of a work queue',
    make: () => createPgBossQueue(untyped({ connectionString: 'postgres://localhost/shop', concurency: 3 })),
    says: 'createPgBossQueue has no option "concurency". Did you mean "concurrency"?',
  },
])('reports $mistake', async ({ make, says }) => {
  const made = async (): Promise<unknown> => make();
  await expect(made()).rejects.toThrow(new ConfigurationError(says));
});

it.each([
  [
    'a program that is not installed',
    { command: 'no-such-program' },
    'MCP server "files" cannot be reached with the command "no-such-program": spawn no-such-program ENOENT',
  ],
  [
    'an address where nothing listens',
    { url: 'http://127.0.0.1:59998/mcp' },
    'MCP server "files" cannot be reached at http://127.0.0.1:59998/mcp: connect ECONNREFUSED 127.0.0.1:59998',
  ],
])('names the reason when an MCP server is %s', async (_mistake, at, says) => {
  const client = mcpClient({ id: 'files', ...at });
  await expect(mcpTools(client)).rejects.toThrow(says);
  await client.close();
});

it('names the variable of a missing key in the answer of the model', async () => {
  vi.stubEnv('OPENAI_API_KEY', undefined);
  const agent = new Agent({ id: 'support', model: openai('gpt-5-mini') });
  await expect(agent.generateText('Hello')).rejects.toMatchObject({
    code: 'MODEL_KEY_MISSING',
    message:
      'The model of agent "support" has no API key: set the environment variable OPENAI_API_KEY, and start again',
  });
  vi.unstubAllEnvs();
});

const serve = `
  import { createServer } from '@halyard/server-fastify';
  const server = await createServer();
  await server.listen();
`;

/** The code of an app whose storage has these options. */
function serveWith(storage: string): string {
  return `
    import { createServer } from '@halyard/server-fastify';
    import { createPostgresStorage } from '@halyard/memory-postgres';
    const server = await createServer({ port: 0, storage: createPostgresStorage(${storage}) });
    await server.listen();
  `;
}

/** Code that makes a package look as if it was not installed. */
function without(name: string): string {
  return `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (specifier, context, next) => next(specifier === '${name}' ? 'not-installed' : specifier, context),
    });
  `;
}

it.each<{ readonly mistake: string; readonly app: string; readonly env?: NodeJS.ProcessEnv; readonly says: string }>([
  {
    mistake: 'a variable PORT that is not a port',
    app: serve,
    env: { PORT: '3000a' },
    says: 'The environment variable PORT must be a whole number from 0 to 65535, not "3000a"',
  },
  {
    mistake: 'a variable HOST that is not an address of the machine',
    app: serve,
    env: { HOST: '192.0.2.1', PORT: '0' },
    says: '"192.0.2.1" is not an address of this machine. Set the option `host` or the environment variable HOST to one, such as 127.0.0.1, or 0.0.0.0 for all addresses',
  },
  {
    mistake: 'an embedded database without its package',
    app: `${without('@electric-sql/pglite')} ${serveWith("{ dataDir: '/nowhere/halyard' }")}`,
    says: 'A database in a directory (`dataDir`) needs the package @electric-sql/pglite: npm install @electric-sql/pglite',
  },
  {
    mistake: 'a database on a server without its driver',
    app: `${without('pg')} ${serveWith("{ connectionString: 'postgres://127.0.0.1/shop' }")}`,
    says: 'A database on a server (`connectionString`) needs the package pg: npm install pg',
  },
  {
    mistake: 'a directory that cannot be written',
    app: serveWith("{ dataDir: '/dev/null/halyard' }"),
    says: "The embedded database cannot write to /dev/null/halyard: ENOTDIR: not a directory, mkdir '/dev/null/halyard'. Choose a `dataDir` that this user can write to",
  },
])('ends the process with a sentence for $mistake', async ({ app, env, says }) => {
  expect(reported(await startApp(app, env))).toEqual({ code: 1, sentence: says, noise: [] });
});

it('ends the process with a sentence for a port in use', async () => {
  const other = createNetServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const ended = await startApp(serve, { PORT: String(port) });
  other.close();
  expect(reported(ended)).toMatchObject({
    code: 1,
    sentence: `Port ${port} on 127.0.0.1 is in use. Stop the process that listens there, or choose another port with the option \`port\` or the environment variable PORT`,
    noise: [],
  });
});

/** What a person reads: the sentence, and what should not be there: source lines, fields, frames of Node. */
function reported({ code, stderr }: EndedApp): { code: number | null; sentence: string | undefined; noise: string[] } {
  return {
    code,
    sentence: /^ConfigurationError: (.*)$/m.exec(stderr)?.[1],
    noise: stderr.match(/throw new|isHalyardError|\[cause\]|\(node:/g) ?? [],
  };
}

/** Files of PGlite with the version of another PostgreSQL. */
it('ends the process with a sentence for a directory of another version', { timeout: 60_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-start-'));
  const storage = createPostgresStorage({ dataDir });
  await storage.opened?.();
  const used = await startApp(serveWith(JSON.stringify({ dataDir })));
  await storage.close();
  writeFileSync(join(dataDir, 'database/PG_VERSION'), '12\n');
  const old = await startApp(serveWith(JSON.stringify({ dataDir })));
  rmSync(dataDir, { recursive: true });

  expect(reported(used)).toEqual({
    code: 1,
    sentence: `The embedded database in ${dataDir} is in use by process ${process.pid}: stop it, choose another dataDir, or use a PostgreSQL server (connectionString)`,
    noise: [],
  });
  expect(reported(old)).toEqual({ code: 1, sentence: expect.stringContaining('cannot be opened: '), noise: [] });
});
