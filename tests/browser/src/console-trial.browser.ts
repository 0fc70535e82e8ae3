import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
const hostile = '<img src=x onerror=alert(1)>';

it('edits a recorded call, runs it beside the recorded one, and runs no tool', async () => {
  const ran: unknown[] = [];
  const refund = createTool({
    name: 'refund',
    description: 'Pays money back',
    input: Type.Object({ euros: Type.Number() }),
    execute: (input) => {
      ran.push(input);
      return 'paid';
    },
  });
  const usage = { inputTokens: 1_000, outputTokens: 100 };
  const model = scriptedModel({ text: ['We pay nothing back.'], usage });
  const other = Object.assign(
    scriptedModel(
      { error: new Error('overloaded') },
      { text: [`We pay ${hostile} back.`], toolCalls: [{ toolName: 'refund', input: { euros: 7 } }], usage },
    ),
    { modelId: 'large' },
  );
  const server = await createServer({
    agents: [
      new Agent({ id: 'desk', name: 'Front desk', instructions: 'Be strict.', model, tools: [refund] }),
      new Agent({ id: 'other', model: other, retries: { maxRetries: 0 } }),
    ],
    storage: openStorage(),
    telemetry: { prices: { scripted: { input: 1, output: 10 }, large: { input: 2, output: 20 } } },
    logger: false,
  });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ input: 'Money back?' });
  expect((await fetch(`${url}/agents/desk/text`, { method: 'POST', headers, body })).status).toBe(200);

  const { page, problems } = await pages.openAt(url, '/console/traces');
  await page.getByRole('link', { name: 'Front desk' }).click();
  await page.getByRole('list', { name: 'Story' }).getByRole('button', { name: 'Asked scripted' }).click();
  await page.getByRole('link', { name: 'Edit and run again' }).click();
  const recorded = page.getByRole('region', { name: 'Recorded' });
  const fresh = page.getByRole('region', { name: 'New' });
  await recorded.getByText('We pay nothing back.').waitFor();
  await expectAccessible(page);

  await page.getByLabel('System prompt').fill('Be generous.');
  await page.getByLabel('Message 1 of the user').fill('7 € back?');
  await page.getByLabel('Model', { exact: true }).fill('large');
  await page.getByLabel('Temperature').fill('1.5');
  await page.getByRole('checkbox', { name: 'refund' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Run', exact: true }).focus();
  await page.keyboard.press('Enter');
  // The model failed once: the page says so, and keeps what was edited.
  await page.getByRole('alert').getByText('The server could not do this').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await fresh.getByText(`We pay ${hostile} back.`).waitFor();
  expect((await fresh.locator('ins').allTextContents()).join(' ').trim()).toBe(hostile);
  expect((await recorded.locator('del').allTextContents()).join('')).toContain('nothing');
  await fresh.getByText('calls refund').waitFor();
  await fresh.getByText('$0.0040 (+100 %)').waitFor();
  expect(ran).toEqual([]);
  expect(other.calls.at(-1)).toMatchObject({
    temperature: 1.5,
    prompt: [
      { role: 'system', content: 'Be generous.' },
      { role: 'user', content: [{ type: 'text', text: '7 € back?' }] },
    ],
    tools: [{ name: 'refund' }],
  });
  expect(await page.getByRole('region', { name: 'The same request as code' }).innerText()).toContain(
    '/agents/desk/try',
  );
  await page.getByRole('button', { name: 'Undo all changes' }).click();
  expect(await page.getByLabel('Temperature').inputValue()).not.toBe('1.5');
  await expectAccessible(page);
  await takeScreenshots(page, 'console-trial');
  await page.setViewportSize({ width: 400, height: 760 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

  await fresh.getByRole('link', { name: 'Show' }).click();
  await page.getByRole('list', { name: 'Story' }).getByRole('button', { name: 'Asked large' }).waitFor();
  expect(problems.filter((problem) => !problem.includes('500')).join('\n')).toBe('');
});
