import { readFile } from 'node:fs/promises';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { type OpenedPage, phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
const consoleKey = 'k'.repeat(32);

const sign = createWorkflow({ id: 'sign', name: 'Sign', input: Type.Object({ text: Type.String() }) }).andThen({
  id: 'ask',
  resumeSchema: Type.Object({ by: Type.String() }),
  execute: ({ data, resumeData, suspend }) => resumeData ?? suspend(`Sign ${data.text}`, {}),
});
const other = createWorkflow({ id: 'other', name: 'Other', input: Type.Object({}) }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Look at this', {}),
});
const pay = createTool({
  name: 'pay',
  description: 'Pays a bill',
  input: Type.Object({}),
  needsApproval: true,
  execute: () => 'Paid',
});

const roles: Readonly<Record<string, readonly string[]>> = {
  ursula: [],
  vera: ['support'],
  olga: ['manager'],
  otto: ['admin'],
  dora: ['desk'],
};

/** A server in production, with executions and a conversation of Ursula. */
async function start(): Promise<string> {
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  pages.afterTest(async () => {
    process.env['NODE_ENV'] = environment;
  });
  const storage = openStorage();
  const model = scriptedModel({ toolCalls: [{ toolName: 'pay', input: {} }] }, 'Done.');
  const server = await createServer({
    workflows: [sign, other],
    agents: [new Agent({ id: 'cashier', name: 'Cashier', model, tools: [pay] })],
    memory: createMemory({ storage }),
    storage,
    secret: 's'.repeat(32),
    logger: false,
    auth: {
      consoleKey,
      provider: {
        type: 'names',
        verifyToken: (id: string) => (Object.hasOwn(roles, id) ? { id, roles: roles[id] } : null),
      },
      consoleRoles: {
        support: 'viewer',
        manager: 'operator',
        admin: 'owner',
        desk: { level: 'operator', workflows: ['sign'] },
      },
    },
  });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  for (const id of ['letter', 'contract'])
    await send(url, 'ursula', '/workflows/sign/execute', { input: { text: id }, options: { executionId: id } });
  await send(url, 'ursula', '/workflows/other/execute', { input: {}, options: { executionId: 'secret-of-others' } });
  await send(url, 'ursula', '/agents/cashier/text', { input: 'Pay', options: { conversationId: 'talk' } });
  return url;
}

