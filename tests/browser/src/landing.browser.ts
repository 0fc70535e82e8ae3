import { demoModel } from '@halyard/example-demo-model';
import { createQuickstart } from '@halyard/example-quickstart';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { afterTest, open, openAt } = useQuickstarts();

it('leads to the pages of the app, the console and the API explorer', async () => {
  const { page, problems } = await open('/');
  await page.getByRole('heading', { name: 'Concierge' }).waitFor();
  await page.getByRole('heading', { name: 'Expense claim' }).waitFor();
  await takeScreenshots(page, 'landing');

  await page.locator('nav').getByRole('link', { name: 'Chat' }).click();
  await page.waitForURL('**/chat');
  await page.goBack();
  await page.getByRole('link', { name: 'API explorer' }).click();
  await page.waitForURL('**/ui');
  expect(problems.join('\n')).toBe('');
});

it('opens the chat page with the agent of the card', async () => {
  const { page, problems } = await open('/');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Concierge' })
    .getByRole('link', { name: 'Chat', exact: true })
    .click();
  await page.waitForURL('**/chat?agent=concierge');
  await expect.poll(() => page.getByLabel('Agent', { exact: true }).inputValue()).toBe('concierge');
  expect(problems.join('\n')).toBe('');
});

it('opens the console where an agent answers, and where a workflow starts', async () => {
  const { page, problems } = await open('/');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Concierge' })
    .getByRole('link', { name: 'Chat in the console' })
    .click();
  await page.getByRole('region', { name: 'Concierge', exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Start in the console' }).click();
  await page.getByRole('tab', { name: 'Start', selected: true }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('fits the screen of a phone', async () => {
  const { page } = await open('/', undefined, phone);
  await page.getByRole('heading', { name: 'Say hello' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

it('moves the console key from its address to the links that need it, such as that of the API explorer, which works without internet access', async () => {
  const consoleKey = 'k'.repeat(32);
  // As in production, the bypass of development is refused.
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  afterTest(async () => {
    process.env['NODE_ENV'] = environment;
  });
  const server = await createQuickstart(demoModel({ delayMs: 1 }), createInMemoryStorage(), {
    auth: { consoleKey },
    secret: 's'.repeat(32),
    logger: false,
    signals: false,
  });
  afterTest(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

  const { page, problems } = await openAt(url, `/?key=${consoleKey}&tab=2#agents`);
  await page.waitForURL(`${url}/?tab=2#agents`);
  await page.getByRole('link', { name: 'API explorer' }).click();
  // The link has the key, and the page takes it out of the address.
  await page.waitForURL((address) => address.pathname === '/ui' && !address.searchParams.has('key'));
  const operation = page.locator('#operations-Agents-getAgent');
  await operation.locator('.opblock-summary').click();
  await operation.locator('input[placeholder="id"]').fill('assistant');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).first().waitFor();
  expect(await operation.locator('.live-responses-table').textContent()).toContain('getTime');
  expect(problems.join('\n')).toBe('');
});
