import { demoModel } from '@halyard/example-demo-model';
import { createQuickstart } from '@halyard/example-quickstart';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { afterTest, open, openAt } = useQuickstarts();

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

it('shows agents, workflows, tools and the pages of the app', async () => {
  const { page, problems } = await open('/');
  await page.getByText('Nothing has run yet').waitFor();
  await takeScreenshots(page, 'landing-empty');
  await page.getByRole('heading', { name: 'Concierge' }).waitFor();
  await page.getByRole('heading', { name: 'Expense claim' }).waitFor();
  expect(await page.locator('body').textContent()).toContain('curl');

  await page.locator('nav').getByRole('link', { name: 'Chat' }).click();
  await page.waitForURL('**/chat');
  await page.goBack();
  await page.locator('#agent-assistant').getByRole('link', { name: 'Try the API' }).click();
  await page.locator('#operations-Agents-streamText.is-open').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('shows recent runs with their traces, and work that waits for a person', async () => {
  const { page, problems, url } = await open('/');
  await post(`${url}/agents/assistant/text`, { input: 'What time is it in Tokyo?' });
  const input = { employee: 'Ada', purpose: 'Train to Oslo', euros: 240 };
  await post(`${url}/workflows/expense/execute`, { input, options: { executionId: 'train' } });

  // The page is open already: it finds new runs itself.
  const run = page.locator('#runs details', { hasText: 'What time is it in Tokyo?' });
  await run.waitFor();
  await run.locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await run.getByText('execute_tool getTime').waitFor();
  await run.getByText('execute_tool getTime').click();
  await run.getByText('gen_ai.tool.call.arguments').waitFor();
  const waiting = page.locator('#waiting li');
  expect(await waiting.textContent()).toContain('Ada claims € 240.00: Train to Oslo');
  await takeScreenshots(page, 'landing');

  await waiting.getByRole('link', { name: 'Answer' }).click();
  await page.waitForURL('**/expenses?execution=train');
  await page.getByText('Ada claims € 240.00').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('asks for the console key if an app makes the page public, and shows nothing without it', async () => {
  const consoleKey = 'k'.repeat(32);
  // As in production, the bypass of development is refused.
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  afterTest(async () => {
    process.env['NODE_ENV'] = environment;
  });
  const server = await createQuickstart(demoModel({ delayMs: 1 }), createInMemoryStorage(), {
    auth: { consoleKey, publicRoutes: ['GET /', 'POST /agents/:id/text'] },
    secret: 's'.repeat(32),
    logger: false,
    signals: false,
  });
  afterTest(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  await post(`${url}/agents/assistant/text`, { input: 'What time is it in Tokyo?' });

  const { page, problems } = await openAt(url, '/');
  const field = page.getByLabel('Console key');
  await field.waitFor();
  expect(await page.locator('#runs').isVisible()).toBe(false);
  await takeScreenshots(page, 'landing-locked');
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The server does not accept this key.').waitFor();

  await field.fill(consoleKey);
  await page.keyboard.press('Enter');
  await page.getByText('What time is it in Tokyo?').first().waitFor();
  expect(await field.isVisible()).toBe(false);

  problems.length = 0;
  await page.getByRole('link', { name: 'API explorer' }).click();
  // The link has the key, and the page takes it out of the address.
  await page.waitForURL((address) => address.pathname === '/ui' && !address.searchParams.has('key'));
  const operation = page.locator('#operations-Agents-listAgents');
  await operation.locator('.opblock-summary').click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('takes the key out of its address, and keeps what else is there', async () => {
  const { page, problems, url } = await open('/');
  await page.goto(`${url}/?key=a-key&tab=2#runs`);
  await page.waitForURL(`${url}/?tab=2#runs`);
  expect(problems.join('\n')).toBe('');
});

it('lists a run with a prompt that is longer than recorded attributes', async () => {
  const { page, problems, url } = await open('/');
  await post(`${url}/agents/assistant/text`, { input: `Read this: ${'long "text" '.repeat(20_000)}` });

  const run = page.locator('#runs details', { hasText: 'Read this: long' });
  await run.waitFor();
  expect(problems.join('\n')).toBe('');
});

it('opens the chat page with the agent of the card', async () => {
  const { page, problems } = await open('/');
  await page.locator('#agent-concierge').getByRole('link', { name: 'Chat' }).click();
  await page.waitForURL('**/chat?agent=concierge');
  await expect.poll(() => page.getByLabel('Agent', { exact: true }).inputValue()).toBe('concierge');
  expect(problems.join('\n')).toBe('');
});