async function send(url: string, as: string, path: string, body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${as}` };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const reply = await fetch(url + path, init);
  const text = await reply.text();
  expect({ path, ok: reply.ok, text }).toMatchObject({ ok: true });
}

async function openAs(user: string, url: string, path: string, settings = {}): Promise<OpenedPage> {
  const opened = await pages.openAt(url, '/console/', settings);
  const { page, problems } = opened;
  await page.getByRole('radio', { name: 'a user’s token' }).check();
  await page.getByLabel('Token', { exact: true }).fill(user);
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByText('Open the console with').waitFor({ state: 'detached' });
  // The requests before were refused.
  problems.splice(0);
  await page.goto(url + path);
  return opened;
}

it('shows an owner who did what, with filters in the address, links and a download', async () => {
  const url = await start();
  await send(url, 'olga', '/workflows/sign/executions/letter/cancel', { reason: 'Not needed' });
  await send(url, 'vera', '/observability/conversations/talk/messages');
  const { page, problems } = await openAs('otto', url, '/console/audit');
  const records = page.getByRole('list', { name: 'Records, newest first' }).getByRole('listitem');
  await records.filter({ hasText: 'execution.cancel' }).getByRole('link', { name: 'olga' }).waitFor();
  await records.filter({ hasText: 'conversation.read' }).getByRole('link', { name: 'vera' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-audit');

  // By keyboard.
  const cancelled = records.filter({ hasText: 'execution.cancel' });
  await cancelled.locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await cancelled.getByText('Not needed').waitFor();
  await cancelled.getByText('manager', { exact: true }).waitFor();

  await page.getByLabel('Who').fill('vera');
  await expect.poll(() => page.url()).toContain('actor=vera');
  await cancelled.waitFor({ state: 'detached' });
  expect(await records.count()).toBeGreaterThan(0);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('audit.jsonl');
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  const actors = lines.map((line) => (JSON.parse(line) as { actor: { userId: string } }).actor.userId);
  expect([...new Set(actors)]).toEqual(['vera']);

  await page.goto(`${url}/console/audit?target=letter`);
  await records.getByRole('link', { name: 'letter' }).click();
  await page.getByRole('tab', { name: 'Audit' }).click();
  await records.filter({ hasText: 'execution.cancel' }).getByRole('link', { name: 'olga' }).waitFor();
  await expectAccessible(page);
  await page.goto(`${url}/console/conversations/talk?tab=audit`);
  await records.filter({ hasText: 'conversation.read' }).getByRole('link', { name: 'vera' }).first().waitFor();
  await page.goto(`${url}/console/audit?actor=nobody`);
  await page.getByText('No record matches').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('shows the records on a phone, in the dark', async () => {
  const url = await start();
  await send(url, 'olga', '/workflows/sign/executions/letter/cancel', {});
  const { page } = await openAs('otto', url, '/console/audit', { ...phone, colorScheme: 'dark' });
  await page.getByText('execution.cancel').filter({ visible: true }).first().waitFor();
  await expectAccessible(page);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
});

it('lets a viewer look at everything but the audit trail, and change nothing', async () => {
  const url = await start();
  const { page, problems } = await openAs('vera', url, '/console/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('vera, viewer').waitFor();
  expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
  await page.goto(`${url}/console/executions/sign/letter`);
  await page.getByText('changes nothing here').first().waitFor();
  expect(await page.getByRole('button', { name: /Cancel|Replay|Resume/ }).count()).toBe(0);
  await page.goto(`${url}/console/approvals`);
  await page.getByText('changes nothing here').waitFor();
  expect(await page.getByRole('button', { name: /Approve|Deny|Resume/ }).count()).toBe(0);
  await page.goto(`${url}/console/audit`);
  await page.getByText('Your console role, viewer, does not open it').waitFor();
  await page.goto(`${url}/console/users/ursula`);
  await page
    .getByRole('link', { name: /talk|Untitled/ })
    .or(page.getByRole('table'))
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: /Export|Delete/ }).count()).toBe(0);
  expect(problems.join('\n')).toBe('');
});

it('lets an operator answer and cancel for others, live', async () => {
  const url = await start();
  const { page, problems } = await openAs('olga', url, '/console/executions/sign/contract');
  await page.getByRole('textbox', { name: 'by' }).fill('Olga');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('header').getByText('completed').first().waitFor();
  await page.goto(`${url}/console/approvals`);
  await page.getByRole('link', { name: 'pay' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('The call is approved.').waitFor();
  await page.goto(`${url}/console/executions`);
  await send(url, 'ursula', '/workflows/sign/executions/letter/cancel', {});
  await page.getByRole('row').filter({ hasText: 'letter' }).getByText('cancelled').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('shows a limited operator only what the role is for', async () => {
  const url = await start();
  const { page, problems } = await openAs('dora', url, '/console/');
  await page.getByRole('heading', { name: 'Approvals' }).waitFor();
  for (const path of ['/executions', '/approvals', '/workflows', '/agents', '/tools', '/conversations']) {
    await page.goto(`${url}/console${path}`);
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading').waitFor({ state: 'detached' });
    expect([path, await page.locator('body').innerText()]).toEqual([path, expect.not.stringContaining('secret-of')]);
  }
  await page.goto(`${url}/console/executions/sign/letter`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Cancel the execution' }).click();
  await page.getByText('The execution was cancelled.').waitFor();
  expect(problems.join('\n')).toBe('');
  await page.goto(`${url}/console/executions/other/secret-of-others`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
});
