import { Agent, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { useQuickstarts } from './open-quickstart.ts';

const pages = useQuickstarts();
const consoleKey = 'k'.repeat(32);

const whoAmI = createTool({
  name: 'whoAmI',
  description: 'Tells for whom it runs',
  input: Type.Object({}),
  execute: (_, { userId }) => ({ userId: userId ?? 'nobody' }),
});

const review = createWorkflow({ id: 'review', name: 'Review' }).andThen({
  id: 'sign',
  execute: ({ suspend }) => suspend('A signature is missing'),
});

/** A server in production, which accepts the token `token of ada`. */
async function start(): Promise<string> {
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  pages.afterTest(async () => {
    process.env['NODE_ENV'] = environment;
  });
  const server = await createServer({
    workflows: [review],
    agents: [new Agent({ id: 'greeter', model: scriptedModel('Ahoy', 'Ahoy again'), tools: [whoAmI] })],
    storage: createInMemoryStorage(),
    secret: 's'.repeat(32),
    logger: false,
    auth: {
      consoleKey,
      provider: {
        type: 'custom',
        verifyToken: async (token: string) => (token === 'token of ada' ? { id: 'ada' } : null),
      },
    },
  });
  pages.afterTest(() => server.close());
  return server.listen({ port: 0 });
}

it('says that running needs a user’s token, and runs with one', async () => {
  const url = await start();
  const { page } = await pages.openAt(url, `/console/playground?key=${consoleKey}`);
  const form = page.getByRole('alert').filter({ hasText: 'Running this needs a user’s token' });
  await form.waitFor();
  await expectAccessible(page);

  await page.getByLabel('Token', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The server does not accept this token').waitFor();
  await page.getByLabel('Token', { exact: true }).fill('token of ada');
  await page.keyboard.press('Enter');
  await page.getByText('sent with a user’s token').waitFor();
  // The token says who it is.
  expect(await page.getByLabel('User', { exact: true }).count()).toBe(0);

  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByText('Ahoy', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Code' }).click();
  await page.getByText('authorization: Bearer $TOKEN').waitFor();
  expect(await page.getByText('token of ada').count()).toBe(0);

  // The token stays for the tab, beside the console key.
  await page.goto(`${url}/console/tools/whoAmI`);
  await page.getByRole('button', { name: 'Run the tool' }).click();
  await page.getByRole('group', { name: 'Result 1' }).getByText('ada').waitFor();

  await page.getByRole('button', { name: 'Forget the token' }).click();
  await form.waitFor();
});

it('shows an execution to the console key, which does not have to be entered again for what only users may do', async () => {
  const url = await start();
  await fetch(`${url}/workflows/review/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token of ada' },
    body: JSON.stringify({ input: {}, options: { executionId: 'first' } }),
  });
  const { page } = await pages.openAt(url, `/console/executions/review/first?key=${consoleKey}`);
  await page.getByRole('heading', { name: 'A signature is missing' }).waitFor();
  await page.getByText('Running this needs a user’s token').waitFor();
  await page.getByRole('link', { name: 'Executions' }).click();
  await page.getByRole('link', { name: 'Review' }).waitFor();
  expect(await page.getByLabel('Console key', { exact: true }).count()).toBe(0);
});
