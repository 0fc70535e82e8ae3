import type { LanguageModel } from '@halyard/core';
import { type ScriptedModel, scriptedModel } from '@halyard/core/testing';
import { demoModel } from '@halyard/example-model';
import { createQuickstart } from '@halyard/example-quickstart';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Opens a page of a new quickstart. Errors of the page and requests to other hosts are collected in `problems`. */
async function open(
  path: string,
  model: LanguageModel = demoModel({ delayMs: 1 }),
): Promise<{ page: Page; url: string; problems: string[] }> {
  const server = await createQuickstart(model, createInMemoryStorage(), { logger: false, signals: false });
  closing.push(() => server.close());
  const url = await server.listen({ port: 0 });
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme: 'light' });
  closing.push(() => page.close());
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on(
    'request',
    (request) =>
      !/^(data:|blob:)/.test(request.url()) &&
      !request.url().startsWith(url) &&
      problems.push(`request to ${request.url()}`),
  );
  await page.goto(url + path);
  return { page, url, problems };
}

async function send(page: Page, text: string): Promise<void> {
  await page.fill('#draft', text);
  await page.click('#send');
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

it('answers a message with a tool call and shows the call', async () => {
  const { page, problems } = await open('/chat');
  await send(page, 'What time is it in Tokyo?');

  const tool = page.locator('.tool[data-state="output-available"]');
  await tool.waitFor();
  expect(await tool.textContent()).toContain('getTime');
  expect(await tool.textContent()).toContain('Asia/Tokyo');
  await page.waitForSelector('#send');
  expect(await page.locator('.message.assistant p').last().textContent()).toContain('demo');
  await send(page, 'Convert 26.2 miles to kilometres');
  await page.getByText('42.165').first().waitFor();
  await page.waitForSelector('#send');
  await takeScreenshot(page, 'chat');
  expect(problems).toEqual([]);
});

it('shows the answer while it is generated, and stops it on request', async () => {
  const model: ScriptedModel = scriptedModel({
    text: Array.from({ length: 500 }, (_, index) => `word${index} `),
    pieceDelayMs: 20,
  });
  const { page, problems } = await open('/chat', model);
  await send(page, 'Tell me a long story');
  await page.getByText('word3').first().waitFor();
  expect(await page.locator('.message.assistant').textContent()).not.toContain('word499');

  await page.click('#stop');
  await page.waitForSelector('#send');
  await expect.poll(() => model.abortsSeen).toBe(1);
  expect(await page.locator('.message.assistant').textContent()).not.toContain('word499');
  expect(problems).toEqual([]);
});

it('asks for approval before it deletes, and respects the answer', async () => {
  const { page, problems } = await open('/chat');
  await send(page, 'Note: buy oars');
  await page.locator('.tool[data-state="output-available"]').first().waitFor();
  await page.waitForSelector('#send');

  await send(page, 'Delete all notes');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.locator('.tool[data-state="output-denied"]').waitFor();
  await page.waitForSelector('#send');

  await send(page, 'Delete all notes');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await takeScreenshot(page, 'approval');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('"deleted":1').waitFor();
  await page.waitForSelector('#send');
  expect(problems).toEqual([]);
});

it('delegates to another agent', async () => {
  const { page, problems } = await open('/chat');
  await page.selectOption('#agent', 'concierge');
  await send(page, 'What time is it in Lisbon?');
  const tool = page.locator('.tool[data-state="output-available"]');
  await tool.waitFor();
  expect(await tool.textContent()).toContain('ask_assistant');
  await page.waitForSelector('#send');
  expect(problems).toEqual([]);
});

it('shows a conversation again after a reload, and continues it', async () => {
  const { page, problems } = await open('/chat');
  await send(page, 'My name is Ada');
  await page.getByText('Hello Ada').waitFor();
  await page.waitForSelector('#send');
  await send(page, 'Note: buy oars');
  await page.locator('.tool[data-state="output-available"]').waitFor();
  await page.waitForSelector('#send');
  const before = await page.locator('.messages').textContent();

  await page.reload();
  await page.getByText('Hello Ada').waitFor();
  expect(await page.locator('.messages').textContent()).toBe(before);
  await send(page, 'What is my name?');
  await page.getByText('Your name is Ada').waitFor();
  await page.waitForSelector('#send');
  await page.reload();
  await page.getByText('Your name is Ada').waitFor();
  expect(await page.locator('.message').count()).toBe(6);
  await takeScreenshot(page, 'memory');
  expect(problems).toEqual([]);
});

it('asks again for a pending approval after a reload', async () => {
  const { page, problems } = await open('/chat');
  await send(page, 'Note: buy oars');
  await page.locator('.tool[data-state="output-available"]').waitFor();
  await page.waitForSelector('#send');
  await send(page, 'Delete all notes');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await page.waitForSelector('#send');

  await page.reload();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('"deleted":1').waitFor();
  await page.waitForSelector('#send');
  await page.reload();
  await page.getByText('"deleted":1').waitFor();
  expect(await page.locator('.message').count()).toBe(4);
  expect(problems).toEqual([]);
});

it('separates conversations, and can open earlier ones', async () => {
  const { page, problems } = await open('/chat');
  await send(page, 'My name is Ada');
  await page.getByText('Hello Ada').waitFor();
  await page.waitForSelector('#send');
  await page.click('#new');
  await page.getByText('Tells the time anywhere').waitFor();
  await send(page, 'What is my name?');
  await page.getByText('You have not told me your name').waitFor();
  await page.waitForSelector('#send');

  await expect.poll(() => page.locator('#conversation option').count()).toBe(2);
  await page.locator('#conversation').selectOption({ index: 1 });
  await page.getByText('Hello Ada').waitFor();
  expect(await page.locator('.message').count()).toBe(2);
  expect(problems).toEqual([]);
});

it('shows the agents and examples on the start page', async () => {
  const { page, problems } = await open('/');
  await page.getByText('Concierge').first().waitFor();
  expect(await page.locator('body').textContent()).toContain('curl');
  await takeScreenshot(page, 'start-page');
  expect(problems).toEqual([]);
});

it('has an API explorer that works without internet access and runs a request', async () => {
  const { page, problems } = await open('/ui');
  await page.locator('.opblock').first().waitFor();
  await takeScreenshot(page, 'api-explorer');

  const operation = page.locator('#operations-Agents-getAgent');
  await operation.locator('.opblock-summary').click();
  await operation.locator('input[placeholder="id"]').fill('assistant');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).first().waitFor();
  expect(await operation.locator('.live-responses-table').textContent()).toContain('getTime');
  expect(problems).toEqual([]);
});
