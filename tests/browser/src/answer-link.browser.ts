import { createClient } from '@halyard/client';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { type OpenedPage, phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const { afterTest, openAt } = useQuickstarts();

const refund = createWorkflow({
  id: 'refund',
  resumeSchema: Type.Object({ approved: Type.Boolean(), reason: Type.Optional(Type.String()) }),
}).andThen({
  id: 'approve',
  execute: ({ data, resumeData, suspend }) =>
    resumeData ??
    suspend('A refund needs the approval of a manager', data as object, {
      approvers: ['grace@example.com'],
      expiryMs: 3_600_000,
    }),
});
const input = {
  order: 'A-1042',
  euros: 480.5,
  note: 'The customer says: "مرحبا" \u202eBUSINESS ACCOUNT 99',
  iban: 'DE89370400440532013000',
  items: [{ sku: 'lamp', count: 2 }],
};

/** A waiting refund, and its link in a browser without scripts. */
async function openLink(settings: BrowserContextOptions = {}): Promise<OpenedPage & { readonly link: string }> {
  const server = await createServer({ workflows: [refund], storage: openStorage(), logger: false, signals: false });
  afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  await server.runtime.execute('refund', input, { executionId: 'r-1', userId: 'ada' });
  const request = { executionId: 'r-1', stepId: 'approve' };
  const link = await server.approvals.link(request, { to: 'grace@example.com', expiryMs: 3_600_000 });
  return { ...(await openAt(url, link.slice(url.length), { javaScriptEnabled: true, ...settings })), link };
}

describe.each([
  ['a phone', phone],
  ['a desktop', {}],
])('an answer link on %s', (_name, settings) => {
  it('is answered with the keyboard alone, in both themes', async () => {
    const { link, page, problems } = await openLink(settings);
    await page.getByRole('heading', { name: 'Your approval is needed' }).waitFor();
    await takeScreenshots(page, 'answer-link');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('details');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Two lamps were broken');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await takeScreenshots(page, 'answer-link-approved');
    await expectAccessible(page);
    await page.goto(link);
    await page.getByText('You approved this request').waitFor();
    await page.getByText('Two lamps were broken').waitFor();
    expect(problems).toEqual([]);
  });
});

it('changes arguments without scripts, on a phone in both themes', async () => {
  const paid: unknown[] = [];
  const pay = createTool({
    name: 'pay',
    description: 'Pays a bill',
    input: Type.Object({ bill: Type.String(), euros: Type.Number(), isRush: Type.Boolean() }),
    needsApproval: { approvers: ['grace'] },
    execute: (given) => {
      paid.push(given);
      return 'Paid';
    },
  });
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'pay', input: { bill: 'A-1042', euros: 480.5, isRush: true } }] },
    'Done.',
  );
  const storage = openStorage();
  const server = await createServer({
    agents: [new Agent({ id: 'clerk', model, tools: [pay] })],
    memory: createMemory({ storage }),
    storage,
    logger: false,
    signals: false,
  });
  afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  const headers = { 'content-type': 'application/json' };
  const asked = { input: 'Pay', options: { conversationId: 'c1', userId: 'ada' } };
  await (await fetch(`${url}/agents/clerk/text`, { method: 'POST', headers, body: JSON.stringify(asked) })).text();
  const [request] = (await createClient({ baseUrl: url }).approvals.list()).approvals;
  if (request === undefined) throw new TypeError('a request should wait');
  const link = await server.approvals.link(request, { to: 'grace', expiryMs: 3_600_000 });
  const { page } = await openAt(url, link.slice(url.length), phone);
  await page.getByText('Change the arguments').click();
  await page.getByLabel('euros').fill('12.5');
  await page.getByLabel('isRush').selectOption('false');
  await takeScreenshots(page, 'answer-link-arguments');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'Approved' }).waitFor();
  await expect.poll(() => paid).toEqual([{ bill: 'A-1042', euros: 12.5, isRush: false }]);
});

it('is declined without scripts', async () => {
  const { link, page } = await openLink({ javaScriptEnabled: false });
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByRole('heading', { name: 'Declined' }).waitFor();
  expect((await page.goto(`${link}x`))?.status()).toBe(404);
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
});
