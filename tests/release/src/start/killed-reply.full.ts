import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';

/** A server with an embedded database, and an agent whose answers are durable. */
const app = `
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
const storage = createPostgresStorage({ dataDir: process.env.DATA_DIR });
const model = scriptedModel({ text: ['Once ', 'upon ', 'a time.'], pieceDelayMs: Number(process.env.PIECE_DELAY_MS) });
const agent = new Agent({ id: 'teller', model, memory: createMemory({ storage }), durable: true });
const server = await createServer({ agents: [agent], storage, port: 0, leaseMs: 2_000 });
console.log('URL', await server.listen());
`;

let dataDir: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'halyard-killed-answer-'));
  await copyEmbeddedTemplate(dataDir);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(kill));
  rmSync(dataDir, { recursive: true, force: true });
});

async function serve(pieceDelayMs: number): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(
    process.execPath,
    ['--conditions=@halyard/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', app],
    {
      cwd: import.meta.dirname,
      env: { ...process.env, NODE_ENV: 'test', DATA_DIR: dataDir, PIECE_DELAY_MS: `${pieceDelayMs}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  running.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output, { timeout: 120_000 }).toMatch(/URL \S+/);
  const [, url = ''] = /URL (\S+)/.exec(output) ?? [];
  return { child, url: url.replace(/\/$/, '') };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it(
  'a durable answer whose process is killed after its first chunk is in its conversation after a restart',
  { timeout: 400_000 },
  async () => {
    const first = await serve(3_600_000);
    const response = await fetch(`${first.url}/agents/teller/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Tell me a story.', options: { userId: 'ada', conversationId: 'stories' } }),
    });
    expect(response.status).toBe(200);
    const { done } = (await response.body?.getReader().read()) ?? { done: true };
    expect(done).toBe(false);
    await kill(first.child);

    const second = await serve(0);
    const messages = async (): Promise<readonly string[][] | undefined> => {
      const stored = await fetch(`${second.url}/api/memory/conversations/stories/messages`);
      const { data } = (await stored.json()) as { data?: { messages: { role: string; parts: unknown[] }[] } };
      return data?.messages.map(({ parts, role }) => [role, JSON.stringify(parts)]);
    };
    await expect.poll(messages, { timeout: 120_000, interval: 200 }).toEqual([
      ['user', expect.stringContaining('Tell me a story.')],
      ['assistant', expect.stringContaining('Once upon a time.')],
    ]);
  },
);
