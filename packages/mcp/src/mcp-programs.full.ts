import { fileURLToPath } from 'node:url';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { McpServerUnavailableError } from './errors.ts';
import { mcpClient } from './mcp-client.ts';
import { mcpTools } from './mcp-tools.ts';

const program = fileURLToPath(new URL('testing/stdio-server.ts', import.meta.url));

/** A client of a server that is a child process. */
function open() {
  const args = ['--conditions=@halyard/source', program];
  const client = mcpClient({ id: 'outside', command: process.execPath, args, connectTimeoutMs: 120_000 });
  onTestFinished(() => client.close());
  return client;
}

it('gives an agent the tools of a server that is a program', async () => {
  const client = open();
  const model = scriptedModel({ toolCalls: [{ toolName: 'add', input: { a: 2, b: 3 } }] }, 'done');
  const agent = new Agent({ id: 'caller', model, tools: await mcpTools(client) });
  const { text, toolResults } = await agent.generateText('What is 2 + 3?');
  expect(toolResults).toMatchObject([{ toolName: 'add', output: '5' }]);
  expect(text).toBe('done');
  expect(client).toMatchObject({ version: '3.2.1', transport: 'stdio' });
});

it('starts a program again after it has ended', async () => {
  const client = open();
  const [before] = (await client.callTool('pid', {})).content;
  const pid = before?.type === 'text' ? Number(before.text) : 0;
  const hanging = client.callTool('hang', {});
  process.kill(pid, 'SIGKILL');
  await expect(hanging).rejects.toThrow(McpServerUnavailableError);
  const [after] = (await client.callTool('pid', {})).content;
  expect(after).toMatchObject({ type: 'text' });
  expect(after).not.toEqual(before);
});
