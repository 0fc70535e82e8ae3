import { scriptedModel } from '@halyard/core/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { ask, ended, phone, send, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();
const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const story = { text: Array.from({ length: 120 }, (_, index) => `line ${index}\n\n`) };

/** The distance of the messages' end from the visible bottom, in pixels. */
function distanceToEnd(page: Page): Promise<number> {
  // The order of the box is reversed: it begins at the end.
  return page.locator('.scroller').evaluate(({ scrollTop }) => Math.round(Math.abs(scrollTop)));
}

it('sends with Enter, and starts a new line with Shift+Enter', async () => {
  const { page, problems } = await open('/chat');
  await page.getByLabel('Message', { exact: true }).pressSequentially('My name');
  await page.keyboard.press('Shift+Enter');
  await page.getByLabel('Message', { exact: true }).pressSequentially('is Ada');
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('My name\nis Ada');
  await page.keyboard.press('Enter');
  expect(await page.locator('.question p').textContent()).toBe('My name\nis Ada');
  expect(problems.join('\n')).toBe('');
});

it('sends a suggestion of an empty conversation', async () => {
  const { page, problems } = await open('/chat');
  await page.getByRole('button', { name: 'What time is it in Tokyo?' }).click();
  await page.locator('.tool[data-state="done"]').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('sends files that are picked, and shows them in the message', async () => {
  const { page, problems } = await open('/chat');
  await page.locator('input[type="file"]').setInputFiles([
    { name: 'chart.png', mimeType: 'image/png', buffer: image },
    { name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('Fair wind') },
  ]);
  await page.getByRole('button', { name: 'Remove log.txt' }).click();
  await ask(page, 'Look at this');
  await page.getByText('a file (image/png)').first().waitFor();
  expect(await page.locator('.composer .files').count()).toBe(0);
  await page.reload();
  await page.locator('.question').getByRole('img', { name: 'chart.png' }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it.each(['drop', 'paste'])('attaches files on %s', async (kind) => {
  const { page } = await open('/chat');
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(['Fair wind'], 'log.txt', { type: 'text/plain' }));
    const bubbles = { bubbles: true, cancelable: true };
    document.querySelector('textarea').dispatchEvent(
      ${kind === 'drop'}
        ? new DragEvent('drop', { ...bubbles, dataTransfer: data })
        : new ClipboardEvent('paste', { ...bubbles, clipboardData: data }),
    );
  }`);
  await page.getByText('log.txt').waitFor();
  expect(await page.locator('.composer .files li').count()).toBe(1);
});

it('refuses files that are too large', async () => {
  const { page } = await open('/chat');
  const buffer = Buffer.alloc(6 * 1024 * 1024);
  await page.locator('input[type="file"]').setInputFiles({ name: 'film.mp4', mimeType: 'video/mp4', buffer });
  await page.getByText('The files are too large').waitFor();
  expect(await page.getByText('film.mp4').count()).toBe(0);
});

it.each([undefined, phone])('follows an answer, and never covers its last line (%o)', async (settings) => {
  const { model, release } = heldModel(scriptedModel(story, 'A title'), 61);
  const { page } = await open('/chat', model, settings);
  await send(page, 'Tell me a story');
  await page.getByText('line 60', { exact: true }).waitFor();
  await expect.poll(() => distanceToEnd(page)).toBeLessThanOrEqual(40);
  release();
  await page.getByText('line 119', { exact: true }).waitFor();
  await ended(page);

  const last = await page.getByText('line 119', { exact: true }).boundingBox();
  const dock = await page.locator('.dock').boundingBox();
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(dock?.y ?? 0);
});

it('stays where the reader scrolls to, and jumps to the latest on request', async () => {
  const { model, release } = heldModel(scriptedModel(story, 'A title'), 61);
  const { page } = await open('/chat', model);
  await send(page, 'Tell me a story');
  await page.getByText('line 60', { exact: true }).waitFor();
  await page.evaluate(`addEventListener('scrollend', () => { document.body.dataset.scrolled = ''; }, true)`);
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, -600);
  await page.waitForSelector('body[data-scrolled]');
  const top = async (): Promise<number> => (await page.getByText('line 40', { exact: true }).boundingBox())?.y ?? 0;
  const before = await top();
  release();
  await page.getByText('line 119', { exact: true }).waitFor();
  await ended(page);
  expect(Math.abs((await top()) - before)).toBeLessThan(2);

  const jump = page.getByRole('button', { name: 'Jump to latest' });
  await jump.click();
  await jump.waitFor({ state: 'detached' });
  expect(await distanceToEnd(page)).toBe(0);
});

it('announces the answer when it is complete', async () => {
  const { page } = await open('/chat', scriptedModel('The wind is fair.', 'A title'));
  await ask(page, 'How is the wind?');
  await expect.poll(() => page.getByRole('status').textContent()).toBe('The wind is fair.');
});
