import { type ScriptedModel, scriptedModel } from '@halyard/core/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

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
