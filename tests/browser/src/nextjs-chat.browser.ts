import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { scriptedModel } from '@halyard/core/testing';
import { demoModel } from '@halyard/example-demo-model';
import { createHarbourForUsers } from '@halyard/example-with-nextjs/server';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { heldModel } from './held-model.ts';
import { openProxy, type Proxy } from './open-proxy.ts';
import { ended, send, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';
import { smokeTest } from './smoke-chat.ts';

const { afterTest, openAt } = useQuickstarts();
const require = createRequire(import.meta.url);
const example = dirname(require.resolve('@halyard/example-with-nextjs/package.json'));
const nextProgram = createRequire(`${example}/`).resolve('next/dist/bin/next');
const secret = 'a secret of more than thirty-two bytes';

interface Started {
  readonly child: ChildProcess;
  /** Everything that the process has printed. */
  readonly screen: () => string;
}

function startNext(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  return startNode([nextProgram, ...args], { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...env });
}

function startNode(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Started {
  const child = spawn(process.execPath, args, { cwd: example, env: { ...process.env, ...env } });
  let screen = '';
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (text) => (screen += text));
  return { child, screen: () => screen };
}

beforeAll(async () => {
  const { child, screen } = startNext(['build']);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`next build failed: ${screen()}`);
}, 300_000);

interface OpenedPage {
  readonly page: Page;
  /** The connection to the Halyard server. */
  readonly proxy: Proxy;
  /** Errors of the page. */
  readonly problems: string[];
}

