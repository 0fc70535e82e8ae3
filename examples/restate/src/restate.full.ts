import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

let directory: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'halyard-example-restate-'));
});
afterEach(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true });
});

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<readonly string[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: string[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) ports.push(`${address.port}`);
  }
  for (const server of servers) server.close();
  return ports;
}

async function start(options: readonly string[]): Promise<string> {
  let output = '';
  const started = spawn(process.execPath, ['--conditions=@halyard/source', main, ...options], {
    env: { ...process.env, HALYARD_MODEL: 'demo', DATABASE_URL: undefined, NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect
    .poll(() => (started.exitCode === null ? output : `exited: ${output}`), { timeout: 200_000 })
    .toMatch(/Try:|exited/);
  expect(output).toContain('its executions on Restate');
  return /running on (\S+),/.exec(output)?.[1] ?? '';
}

async function stop(): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

async function call(url: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const request = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url, request);
  return response.json();
}

it('starts by one command, and continues after a restart what waited for a person', { timeout: 400_000 }, async () => {
  const names = ['port', 'engine-port', 'ingress-port', 'admin-port', 'node-port'];
  const ports = await freePorts(names.length);
  const options = names.flatMap((name, index) => [`--${name}`, ports[index] ?? '']);
  options.push('--data-dir', directory);
  const first = await start(options);
  const input = { product: 'lamp', customer: 'Clara' };
  expect(await call(`${first}/workflows/order/execute`, { input, options: { executionId: 'order-1' } })).toMatchObject({
    data: { status: 'suspended', suspension: { reason: 'Clara orders lamp' } },
  });
  const chat = { input: 'Hello', options: { conversationId: 'c1', userId: 'clara' } };
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${first}/agents/clerk/chat`, { method: 'POST', headers, body: JSON.stringify(chat) });
  expect(await reply.text()).toContain('"type":"finish"');
  await stop();

  const second = await start(options);
  await call(`${second}/workflows/order/executions/order-1/resume`, { resumeData: { by: 'Grace' } });
  await expect
    .poll(() => call(`${second}/workflows/order/executions/order-1/state`), { timeout: 60_000 })
    .toMatchObject({ data: { status: 'completed', output: { approvedBy: 'Grace', text: expect.any(String) } } });
  const messages = await call(`${second}/api/memory/conversations/c1/messages?userId=clara`);
  expect(JSON.stringify(messages)).toContain('Hello');
});
