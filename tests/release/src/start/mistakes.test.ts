import { openai } from '@ai-sdk/openai';
import { ConfigurationError } from '@halyard/contracts';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { mcpClient, mcpTools } from '@halyard/mcp';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';

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
    mistake: 'the name of a tool in other frameworks',
    make: () => createTool(untyped({ id: 'look', description: '' })),
    says: 'createTool has no option "id"; it is called "name"',
  },
  ...['inputSchema', 'parameters'].map((name) => ({
    mistake: `the ${name} of a tool`,
    make: () => createTool(untyped({ name: 'look', description: '', [name]: Type.Object({}) })),
    says: `Tool "look" has no option "${name}"; it is called "input"`,
  })),
  {
    mistake: 'the outputSchema of a tool',
    make: () => createTool(untyped({ name: 'look', description: '', outputSchema: Type.Object({}) })),
    says: 'Tool "look" has no option "outputSchema"; it is called "output"',
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
    mistake: 'the outputSchema of a workflow',
    make: () => createWorkflow(untyped({ id: 'order', outputSchema: Type.Object({}) })),
    says: 'Workflow "order" has no option "outputSchema"; it is called "result"',
  },
  {
    mistake: 'the system prompt of the AI SDK',
    make: () => new Agent(untyped({ id: 'support', model, system: 'Be brief.' })),
    says: 'Agent "support" has no option "system"; it is called "instructions"',
  },
  {
    mistake: 'an unknown option of a memory',
    make: () => createMemory(untyped({ title: true })),
    says: 'createMemory has no option "title". Did you mean "titles"?',
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
