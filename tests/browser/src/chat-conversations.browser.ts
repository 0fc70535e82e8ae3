import { scriptedModel } from '@halyard/core/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { expectAccessible } from './open-console.ts';
import { ask, ended, phone, send, takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

const titles = (page: Page): Promise<string[]> => page.locator('.sidebar .title').allTextContents();
const openNew = (page: Page): Promise<void> => page.getByRole('button', { name: 'New conversation' }).first().click();

it('shows a conversation again after a reload, and continues it', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'My name is Ada');
  await ask(page, 'Note: buy oars');
  const before = await page.locator('.entries').textContent();

  await page.reload();
  await page.getByText('You wrote: My name is Ada').first().waitFor();
  await expect.poll(() => page.locator('.entries').textContent()).toBe(before);
  await ask(page, 'What did I say?');
  await page.getByText('You said: “Note: buy oars”').first().waitFor();
  await page.reload();
  await page.getByText('You said: “Note: buy oars”').first().waitFor();
  expect(await page.locator('.entry').count()).toBe(6);
  expect(problems.join('\n')).toBe('');
});

it('lists a conversation while its first answer is generated, then with the title of the server', async () => {
  const story = { text: Array.from({ length: 60 }, (_, index) => `word${index} `) };
  const { model, release } = heldModel(scriptedModel(story, 'Sailing north'));
  const { page } = await open('/chat', model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  await expect.poll(() => titles(page)).toEqual(['Tell me a story']);
  release();
  await expect.poll(() => titles(page)).toEqual(['Sailing north']);
});

it('asks for no history before the first message, and puts the id of the conversation into the URL with it', async () => {
  const { page, problems } = await open('/chat', scriptedModel('Aye.', 'A story', 'Aye, aye.', 'Another'));
  // The reload would cancel requests of the page.
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const historyRequests = (): readonly string[] => asked.filter((url) => url.includes('/messages'));
  await page.reload();
  await page.getByText('Your conversations are kept here.').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await ask(page, 'Can we sail?');
  await page.getByRole('link', { name: 'A story' }).waitFor();
  const first = page.url();
  expect(new URL(first).hash).not.toBe('');

  await openNew(page);
  await page.getByRole('heading', { name: 'Assistant' }).waitFor();
  await ask(page, 'And tomorrow?');
  await page.getByText('Aye, aye.').first().waitFor();
  expect(page.url()).not.toBe(first);
  expect(historyRequests()).toEqual([]);
  await page.goBack();
  await page.locator('.question').getByText('Can we sail?').waitFor();
  expect(page.url()).toBe(first);
  expect(await page.locator('.entry').count()).toBe(2);
  expect(problems.join('\n')).toBe('');
});

it('renames a conversation', async () => {
  const { page, problems } = await open('/chat', scriptedModel('Aye.', 'A story'));
  await ask(page, 'Tell me a story');
  await page.getByRole('link', { name: 'A story' }).waitFor();
  page.once('dialog', (dialog) => void dialog.accept('Sailing north'));
  await page.getByRole('button', { name: 'Rename A story' }).click();
  await expect.poll(() => titles(page)).toEqual(['Sailing north']);
  await page.reload();
  await expect.poll(() => titles(page)).toEqual(['Sailing north']);
  expect(problems.join('\n')).toBe('');
});

it('deletes a conversation after a confirmation', async () => {
  const { page, problems } = await open('/chat', scriptedModel('Aye.', 'A story'));
  await ask(page, 'Tell me a story');
  await page.getByRole('link', { name: 'A story' }).waitFor();
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('button', { name: 'Delete A story' }).click();
  expect(await titles(page)).toEqual(['A story']);

  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete A story' }).click();
  await page.getByText('Your conversations are kept here.').waitFor();
  await page.getByRole('heading', { name: 'Assistant' }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('reads nothing more of a conversation that is deleted while it is opened', async () => {
  const { page, problems } = await open('/chat', scriptedModel('Aye.', 'A story'));
  await ask(page, 'Tell me a story');
  await page.getByRole('link', { name: 'A story' }).waitFor();
  // The page has the history, and asks whether an answer is being generated.
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.route('**/stream', async (route) => {
    await deleted;
    // The page may have aborted the request.
    await route.fulfill({ status: 204 }).catch(() => {});
  });
  const asking = page.waitForRequest('**/stream');
  await page.reload();
  await asking;
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete A story' }).click();
  await deleted;
  await page.getByText('Your conversations are kept here.').waitFor();
  await page.waitForLoadState('networkidle');
  expect(problems.join('\n')).toBe('');
});

it('is whole on a phone, with a list that opens over it', async () => {
  const { page, problems } = await open('/chat', undefined, phone);
  await page.getByRole('heading', { name: 'Assistant' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'What time is it in Tokyo?' }).click();
  await page.getByText('time zone Asia/Tokyo').first().waitFor();
  await ended(page);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.locator('header').getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: 'Assistant' }).waitFor();

  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).focus();
  await page.keyboard.press('Escape');
  await page.getByRole('navigation').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('link', { name: /Tokyo/ }).click();
  await page.getByText('time zone Asia/Tokyo').first().waitFor();
  await page.getByRole('navigation').waitFor({ state: 'hidden' });
  await takeScreenshots(page, 'quickstart-chat');
  expect(problems.join('\n')).toBe('');
});

it('shows the conversations of one agent at a time', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'What time is it in Tokyo?');
  await page.getByLabel('Agent', { exact: true }).selectOption('Concierge');
  await page.getByRole('heading', { name: 'Concierge' }).waitFor();
  await page.getByText('Your conversations are kept here.').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('links to the start page, the expenses, the API and the traces', async () => {
  const { page, url } = await open('/chat');
  await page.locator('.links').waitFor();
  const hrefs = await page.locator('.links a').evaluateAll((links) => links.map((link) => String(link)));
  expect(hrefs).toEqual([`${url}/`, `${url}/expenses`, `${url}/ui`, `${url}/doc`, `${url}/console/traces`]);
  for (const href of hrefs) expect((await fetch(href)).status).toBe(200);
});
