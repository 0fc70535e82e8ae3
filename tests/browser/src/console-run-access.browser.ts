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

const review = createWorkflow({ id: 'review', name: 'Review' })
  .andThen({ id: 'read', execute: () => 'read' })
  .andThen({
    id: 'sign',
    // Nobody signs it: a first answer fails.
    execute: ({ resumeData, suspend }) => {
      if (resumeData === undefined) return suspend('A signature is missing');
      throw new TypeError('Not signed');
    },
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

it('shows and changes an execution with the console key alone', async () => {
  const url = await start();
  const send = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer token of ada' };
    await (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  for (const executionId of ['first', 'second'])
    await send('/workflows/review/execute', { input: {}, options: { executionId } });
  const { page, problems } = await pages.openAt(url, `/console/executions/review/first?key=${consoleKey}`);
  await page.getByRole('heading', { name: 'A signature is missing' }).waitFor();
  // Its steps and events, live.
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByText('workflow-suspended').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('header').getByText('error').first().waitFor();
  await page.getByText('workflow-error').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The execution was retried').waitFor();
  await page.locator('header').getByText('suspended').first().waitFor();

  await page.getByRole('button', { name: 'Replay' }).first().click();
  await page.getByRole('button', { name: 'Start the replay' }).click();
  await page.getByText('Replayed from').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Cancel the execution' }).click();
  await page.locator('header').getByText('cancelled').first().waitFor();
  // The resumed step fails, and so does the request.
  expect(problems).toEqual([expect.stringContaining('/executions/first/resume')]);

  await page.goto(`${url}/console/executions/review/second`);
  await page.getByRole('button', { name: 'Rewind' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Rewind and run' }).click();
  await page.getByText('The execution was rewound').waitFor();
});

it('changes several selected executions with the console key', async () => {
  const url = await start();
  for (const executionId of ['one', 'two', 'three'])
    await fetch(`${url}/workflows/review/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token of ada' },
      body: JSON.stringify({ input: {}, options: { executionId } }),
    });
  const { page, problems } = await pages.openAt(url, `/console/executions?key=${consoleKey}`);
  for (const id of ['one', 'three']) await page.getByRole('row').filter({ hasText: id }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Change 2 selected' }).click();
  await page.getByRole('radio', { name: 'Cancel' }).check();
  await page.getByRole('button', { name: 'Cancel 2 executions' }).click();
  await page.getByText('2 of 2 cancelled').waitFor();
  await page.getByRole('row').filter({ hasText: 'two' }).getByText('suspended').waitFor();
  expect(problems.join('\n')).toBe('');
});
