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
