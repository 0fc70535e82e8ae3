import { scriptedModel } from '@halyard/core/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { ask, phone, send, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

const titles = (page: Page): Promise<string[]> => page.locator('.conversation-title').allTextContents();

/** Two conversations. The second one is open. */
async function openTwo(): Promise<{ page: Page; problems: readonly string[] }> {
  const { page, problems } = await open('/chat');
  await ask(page, 'What time is it in Tokyo?');
  await page.click('#new');
  await ask(page, 'Convert 26.2 miles to kilometres');
  const expected = ['Convert 26.2 miles to kilometres', 'What time is it in Tokyo?'];
  await expect.poll(() => titles(page)).toEqual(expected);
  return { page, problems };
}

it('shows a conversation again after a reload, and continues it', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'My name is Ada');
  await page.getByText('You wrote: My name is Ada').first().waitFor();
  await ask(page, 'Note: buy oars');
  const before = await page.locator('.messages').textContent();

  await page.reload();
  await page.getByText('You wrote: My name is Ada').first().waitFor();
  expect(await page.locator('.messages').textContent()).toBe(before);
  await ask(page, 'What did I say?');
  await page.getByText('You said: “Note: buy oars”').first().waitFor();
  await page.reload();
  await page.getByText('You said: “Note: buy oars”').first().waitFor();
  expect(await page.locator('.message').count()).toBe(6);
  expect(problems).toEqual([]);
});

it('separates conversations, and can open earlier ones', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'My name is Ada');
  await page.click('#new');
  await page.getByText('Tells the time anywhere').waitFor();
  await ask(page, 'What did I say?');
  await page.getByText('You wrote: What did I say?').first().waitFor();

  await page.getByRole('button', { name: 'My name is Ada', exact: true }).click();
  await page.getByText('You wrote: My name is Ada').first().waitFor();
  expect(await page.locator('.message').count()).toBe(2);
  expect(problems).toEqual([]);
});

it('lists a conversation while its first answer is generated', async () => {
  const story = { text: Array.from({ length: 60 }, (_, index) => `word${index} `) };
  const { model, release } = heldModel(scriptedModel(story));
  const { page } = await open('/chat', model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  await expect.poll(() => titles(page)).toEqual(['Tell me a story']);
  release();
});

it('shows the title that the server creates', async () => {
  const { page } = await open('/chat', scriptedModel('Aye.', 'Sailing north'));
  await ask(page, 'Can we sail north?');
  await expect.poll(() => titles(page)).toEqual(['Sailing north']);
});

it('searches titles', async () => {
  const { page } = await openTwo();
  await page.getByRole('searchbox').fill('tokyo');
  expect(await titles(page)).toEqual(['What time is it in Tokyo?']);
  await page.getByRole('searchbox').fill('nothing');
  await page.getByText('No title contains this.').waitFor();
});

it('renames a conversation', async () => {
  const { page, problems } = await openTwo();
  await page.getByRole('button', { name: 'What time is it in Tokyo?', exact: true }).hover();
  await page.getByRole('button', { name: 'Rename What time is it in Tokyo?' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Clocks');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Clocks', exact: true }).waitFor();
  await page.reload();
  await expect.poll(() => titles(page)).toContain('Clocks');
  expect(problems).toEqual([]);
});

it('deletes a conversation after a confirmation', async () => {
  const { page, problems } = await openTwo();
  const conversation = page.locator('.conversation', { hasText: 'Convert 26.2 miles to kilometres' });
  const bin = conversation.getByRole('button', { name: 'Delete' });
  await conversation.hover();
  await bin.click();
  await page.getByRole('button', { name: 'Keep' }).click();
  expect(await titles(page)).toHaveLength(2);

  await conversation.hover();
  await bin.click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => titles(page)).toEqual(['What time is it in Tokyo?']);
  await page.getByText('Tells the time anywhere').waitFor();
  expect(problems).toEqual([]);
});

it('moves between conversations with the arrow keys', async () => {
  const { page, problems } = await openTwo();
  await page.locator('.conversation-title').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('time zone Asia/Tokyo').first().waitFor();
  expect(problems).toEqual([]);
});

it('opens the list as a drawer on a phone', async () => {
  const { page, problems } = await open('/chat', undefined, phone);
  await ask(page, 'My name is Ada');
  await page.locator('header').getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('Tells the time anywhere').waitFor();

  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.keyboard.press('Escape');
  await page.locator('.sidebar[data-open="false"]').waitFor();
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('button', { name: 'My name is Ada', exact: true }).click();
  await page.getByText('You wrote: My name is Ada').first().waitFor();
  await page.locator('.sidebar[data-open="false"]').waitFor();
  expect(problems).toEqual([]);
});

it('links to the start page, the expenses, the API and the traces', async () => {
  const { page, url } = await open('/chat');
  await page.waitForSelector('#draft');
  const hrefs = await page.locator('.sidebar footer a').evaluateAll((links) => links.map((link) => String(link)));
  expect(hrefs).toEqual([`${url}/`, `${url}/expenses`, `${url}/ui`, `${url}/doc`, `${url}/#runs`]);
  for (const href of hrefs) expect((await fetch(href)).status).toBe(200);
});

it('switches between light and dark, and remembers the choice', async () => {
  const { page } = await open('/chat');
  const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.getByRole('button', { name: 'Use dark colours' }).click();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('button', { name: 'Use light colours' }).waitFor();
  expect(await background()).toBe(dark);
});