/** Next.js in production, and its connection to the Halyard server. Nobody has signed in. */
async function open(
  model: Parameters<typeof createHarbourForUsers>[0],
  width: number,
  secretOfNext = secret,
): Promise<OpenedPage> {
  const options = { logger: false, signals: false, console: false } as const;
  const server = await createHarbourForUsers(model, openStorage(), secret, options);
  afterTest(() => server.close());
  const proxy = await openProxy(await server.listen({ port: 0 }));
  afterTest(() => proxy.close());
  const args = ['start', '--hostname', '127.0.0.1', '--port', '0'];
  const { child, screen } = startNext(args, { HALYARD_URL: proxy.url, JWT_SECRET: secretOfNext });
  afterTest(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await expect.poll(screen, { timeout: 90_000 }).toContain('Ready');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(screen()) ?? [];
  const { page, problems } = await openAt(url, '/', { viewport: { width, height: 760 } });
  await hydrated(page);
  return { page, proxy, problems };
}

/**
 * Until React handles events of the form, which the server has rendered: a click before that loads
 * the next page anew, and a click there could be earlier than React again. `waitForFunction` would
 * evaluate text in the page, which its content security policy refuses.
 */
async function hydrated(page: Page): Promise<void> {
  const form = page.locator('form');
  const hasProps = (element: object): boolean => Object.keys(element).some((key) => key.startsWith('__reactProps'));
  await expect.poll(() => form.evaluate(hasProps), { timeout: 90_000 }).toBe(true);
}

/** Opens the chat, and signs in. */
async function openChat(model: Parameters<typeof createHarbourForUsers>[0]): Promise<OpenedPage> {
  const opened = await open(model, 1100);
  await opened.page.getByLabel('Your name').fill('Ada');
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await opened.page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
  return opened;
}

smokeTest(
  'nextjs-chat',
  () => openChat(demoModel({ delayMs: 1 })),
  // A route of Next.js cannot forward WebSockets.
  (problem) => problem.includes("/ws/approvals' failed"),
);

it('streams an answer, and reads it on after the connection to the server was cut', async () => {
  const story = { text: Array.from({ length: 40 }, (_, word) => `word${word} `) };
  const script = scriptedModel(story, 'A story');
  const { model, release } = heldModel(script);
  const { page, proxy } = await openChat(model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  expect(await page.getByText('word39').count()).toBe(0);
  proxy.cut();
  await page.getByText('The connection is lost.').waitFor();
  proxy.restore();
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  release();
  await page.getByText('word39').first().waitFor();
  await ended(page);
  expect((await page.locator('.answer').innerText()).match(/word3 /g)).toHaveLength(1);
  await expect.poll(() => script.calls.length).toBe(2);
});

it('stops an answer at the server', async () => {
  const script = scriptedModel({ text: Array.from({ length: 40 }, (_, word) => `word${word} `) }, 'A story');
  const { page, problems } = await openChat(heldModel(script).model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(page);
  await expect.poll(() => script.calls[0]?.abortSignal?.aborted).toBe(true);
  expect(problems.join('\n')).toBe('');
});

it('keeps the token from scripts, and shows nothing after signing out', async () => {
  const { page } = await open(demoModel({ delayMs: 1 }), 1100);
  const status = (): Promise<unknown> =>
    page.evaluate("fetch('/halyard/api/memory/conversations').then(({ status }) => status)");
  await page.getByLabel('Your name').waitFor();
  expect(await status()).toBe(401);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
  expect(await status()).toBe(200);
  expect(await page.evaluate('document.cookie')).toBe('');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict', secure: true });
  const askFrom = async (site: string): Promise<number> => {
    const headers = { cookie: `session=${cookie?.value}`, 'sec-fetch-site': site };
    return (await fetch(new URL('/halyard/api/memory/conversations', page.url()), { headers })).status;
  };
  expect([await askFrom('same-origin'), await askFrom('same-site')]).toEqual([200, 401]);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Your name').waitFor();
  expect(await status()).toBe(401);
});

it('allows only its own scripts and styles, with another nonce for each request, also on the page for wrong addresses', async () => {
  const { page, problems } = await open(demoModel({ delayMs: 1 }), 1100);
  await page.getByLabel('Your name').waitFor();
  const policyOf = async (path: string): Promise<string> =>
    (await fetch(new URL(path, page.url()))).headers.get('content-security-policy') ?? '';
  const nonceOf = (policy: string): string | undefined => /script-src [^;]*'nonce-([\w-]+)'/.exec(policy)?.[1];
  const policies = [await policyOf('/'), await policyOf('/'), await policyOf('/no-such-page')];
  expect(new Set(policies.map(nonceOf)).size).toBe(3);
  for (const policy of policies) {
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  }
  expect(problems.join('\n')).toBe('');
  // Without a nonce, a script does not run.
  await page.evaluate(
    "document.body.append(Object.assign(document.createElement('p'), { innerHTML: '<img src=data:, onerror=window.ran=1>' }))",
  );
  await expect.poll(() => problems.join()).toContain('script-src');
  expect(await page.evaluate('window.ran')).toBeUndefined();

  problems.splice(0);
  await page.goto(new URL('/no-such-page', page.url()).href);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  expect(problems).toEqual([expect.stringContaining('404')]);
  await takeScreenshots(page, 'nextjs-not-found');
  await page.getByRole('link', { name: 'Go to the harbour desk' }).click();
  await page.getByLabel('Your name').waitFor();
  expect(problems).toHaveLength(1);
});

it('says in a sentence that something went wrong, and offers to try again', async () => {
  const { page } = await open(demoModel({ delayMs: 1 }), 1100, '');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  expect(await page.locator('body').innerText()).not.toContain('JWT_SECRET');
  await takeScreenshots(page, 'nextjs-error');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Your name').waitFor();
});

it('names its icon in the head of the page, so that browsers do not ask for /favicon.ico', async () => {
  const { page } = await open(demoModel({ delayMs: 1 }), 1100);
  const [head = ''] = (await (await fetch(page.url())).text()).split('</head>');
  const [, icon = ''] = /<link rel="icon"[^>]* href="([^"]+)"/.exec(head) ?? [];
  expect((await fetch(new URL(icon, page.url()))).headers.get('content-type')).toContain('image/svg+xml');
});

it('starts both processes with one command, and ends both', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-nextjs-'));
  afterTest(async () => rmSync(dataDir, { recursive: true }));
  await copyEmbeddedTemplate(join(dataDir, 'data'));
  const start = ['--conditions=@halyard/source', join(example, 'src/start.ts'), 'start', '0', join(dataDir, 'data')];
  const { child, screen } = startNode(start, { HALYARD_MODEL: 'demo', DATABASE_URL: '', NODE_ENV: 'production' });
  await expect.poll(screen, { timeout: 90_000 }).toContain('Ready');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(screen()) ?? [];
  expect(await (await fetch(url)).text()).toContain('Sign in to see your conversations.');
  expect((await fetch(`${url}/halyard/api/memory/conversations`)).status).toBe(401);
  child.kill();
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
