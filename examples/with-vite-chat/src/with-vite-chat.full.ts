import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../packages/memory-postgres/src/testing/embedded-template.ts';

let dataDir: string;
const running: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'halyard-vite-chat-'));
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(dataDir, { recursive: true, force: true });
});

it('starts the page and the server with one command', { timeout: 200_000 }, async () => {
  await copyEmbeddedTemplate(join(dataDir, 'data'));
  const dev = fileURLToPath(new URL('dev.ts', import.meta.url));
  const args = ['--conditions=@halyard/source', dev, '--port', '0', '--data-dir', join(dataDir, 'data')];
  const env = { ...process.env, HALYARD_MODEL: 'demo', DATABASE_URL: '', NODE_ENV: 'development' };
  const child = spawn(process.execPath, args, { env });
  running.push(child);
  let screen = '';
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (screen += text));
  await expect.poll(() => screen, { timeout: 150_000 }).toMatch(/Model +demo model/);

  const [, url = ''] = /Chat +(\S+)\//.exec(screen) ?? [];
  expect(await (await fetch(`${url}/`)).text()).toContain('<title>Harbour desk</title>');
  expect(await (await fetch(`${url}/chat/chat-app.tsx`)).text()).toContain('function ChatApp');
  const answer = await fetch(`${url}/halyard/agents/harbour/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'When is high water in Fowey today?' }),
  });
  expect(await answer.text()).toContain('High water in Fowey is at ');

  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
});
