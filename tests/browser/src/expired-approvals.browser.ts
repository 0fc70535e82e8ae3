import { createClient } from '@halyard/client';
import { systemClock } from '@halyard/contracts';
import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { closePages, openBrowser } from './open-browser.ts';
import { servePage } from './open-page.ts';
import { openStorage } from './open-storage.ts';

const hour = 3_600_000;
let browser: Browser;
let shiftMs: number;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => closePages(browser));
beforeEach(() => {
  shiftMs = 0;
  const { now } = systemClock;
  vi.spyOn(systemClock, 'now').mockImplementation(() => now() + shiftMs);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.restoreAllMocks();
});

type OnExpire = NonNullable<Exclude<Parameters<typeof createTool>[0]['needsApproval'], undefined>>;

async function open(needsApproval: OnExpire, options: { readonly durable?: boolean } = {}) {
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({ euros: Type.Number() }),
    needsApproval,
    execute: () => 'It is paid',
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'pay', input: { euros: 7 } }] }, ({ prompt }) => ({
    text: [`Result: ${JSON.stringify(prompt.at(-1)?.content)}`],
  }));
  const storage = openStorage();
  const server = await createServer({
    agents: [new Agent({ id: 'assistant', model, tools: [pay], ...options })],
    memory: createMemory({ storage }),
    storage,
    leaseMs: 300,
    logger: false,
    signals: false,
    console: false,
  });
  await servePage(server, 'hooks.tsx', ['/chat-hook']);
  closers.push(() => server.close());
  const url = await server.listen({ port: 0 });
  const context = await browser.newContext();
  closers.push(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(`${url}/chat-hook`);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.approval').waitFor();
  return { client: createClient({ baseUrl: url }), page, problems };
}

const replies = (page: Page): Promise<string[]> => page.locator('li.assistant').allInnerTexts();

it.each([
  ['is denied', 'Nobody has responded in time.', {}, { expiryMs: hour }],
  ['runs', 'It is paid', {}, { expiryMs: hour, onExpire: 'continue' as const }],
  ['of a durable chat is denied', 'Nobody has responded in time.', { durable: true }, { expiryMs: hour }],
])('a call %s at its time limit in an open chat, which goes on', async (_, text, options, rules) => {
  const { page, problems } = await open(rules, options);
  shiftMs += hour;
  await page.locator('li.assistant').getByText(text).waitFor();
  await page.getByRole('status').getByText('ready', { exact: true }).waitFor();
  expect(await page.locator('.approval').count()).toBe(0);
  expect(await replies(page)).toHaveLength(1);
  await page.reload();
  await page.locator('li.assistant').getByText(text).waitFor();
  expect(await replies(page)).toHaveLength(1);
  expect(problems).toEqual([]);
});

it('an open chat goes on when the second people whom a call asks do not respond', async () => {
  const { client, page, problems } = await open({
    approvers: ['kim'],
    expiryMs: hour,
    onExpire: { approvers: ['lee'], expiryMs: hour },
  });
  shiftMs += hour;
  await expect.poll(async () => (await client.approvals.list()).approvals).toMatchObject([{ approvers: ['lee'] }]);
  expect(await page.locator('.approval').count()).toBe(1);
  shiftMs += hour;
  await page.locator('li.assistant').getByText('Nobody has responded in time.').waitFor();
  expect(await page.locator('.approval').count()).toBe(0);
  expect(problems).toEqual([]);
});
