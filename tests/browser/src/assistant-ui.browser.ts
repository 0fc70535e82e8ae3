import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { closePages, openBrowser } from './open-browser.ts';
import { servePage } from './open-page.ts';

let browser: Browser;
let server: HalyardServer;
let page: Page;
let model: ReturnType<typeof scriptedModel>;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => closePages(browser));
beforeEach(async () => {
  let answers = 0;
  model = scriptedModel(() => `Answer ${(answers += 1)}.`);
  const agents = [new Agent({ id: 'assistant', model, memory: createMemory() })];
  server = await createServer({ agents, logger: false, signals: false, console: false });
  await servePage(server, 'assistant-ui.tsx', ['/chat-page']);
  page = await browser.newPage();
  await page.goto(`${await server.listen({ port: 0 })}/chat-page`);
});
afterEach(async () => {
  await page.close();
  await server.close();
});

const press = (name: string, within = page.locator('body')): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click();

async function send(text: string, answer: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await press('Send');
  await shown(answer);
}

/** Waits until the answer has ended: only then a message can be sent, edited or answered again. */
async function shown(answer: string): Promise<void> {
  await page.getByText(answer, { exact: true }).waitFor();
  await page
    .locator('.assistant')
    .last()
    .getByRole('button', { name: 'Reload' })
    .and(page.locator(':enabled'))
    .waitFor();
}

/** The texts of the newest prompt. */
const prompt = (): string[] =>
  (model.calls.at(-1)?.prompt ?? []).map(({ content }) =>
    (Array.isArray(content) ? content : []).map((part) => ('text' in part ? part.text : '')).join(''),
  );

async function stored(query = ''): Promise<string[]> {
  const { body } = await server.app.inject(`/api/memory/conversations/c1/messages${query}`);
  const { data } = JSON.parse(body) as { data: { messages: { parts: { text?: string }[] }[] } };
  return data.messages.map(({ parts }) => parts.map(({ text = '' }) => text).join(''));
}

it('sends the turns that are shown when a question is edited, and switches back', async () => {
  await send('one', 'Answer 1.');
  await send('two', 'Answer 2.');
  await send('three', 'Answer 3.');

  const second = page.locator('.user').nth(1);
  await press('Edit', second);
  await page.getByLabel('Edited').fill('how many');
  await press('Save');
  await shown('Answer 4.');
  expect(prompt()).toEqual(['one', 'Answer 1.', 'how many']);
  expect(await stored()).toEqual(['one', 'Answer 1.', 'how many', 'Answer 4.']);
  expect(await stored('?includeInactive=true')).toHaveLength(8);

  await press('Previous', page.locator('.user').nth(1));
  await shown('Answer 3.');
  await send('four', 'Answer 5.');
  expect(prompt()).toEqual(['one', 'Answer 1.', 'two', 'Answer 2.', 'three', 'Answer 3.', 'four']);
});

it('sends the answer that is shown when a user has gone back to it', async () => {
  await send('one', 'Answer 1.');
  await press('Reload', page.locator('.assistant').last());
  await shown('Answer 2.');
  await press('Previous', page.locator('.assistant').last());
  await shown('Answer 1.');
  await send('how many', 'Answer 3.');
  expect(prompt()).toEqual(['one', 'Answer 1.', 'how many']);
  expect(await stored()).toEqual(['one', 'Answer 1.', 'how many', 'Answer 3.']);
});
