import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const pages = useQuickstarts();

it('goes to pages, agents, conversations and ids, and does things, by a few keys', async () => {
  const { page, problems, url } = await pages.open('/console/traces');
  const headers = { 'content-type': 'application/json' };
  const traceId = 'ab'.repeat(16);
  const body = JSON.stringify({
    input: 'What time is it in Oslo?',
    options: { userId: 'ada', conversationId: 'harbour-talk' },
  });
  const traced = { ...headers, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  expect((await fetch(`${url}/agents/assistant/text`, { method: 'POST', headers: traced, body })).status).toBe(200);

  // The console listens to keys.
  await page.getByText('Live').waitFor();
  const goTo = page.getByRole('combobox', { name: 'Go to' });
  const option = (name: string | RegExp) => page.getByRole('option', { name });
  const go = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await goTo.waitFor();
    await page.keyboard.type(text);
  };
  await go('');
  await option('Overview').waitFor();
  await option('Talk to Assistant').waitFor();
  // A group is named once.
  expect(await option(/Pages$/).count()).toBe(1);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-palette');
  await page.keyboard.type('nothing is called like this');
  expect(await option(/Pages$/).count()).toBe(0);
  await page.keyboard.press('Escape');
  await goTo.waitFor({ state: 'detached' });

  await go('conc');
  await option(/Concierge.*Agents/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Concierge', level: 1 }).waitFor();
  await go('harbour');
  await option(/harbour-talk.*Conversations/).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('/conversations/harbour-talk');
  await go(traceId);
  await option(`Open the trace ${traceId}`).click();
  await page.getByRole('list', { name: 'Story' }).getByRole('button', { name: 'Assistant was asked' }).waitFor();
  await go('talk assis');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('agentId')).toBe('assistant');
  await go('dark theme');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');

  // In a field, a question mark is a question mark.
  const message = page.getByLabel('Message', { exact: true });
  await message.fill('Where');
  await message.press('?');
  expect(await message.inputValue()).toBe('Where?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Go to' }).focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('approve the call, after 5 seconds').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-keys');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 400, height: 760 });
  await page.keyboard.press('Control+k');
  await goTo.waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(problems.join('\n')).toBe('');
});

it('leads from what does not exist to the list of what does', async () => {
  const { page, url } = await pages.open('/console/');
  for (const [path, name] of [
    [`traces/${'0'.repeat(32)}`, 'All traces'],
    ['executions/expense/none', 'All executions'],
    ['conversations/none', 'All conversations'],
    ['workflows/none', 'All workflows'],
    ['agents/none', 'All agents'],
    ['tools/none', 'All tools'],
  ]) {
    await page.goto(`${url}/console/${path}`);
    const back = page.getByRole('link', { name });
    await back.waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await back.click();
    await expect.poll(() => page.url()).toBe(`${url}/console/${path?.split('/')[0]}`);
  }
});

it('orders a title from right to left as its language does', async () => {
  const { page, url } = await pages.open('/console/');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({
    conversationId: 'rtl',
    userId: 'ada',
    resourceId: 'assistant',
    title: 'مرحبا 12, Oslo',
  });
  expect((await fetch(`${url}/api/memory/conversations`, { method: 'POST', headers, body })).status).toBe(201);
  await page.goto(`${url}/console/conversations/rtl`);
  const title = page.getByRole('heading', { name: 'مرحبا 12, Oslo' });
  await title.waitFor();
  expect(await title.evaluate((element) => element.matches(':dir(rtl)'))).toBe(true);
  // By its name, not by its id.
  await page.getByText('Assistant', { exact: true }).waitFor();
});
