import { Agent, createTool, createWorkflow } from '@halyard/core';
import type { McpServer, ToolModelOutput } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import type { ServerOptions } from '@halyard/server-fastify';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpServer } from './mcp-server.ts';
import { openServer } from './testing/open-server.ts';

const input = { type: 'object' } as const;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const plain = (name: string) => ({ name, description: name, input });

/** A client of version 1 of the official SDK, which most programs use. */
async function connect(server: McpServer, options: ServerOptions = {}): Promise<Client> {
  const origin = await openServer({ mcpServers: [server], ...options });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp/${server.id}`)));
  onTestFinished(() => client.close());
  return client;
}

describe('the content of a result', () => {
  const file = (mediaType: string, data: Extract<ContentItem, { type: 'file' }>['data'], filename?: string) =>
    ({ type: 'file', mediaType, data, ...(filename !== undefined && { filename }) }) as const;
  type ContentItem = Extract<ToolModelOutput, { type: 'content' }>['value'][number];
  const uri = expect.stringMatching(/^tool:\/\/t\/[\w-]+\/1$/);

  it.each<readonly [what: string, item: ContentItem, block: object]>([
    ['an image', file('image/png', { type: 'data', data: png }), { type: 'image', mimeType: 'image/png', data: png }],
    [
      'an image of bytes',
      file('image/jpeg', { type: 'data', data: new Uint8Array([1, 2]) }),
      { type: 'image', mimeType: 'image/jpeg', data: 'AQI=' },
    ],
    [
      'an image of an unnamed kind',
      file('image', { type: 'data', data: png }),
      { type: 'image', mimeType: 'image/png' },
    ],
    ['audio', file('audio/wav', { type: 'data', data: 'UklGRg==' }), { type: 'audio', mimeType: 'audio/wav' }],
    [
      'another file',
      file('application/pdf', { type: 'data', data: 'JVBERg==' }),
      { type: 'resource', resource: { uri, mimeType: 'application/pdf', blob: 'JVBERg==' } },
    ],
    [
      'a text file',
      file('text/csv', { type: 'text', text: 'a,b' }),
      { type: 'resource', resource: { uri, mimeType: 'text/csv', text: 'a,b' } },
    ],
    [
      'a file at a URL',
      file('image/png', { type: 'url', url: new URL('https://x.example/a/b.png') }),
      { type: 'resource_link', uri: 'https://x.example/a/b.png', name: 'b.png', mimeType: 'image/png' },
    ],
    // oxlint-disable-next-line typescript/no-deprecated -- tools may still return the older forms
    ['an older form', { type: 'image-data', data: png, mediaType: 'image/png' }, { type: 'image', data: png }],
    ['a text', { type: 'text', text: 'Hello' }, { type: 'text', text: 'Hello' }],
  ])('has %s of `toModelOutput`, and nothing else', async (_, item, block) => {
    const t = createTool({
      ...plain('t'),
      execute: () => ({ raw: 'x' }),
      toModelOutput: () => ({ type: 'content', value: [item] }),
    });
    const client = await connect(mcpServer({ id: 'x', version: '1', tools: [t] }));
    const result = await client.callTool({ name: 't', arguments: {} });
    expect(result).toMatchObject({ content: [block] });
    expect(result.content).toHaveLength(1);
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('has an error and a text of `toModelOutput`, and the output itself where it is undefined', async () => {
    const outputs: readonly (ToolModelOutput | undefined)[] = [
      { type: 'text', value: 'short' },
      { type: 'json', value: { a: 1 } },
      { type: 'error-text', value: 'no' },
      { type: 'execution-denied', reason: 'not today' },
      undefined,
    ];
    const tools = outputs.map((output, index) =>
      createTool({ ...plain(`t${index}`), execute: () => 'raw', toModelOutput: () => output }),
    );
    const client = await connect(mcpServer({ id: 'x', version: '1', tools }));
    const results = [];
    for (const { name } of tools) results.push(await client.callTool({ name }));
    expect(results).toEqual([
      { content: [{ type: 'text', text: 'short' }] },
      { content: [{ type: 'text', text: '{"a":1}' }] },
      { isError: true, content: [{ type: 'text', text: 'no' }] },
      { isError: true, content: [{ type: 'text', text: 'not today' }] },
      { content: [{ type: 'text', text: 'raw' }] },
    ]);
  });

  it('has the structured output of a tool with a schema, as the protocol requires', async () => {
    const t = createTool({
      ...plain('t'),
      output: { type: 'object', properties: { png: { type: 'string' } } } as const,
      execute: () => ({ png }),
      toModelOutput: () => ({ type: 'content', value: [file('image/png', { type: 'data', data: png })] }),
    });
    const client = await connect(mcpServer({ id: 'x', version: '1', tools: [t] }));
    // The client validates the output by the schema of the list.
    await client.listTools();
    expect(await client.callTool({ name: 't' })).toMatchObject({
      content: [{ type: 'image' }],
      structuredContent: { png },
    });
  });

  it('has no details of an error of `toModelOutput`', async () => {
    const toModelOutput = () => {
      throw new Error('password');
    };
    const t = createTool({ ...plain('t'), execute: () => 'raw', toModelOutput });
    const client = await connect(mcpServer({ id: 'x', version: '1', tools: [t] }));
    expect(await client.callTool({ name: 't' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Tool "t" failed' }],
    });
  });
});

describe('progress', () => {
  const counting = createTool({
    ...plain('counting'),
    async *execute() {
      yield 'one';
      yield { two: 2 };
      yield 'three';
    },
  });
  const order = createWorkflow({ id: 'order', name: 'Order' })
    .andThen({ id: 'reserve', execute: () => 'ok' })
    .andThen({ id: 'pay', execute: () => 'paid' });
  const waiting = createWorkflow({ id: 'waiting', name: 'Waiting' }).andThen({
    id: 'ask',
    execute: ({ suspend }) => suspend('a signature'),
  });
  const agent = new Agent({
    id: 'boss',
    model: scriptedModel({ toolCalls: [{ toolName: 'counting', input: {} }] }, 'Done.'),
    tools: [counting],
  });
  const server = mcpServer({
    id: 'x',
    version: '1',
    agents: [agent],
    tools: [counting],
    workflows: [order, waiting],
  });
  const options = { workflows: [order, waiting] };

  async function progressOf(name: string, given: Record<string, unknown>) {
    const client = await connect(server, options);
    const received: Progress[] = [];
    const result = await client.callTool({ name, arguments: given }, undefined, {
      onprogress: (progress) => received.push(progress),
    });
    return { received, result };
  }

  it('tells each value of a generator', async () => {
    const { received, result } = await progressOf('counting', {});
    expect(received).toEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: '{"two":2}' },
      { progress: 3, message: 'three' },
    ]);
    expect(result).toMatchObject({ content: [{ text: 'three' }] });
  });

  it.each([
    ['order', ['step-start reserve', 'step-complete reserve', 'step-start pay', 'step-complete pay'], 'completed'],
    ['waiting', ['step-start ask'], 'suspended'],
  ])('tells the steps of the workflow %s', async (id, messages, status) => {
    const { received, result } = await progressOf(`run_${id}`, {});
    expect(received.map(({ message }) => message)).toEqual(messages);
    expect(received.map(({ progress }) => progress)).toEqual(messages.map((_, index) => index + 1));
    expect(result).toMatchObject({ structuredContent: { status } });
  });

  it('tells the steps and tool calls of an agent', async () => {
    const { received, result } = await progressOf('ask_boss', { task: 'Count' });
    const messages = received.map(({ message }) => message);
    expect(new Set(messages)).toEqual(
      new Set(['start-step', 'finish-step', 'tool-call counting', 'tool-result counting']),
    );
    expect(result).toMatchObject({ content: [{ text: 'Done.' }] });
  });

  it('is not sent to a client that did not ask for it', async () => {
    const origin = await openServer({ mcpServers: [server], ...options });
    for (const name of ['counting', 'run_order', 'ask_boss']) {
      const params = { name, arguments: { task: 'Count' } };
      const reply = await fetch(`${origin}/mcp/x`, {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const body = await reply.text();
      expect(body).toContain('"content"');
      expect(body).not.toContain('notifications/progress');
    }
  });
});

describe('tools that need an approval', () => {
  const always = createTool({ ...plain('always'), needsApproval: true, execute: () => 'done' });
  const never = createTool({ ...plain('never'), needsApproval: false, execute: () => 'done' });
  const asks = createTool({ ...plain('asks'), needsApproval: () => true, execute: () => 'done' });

  it('are not listed if each of their calls needs one', async () => {
    const server = mcpServer({ id: 'x', version: '1', tools: [always, never, asks] });
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['never', 'asks']);
    expect((await server.listTools()).map(({ name }) => name)).toEqual(['never', 'asks']);
  });

  it('say why they cannot be called', async () => {
    const client = await connect(mcpServer({ id: 'x', version: '1', tools: [always] }));
    expect(await client.callTool({ name: 'always' })).toMatchObject({
      isError: true,
      content: [{ text: 'Tool "always" needs a person\'s approval, which cannot be given over MCP' }],
    });
  });
});
