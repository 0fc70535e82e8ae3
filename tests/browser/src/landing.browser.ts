import { demoModel } from '@halyard/example-demo-model';
import { createQuickstart } from '@halyard/example-quickstart';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it } from 'vitest';
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
  await page.getByRole('region', { name: 'Start' }).locator(':focus').waitFor();
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

describe('without the console key', () => {
  async function openSecured(path: string, settings: BrowserContextOptions = {}) {
    const server = await createServer({
      logger: false,
      signals: false,
      storage: createInMemoryStorage(),
      auth: { consoleKey: 'the-key', provider: { type: 'none', verifyToken: () => null } },
    });
    afterTest(() => server.close());
    return openAt(await server.listen({ port: 0 }), path, settings);
  }

  it('asks for the key, refuses a wrong one, and opens the page', async () => {
    const { page, problems } = await openSecured('/');
    await page.getByRole('heading', { name: 'This page needs the console key' }).waitFor();
    await takeScreenshots(page, 'key');
    await page.getByLabel('Console key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await takeScreenshots(page, 'key-refused');
    await page.getByLabel('Console key').fill('the-key');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(page.url()).not.toContain('the-key');
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it('asks for the key of the API explorer and of the document', async () => {
    for (const [path, text] of [
      ['/ui', 'Halyard'],
      ['/doc', '"openapi":"3.1.0"'],
    ] as const) {
      const { page } = await openSecured(path);
      await page.getByLabel('Console key').fill('the-key');
      await page.keyboard.press('Enter');
      await page.getByText(text).first().waitFor();
      expect(page.url()).toContain(path);
    }
  });

  it('fits the screen of a phone, and leads to the console', async () => {
    const { page } = await openSecured('/doc', phone);
    await page.getByLabel('Console key').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('link', { name: 'the console' }).click();
    await page.waitForURL('**/console**');
  });
});
