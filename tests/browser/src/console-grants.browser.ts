import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { post } from './inbox-app.ts';
import { expectAccessible } from './open-console.ts';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const { afterTest, openAt } = useQuickstarts();
/** A page may take a while on a busy machine. */
const eventually = { timeout: 90_000 };

async function start() {
  const storage = openStorage();
  const paid: number[] = [];
  const refund = createTool({
    name: 'refund',
    description: 'Pays money back',
    input: Type.Object({ euros: Type.Number() }),
    needsApproval: ({ euros }) => ({ always: euros < 100 }),
    execute: ({ euros }) => {
      paid.push(euros);
      return 'paid';
    },
  });
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role === 'tool') return 'Done.';
    const amounts = /Refund ([\d ]+)/.exec(JSON.stringify(last))?.[1]?.split(' ') ?? [];
    return { toolCalls: amounts.map((euros) => ({ toolName: 'refund', input: { euros: Number(euros) } })) };
  });
  const server = await createServer({
    agents: [new Agent({ id: 'support', tools: [refund], model })],
    storage,
    memory: createMemory({ storage }),
    logger: false,
    signals: false,
  });
  afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  const ask = (euros: number, conversationId: string): Promise<unknown> =>
    post(`${url}/agents/support/text`, { input: `Refund ${euros}`, options: { userId: 'ada', conversationId } });
  return { ask, paid, url };
}

it('approves later calls of a tool, lists that, and revokes it', async () => {
  const { ask, paid, url } = await start();
  await ask(20, 'first');
  const { page, problems } = await openAt(url, '/console/approvals');
  const panel = page.getByRole('region', { name: 'refund' });
  await panel.getByLabel('Also for').selectOption('later calls for ada');
  await panel.getByLabel('Lasts').selectOption('an hour');
  await expectAccessible(page);
  await takeScreenshots(page, 'console-approve-always');
  await page.setViewportSize({ width: 1_100, height: 760 });
  await panel.getByRole('button', { name: 'Approve always' }).click();
  await page.getByText('The call is approved.').waitFor();
  await expect.poll(() => paid, eventually).toEqual([20]);
  await ask(30, 'second');
  expect(paid).toEqual([20, 30]);

  await page.getByRole('link', { name: 'Approved in advance' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'for ada' });
  await row.getByText('in all runs').waitFor();
  await row.getByText('by an operator').waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await takeScreenshots(page, 'console-grants');
  await page.emulateMedia({ colorScheme: 'light' });
  await row.getByRole('button', { name: 'Revoke refund of support for ada' }).press('Enter');
  await page.getByText('The next call of refund asks again.').waitFor();
  await page.getByRole('heading', { name: 'Every call asks' }).waitFor();
  await expectAccessible(page);
  await ask(30, 'third');
  expect(paid).toEqual([20, 30]);
  expect(problems.join('\n')).toBe('');
});

it('is offered where the tool allows it, also on a phone', async () => {
  const { ask, paid, url } = await start();
  await ask(20, 'first');
  await ask(500, 'second');
  const { page, problems } = await openAt(url, '/console/approvals', phone);
  const panel = page.getByRole('region', { name: 'refund' });
  await page.getByRole('row').filter({ hasText: 'euros: 500' }).getByRole('link').tap();
  await panel.getByText('500').waitFor();
  expect(await panel.getByLabel('Also for').count()).toBe(0);
  await page.getByRole('row').filter({ hasText: 'euros: 20' }).getByRole('link').tap();
  await panel.getByLabel('Also for').selectOption('later calls in this conversation');
  await panel.getByLabel('Lasts').scrollIntoViewIfNeeded();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);

  // Changed arguments are for one call.
  await panel.getByRole('button', { name: 'Change the arguments' }).tap();
  expect(await panel.getByLabel('Also for').count()).toBe(0);
  await panel.getByRole('button', { name: 'Keep the arguments' }).tap();
  await panel.getByRole('button', { name: 'Approve always' }).tap();
  await expect.poll(() => paid, eventually).toEqual([20]);
  await page.getByRole('link', { name: 'Approved in advance' }).tap();
  const row = page.getByRole('listitem').filter({ hasText: 'in the conversation' });
  await row.getByRole('button', { name: /Revoke/ }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('is given in the playground, where the reply goes on', async () => {
  const { paid, url } = await start();
  const { page, problems } = await openAt(url, '/console/playground?agentId=support&userId=ada', phone);
  const send = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  };
  await send('Refund 20');
  const approval = page.getByRole('region', { name: 'Approval of refund' });
  await approval.getByLabel('Also for').selectOption('later calls in this conversation');
  await approval.getByLabel('Lasts').selectOption('an hour');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);
  await takeScreenshots(page, 'playground-approve-always');
  await approval.getByRole('button', { name: 'Approve always' }).tap();
  await page.getByText('Done.').waitFor();
  expect(paid).toEqual([20]);
  await send('Refund 30');
  await expect.poll(() => page.getByText('Done.').count()).toBe(2);
  expect(paid).toEqual([20, 30]);
  await page.goto(`${url}/console/playground?agentId=support&userId=ada`);
  await send('Refund 500 40');
  await expect.poll(() => approval.count()).toBe(2);
  expect(await approval.first().getByLabel('Also for').count()).toBe(0);
  await approval.first().getByRole('button', { name: 'Approve' }).tap();
  await expect.poll(() => approval.count()).toBe(1);
  await approval.getByLabel('Also for').selectOption('later calls for ada');
  await approval.getByRole('button', { name: 'Approve always' }).tap();
  await page.getByText('Done.').waitFor();
  expect(paid.slice(2).toSorted((a, b) => a - b)).toEqual([40, 500]);
  expect(problems.join('\n')).toBe('');
});
