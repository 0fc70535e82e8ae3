import { AbortedError, ConfigurationError, TimeLimitError } from '@halyard/contracts';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { McpServerUnavailableError } from './errors.ts';
import { mcpClient, type McpClientOptions } from './mcp-client.ts';
import { mcpTools } from './mcp-tools.ts';
import { listen } from './testing/outside-server.ts';

function open(options: McpClientOptions) {
  const client = mcpClient(options);
  onTestFinished(() => client.close());
  return client;
}

async function listening(port?: number) {
  const server = await listen(port);
  onTestFinished(() => server.close());
  return server;
}

/** An agent whose model calls `toolName` and then answers. */
async function callerOf(client: ReturnType<typeof mcpClient>, toolName: string, input: object = {}) {
  const model = scriptedModel({ toolCalls: [{ toolName, input }] }, 'done');
  const agent = new Agent({ id: 'caller', model, tools: await mcpTools(client) });
  return { agent, model };
}

it('gives an agent the tools of a server that is reached over HTTP', async () => {
  const server = await listening();
  const client = open({ id: 'outside', url: server.url });
  expect(client.version).toBeNull();
  const { agent } = await callerOf(client, 'add', { a: 20, b: 3 });
  const { toolResults } = await agent.generateText('What is 20 + 3?');
  expect(toolResults).toMatchObject([{ toolName: 'add', output: '23' }]);
  expect(client).toMatchObject({ version: '3.2.1', transport: 'streamable-http' });
});

it('sends the image of a tool to the model as an image', async () => {
  const { agent, model } = await callerOf(open({ id: 'outside', url: (await listening()).url }), 'draw');

  await agent.generateText('Draw a dot');

  const image = { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: expect.stringMatching(/^R0lG/) } };
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ output: { type: 'content', value: [{ type: 'text', text: 'A dot:' }, image] } }],
  });
});

it('does not expose the query of a URL, which may contain keys', async () => {
  const client = open({ id: 'outside', url: 'https://me:pass@mcp.example.com/v1?key=secret' });
  expect(client.url).toBe('https://mcp.example.com/v1');
});

it('sends the error of a failed tool to the model, and refuses invalid arguments before the server receives them', async () => {
  const client = open({ id: 'outside', url: (await listening()).url });
  const failing = await callerOf(client, 'fail');
  await failing.agent.generateText('Try');
  expect(JSON.stringify(failing.model.calls[1]?.prompt)).toContain('the disk is full');
  const wrong = await callerOf(client, 'add', { a: 'two', b: 3 });
  await wrong.agent.generateText('Try');
  expect(JSON.stringify(wrong.model.calls[1]?.prompt)).toContain('must be number');
});

it('adapts the names of tools, adds a prefix, and applies the filter', async () => {
  const client = open({ id: 'outside', url: (await listening()).url });
  const tools = await mcpTools(client, { prefix: 'out_', filter: ({ name }) => name.startsWith('odd') });
  expect(tools.map(({ name }) => name)).toEqual(['out_odd_name']);
  const asking = await mcpTools(client, { needsApproval: true });
  expect(asking.every(({ approval }) => approval === true)).toBe(true);
});

it('cancels the call on the server when the run is aborted', async () => {
  const server = await listening();
  const { agent } = await callerOf(open({ id: 'outside', url: server.url }), 'hang');
  const controller = new AbortController();
  const run = agent.generateText('Wait', { signal: controller.signal });
  await server.hanging.begun.promise;
  controller.abort();
  await expect(run).rejects.toThrow(AbortedError);
  await server.hanging.stopped.promise;
});

it('ends a call that takes too long', async () => {
  const client = open({ id: 'outside', url: (await listening()).url, requestTimeoutMs: 50 });
  await expect(client.callTool('hang', {})).rejects.toThrow(TimeLimitError);
});

it('reports a server that cannot be reached, and connects once it is available', async () => {
  const first = await listen();
  const client = open({ id: 'outside', url: first.url });
  await client.listTools();
  await first.close();
  await expect(client.listTools()).rejects.toThrow(McpServerUnavailableError);
  await expect(client.callTool('add', { a: 1, b: 1 })).rejects.toThrow('MCP server "outside" cannot be reached');
  await listening(first.port);
  expect(await client.callTool('add', { a: 1, b: 1 })).toMatchObject({ content: [{ text: '2' }] });
});

it('reports a program that cannot be started', async () => {
  await expect(open({ id: 'none', command: '/nowhere/program' }).listTools()).rejects.toThrow(
    McpServerUnavailableError,
  );
});

it('refuses invalid ids and URLs', () => {
  expect(() => mcpClient({ id: 'a b', command: 'x' })).toThrow(ConfigurationError);
  expect(() => mcpClient({ id: 'servers', command: 'x' })).toThrow(ConfigurationError);
  expect(() => mcpClient({ id: 'a', url: 'file:///etc' })).toThrow(ConfigurationError);
});
