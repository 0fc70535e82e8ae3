import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';

const folder = join(import.meta.dirname, '../../../../examples/support-desk');

/**
 * The program of the script that the first command of the README starts, without the build of the
 * console before it.
 */
function programOfReadme(): readonly string[] {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const { name, scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [, filter, script = ''] = /npx pnpm@12 --filter (\S+) (\w+)/.exec(readme) ?? [];
  expect(filter).toBe(name);
  const [, program] = (scripts[script] ?? '').split(' && node ');
  return program?.split(' ') ?? expect.fail(`the script ${script} starts no program`);
}

interface Started {
  readonly url: string;
  readonly output: string;
  readonly stop: () => Promise<void>;
}

/** Starts the example as its README says, on another port and in another folder. */
async function start(dataDir: string): Promise<Started> {
  const { DATABASE_URL: _, OPENAI_API_KEY: __, ...env } = process.env;
  const args = [...programOfReadme(), '--port', '0', '--data-dir', dataDir];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  onTestFinished(stop);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output, { timeout: 300_000, interval: 200 }).toMatch(/http:\/\/127\.0\.0\.1:\d+\S*\/console/);
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
  return { url, output, stop };
}

it('the support desk starts as its README says, with a history that it writes once', { timeout: 600_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-support-desk-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await copyEmbeddedTemplate(dataDir);
  const first = await start(dataDir);
  expect(first.output).toContain('Writing a history of 14 days: 200 conversations, 2000 runs');
  const read = async (url: string, path: string): Promise<unknown> =>
    ((await (await fetch(url + path)).json()) as { readonly data: unknown }).data;
  expect(await read(first.url, '/api/memory/conversations?limit=1')).toMatchObject({ total: 200 });
  const { totals } = (await read(first.url, '/observability/metrics?range=14d')) as {
    readonly totals: { readonly requests: number };
  };
  expect(totals.requests).toBeGreaterThan(1_900);
  expect(await read(first.url, '/approvals')).toMatchObject({ approvals: expect.arrayContaining([expect.anything()]) });
  // The search by meaning that the README names.
  const found = (await read(
    first.url,
    `/api/memory/search?searchQuery=${encodeURIComponent('torn tent')}&limit=3&agentId=front-desk`,
  )) as { readonly results: readonly unknown[] };
  expect(found.results.length).toBeGreaterThan(0);
  await first.stop();

  const second = await start(dataDir);
  expect(second.output).not.toContain('Writing a history');
  expect(await read(second.url, '/api/memory/conversations?limit=1')).toMatchObject({ total: 200 });
});
