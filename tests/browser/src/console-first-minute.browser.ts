import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const { afterTest, open, openAt } = useQuickstarts();

it('leads a newcomer from an empty server to a reply, an approval and the trace, one click for each', async () => {
  const { page, problems } = await open('/console/');
  const questions = page.getByRole('list', { name: 'Questions for Assistant' });
  await questions.waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-first-run');
  await page.setViewportSize({ width: 1100, height: 760 });
  await questions.getByRole('link', { name: 'Note: buy oars' }).click();

  const lane = page.getByRole('region', { name: 'Assistant', exact: true });
  await lane.getByText(/tokens in/).waitFor();
  expect(await lane.getByText('Note: buy oars', { exact: true }).count()).toBe(1);
  const next = page.getByRole('list', { name: 'Suggested questions' });
  expect(await next.getByRole('button', { name: 'Note: buy oars' }).count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-first-reply');
  await page.setViewportSize({ width: 1100, height: 760 });
  await next.getByRole('button', { name: 'Delete all notes' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('deleted 1').first().waitFor();
  await page.getByRole('link', { name: 'See what it did' }).click();
  await page.getByRole('list', { name: 'Story' }).getByText('deleteNotes', { exact: false }).first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('asks a suggested question once, also after a reload, and never because of a link', async () => {
  const { page, problems, url } = await open('/console/');
  let asked = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/agents/assistant/chat')) asked += 1;
  });
  await page.getByRole('link', { name: 'What time is it in Tokyo?' }).focus();
  await page.keyboard.press('Enter');
  const lane = page.getByRole('region', { name: 'Assistant', exact: true });
  await lane.getByText(/tokens in/).waitFor();
  await page.reload();
  await lane.getByText(/time zone Asia\/Tokyo/).waitFor();
  await page.goto(`${url}/console/playground?agentId=assistant&question=Hello`);
  await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
  expect(asked).toBe(1);
  expect(problems.join('\n')).toBe('');
});

it('makes questions from the tools of an agent that suggests none, on a phone in both themes', async () => {
  const hostile = '<img src=x onerror="document.title=1">';
  const track = createTool({
    name: 'trackParcel',
    description: 'Finds out where a parcel is',
    input: Type.Object({ parcelId: Type.String({ description: `such as LX-19, not ${hostile}` }) }),
    execute: () => 'in Leipzig',
  });
  const cancel = createTool({
    name: 'cancelOrder',
    description: `Cancels an order ${hostile}`,
    input: Type.Object({}),
    needsApproval: true,
    execute: () => 'cancelled',
  });
  const model = scriptedModel('Tomorrow.');
  const server = await createServer({
    agents: [new Agent({ id: 'desk', name: 'Front desk', description: hostile, model, tools: [track, cancel] })],
    storage: openStorage(),
    logger: false,
  });
  afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, problems } = await openAt(url, '/console/', { ...phone, colorScheme });
    const questions = page.getByRole('list', { name: 'Questions for Front desk' });
    await questions.getByRole('link', { name: 'Find out where parcel LX-19 is' }).waitFor();
    await questions.getByRole('link', { name: /^Cancel an order.*asks you first$/ }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Talk to Front desk' }).click();
    await page.getByRole('button', { name: 'Find out where parcel LX-19 is' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);
    expect(problems.join('\n')).toBe('');
  }
});
