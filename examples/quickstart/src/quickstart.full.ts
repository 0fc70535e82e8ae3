import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../packages/memory-postgres/src/testing/embedded-template.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

let dataDir: string;
const running: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'halyard-quickstart-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => end(child, 'SIGKILL')));
  rmSync(dataDir, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything that the process has printed. */
  readonly screen: () => string;
}

function spawnQuickstart(): { readonly child: ChildProcess; readonly screen: () => string } {
  const child = spawn(
    process.execPath,
    ['--conditions=@halyard/source', main, '--port', '0', '--data-dir', join(dataDir, 'data')],
    { env: { ...process.env, HALYARD_MODEL: 'demo', DATABASE_URL: '', NODE_ENV: 'development' } },
  );
  running.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, screen: () => output };
}

async function startQuickstart(): Promise<Started> {
  const { child, screen } = spawnQuickstart();
  await expect.poll(screen, { timeout: 120_000 }).toMatch(/Try:/);
  const [, url = ''] = /Start page +(\S+)\/\n/.exec(screen()) ?? [];
  return { child, url, screen };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

async function ask(url: string, input: string): Promise<string> {
  const response = await fetch(`${url}/agents/assistant/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, options: { userId: 'demo', conversationId: 'boats' } }),
  });
  const { data, error } = (await response.json()) as { data?: { text: string }; error?: string };
  if (data === undefined) throw new Error(error);
  return data.text;
}

it(
  'listens when its database is ready, and keeps its data after a restart and a kill',
  { timeout: 400_000 },
  async () => {
    const first = await startQuickstart();
    expect(first.screen()).toContain(`embedded PostgreSQL in ${join(dataDir, 'data')}`);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    expect(first.screen()).not.toContain('WARN: the storage');
    expect((await fetch(`${first.url}/agents`)).status).toBe(200);
    await ask(first.url, 'My boat is called Wanderer');
    await end(first.child, 'SIGKILL');

    const second = await startQuickstart();
    expect(await ask(second.url, 'What did I say?')).toContain('My boat is called Wanderer');
    await ask(second.url, 'Note: buy oars');
    expect(await ask(second.url, 'List all the notes')).toContain('buy oars');
    await end(second.child, 'SIGTERM');
    expect(second.child.exitCode).toBe(0);

    const third = await startQuickstart();
    const response = await fetch(`${third.url}/api/memory/conversations/boats/messages`);
    const { data } = (await response.json()) as { data: { messages: { role: string }[] } };
    expect(data.messages.map(({ role }) => role)).toEqual(
      Array.from({ length: 4 }, () => ['user', 'assistant']).flat(),
    );
  },
);

it('stops with a message if another process uses the directory', { timeout: 200_000 }, async () => {
  await copyEmbeddedTemplate(join(dataDir, 'data'));
  const first = await startQuickstart();
  const second = spawnQuickstart();
  await once(second.child, 'exit');
  expect(second.child.exitCode).toBe(1);
  expect(second.screen()).toContain(`is in use by process ${first.child.pid}`);
  expect(second.screen()).not.toContain('    at ');
  expect((await fetch(`${first.url}/agents`)).status).toBe(200);
});
