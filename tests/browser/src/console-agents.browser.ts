import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

const ask = (url: string, input: string): Promise<Response> =>
  fetch(`${url}/agents/assistant/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, options: { userId: 'ada' } }),
  });

it('lists the agents, with their last runs as they happen', async () => {
  const { page, problems, url } = await open('/console/agents');
  const row = page.getByRole('row').filter({ hasText: 'Tells the time' });
  await row.getByText('never').waitFor();
  await ask(url, 'Hello');
  await row.getByRole('img', { name: 'completed' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-agents');
  expect(problems.join('\n')).toBe('');
});

it('shows one agent by the keyboard: its origin, tools, team and runs', async () => {
  const { page, problems, url } = await open('/console/agents');
  await page.getByRole('link', { name: 'Assistant' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('a text in the code').waitFor();
  await page.getByText('You help with small everyday things.').waitFor();
  await page.getByText('Model settings').first().waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-agent');
  await ask(url, '<img src=x onerror="document.title=1">');

  await page.getByRole('tab', { name: 'About' }).focus();
  for (const [tab, text] of [
    ['Tools', 'needs approval'],
    ['Sub-agents', 'Concierge'],
    ['Runs', '<img src=x'],
  ] as const) {
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel', { name: tab }).getByText(text).first().waitFor();
    await expectAccessible(page);
  }
  await page.getByRole('link', { name: '<img src=x' }).press('Enter');
  await page.waitForURL(/\/traces\//);
  expect(problems.join('\n')).toBe('');
});
