import { ConfigurationError } from '@halyard/contracts';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mcpClient, type McpClientOptions } from './mcp-client.ts';
import { mcpTools } from './mcp-tools.ts';
import { listenPlain } from './testing/plain-server.ts';

afterEach(() => vi.restoreAllMocks());

const object = (properties: object) => ({ type: 'object', properties });
const good = { name: 'good', inputSchema: object({}) };

async function open(
  tools: readonly object[],
  options: Partial<Extract<McpClientOptions, { url: unknown }>> = {},
  serverOptions: { readonly refusesCalls?: boolean } = {},
) {
  const server = await listenPlain(tools, serverOptions);
  const client = mcpClient({ id: 'plain', url: server.url, ...options });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, server };
}

describe('a schema of an outside server', () => {
  it.each([
    ['an escaped colon', '^https\\:\\/\\/', 'https://x', 'x'],
    ['an escaped hyphen', '^\\d{3}\\-\\d{4}$', '555-1234', '5551234'],
    ['a hyphen in a class', '^[\\w-\\.]+$', 'a-b.c', 'a b'],
  ])('validates by a pattern that the flag `u` refuses: %s', async (_, pattern, fits, unfit) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { client } = await open([{ name: 't', inputSchema: object({ a: { type: 'string', pattern } }) }]);
    const [tool] = await mcpTools(client);
    expect(await tool?.input.validate({ a: fits }, 'input')).toMatchObject({ ok: true });
    expect(await tool?.input.validate({ a: unfit }, 'input')).toMatchObject({ ok: false });
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    ['a pattern of Python', object({ a: { type: 'string', pattern: '(?P<year>\\d{4})' } })],
    ['draft 4', object({ n: { type: 'integer', minimum: 0, exclusiveMinimum: true } })],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/Missing' } })],
    ['a reference to another document', object({ a: { $ref: 'https://example.org/schema.json' } })],
    ['`nullable` without a type', object({ a: { nullable: true, enum: ['x'] } })],
    ['a type that does not exist', object({ a: { type: 'float' } })],
    ['`required` in a property', object({ a: { type: 'string', required: true } })],
  ])('reaches the model as it is if it cannot be compiled, with one warning: %s', async (_, inputSchema) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { client } = await open([good, { name: 'odd', inputSchema }]);
    const tools = await mcpTools(client);
    expect(tools.map(({ name }) => name)).toEqual(['good', 'odd']);
    expect(tools[1]?.input).toMatchObject({ jsonSchema: inputSchema, isClosed: false });
    expect(await tools[1]?.input.validate({ a: 1 }, 'input')).toEqual({ ok: true, value: { a: 1 } });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/^MCP server "plain", tool "odd": .*(?:cannot be compiled|is not valid JSON Schema)/),
      'HalyardMcpWarning',
    );
  });
});

describe('a session that the server has ended', () => {
  it('begins again, and the call runs once', async () => {
    const { client, server } = await open([good]);
    await client.callTool('good', {});
    server.forgetSessions();
    expect(await client.callTool('good', {})).toMatchObject({ content: [{ text: 'ok' }] });
    expect(server.calls()).toBe(2);
  });

  it('begins again once only', async () => {
    const { client, server } = await open([good], {}, { refusesCalls: true });
    await expect(client.callTool('good', {})).rejects.toMatchObject({ code: 'MCP_SERVER_UNAVAILABLE' });
    expect(new Set(server.headers.map((sent) => sent['mcp-session-id']))).toEqual(
      new Set([undefined, 'session-1', 'session-2']),
    );
  });
});

describe('headers', () => {
  it('may be a function, which is called for each request', async () => {
    let requests = 0;
    const headers = async () => {
      requests += 1;
      return { authorization: `Bearer ${requests}`, 'content-type': 'text/plain' };
    };
    const { client, server } = await open([good], { headers });
    await client.callTool('good', {});
    const tokens = server.headers.map(({ authorization }) => authorization);
    expect(tokens).not.toContain(undefined);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(server.headers.map((sent) => sent['content-type'])).not.toContain('text/plain');
  });

  it('are refused when they are neither texts nor a function', () => {
    for (const headers of [{ a: 1 }, 'a', null]) {
      const create = () => mcpClient({ id: 'x', url: 'http://127.0.0.1', headers: headers as never });
      expect(create).toThrow(ConfigurationError);
    }
  });
});
