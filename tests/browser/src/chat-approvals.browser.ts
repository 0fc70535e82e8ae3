import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { ask, ended, phone, send, takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

const states = (page: Page): Promise<string[]> => page.locator('.tool summary span').allTextContents();

it('asks before a tool runs, also after a reload, and respects both answers', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'Note: buy oars');
  await send(page, 'Delete all notes');
  await page.getByText('Run deleteNotes?').waitFor();
  expect(await states(page)).toEqual(['done', 'waits for you']);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('I leave deleteNotes alone.').first().waitFor();
  await ended(page);

  await send(page, 'Delete all notes');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await takeScreenshots(page, 'quickstart-approval');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('deleted 1').first().waitFor();
  await ended(page);
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await page.reload();
  await page.getByText('deleted 1').first().waitFor();
  expect(await states(page)).toEqual(['done', 'declined', 'done']);
  expect(await page.locator('.entry').count()).toBe(6);
  expect(problems.join('\n')).toBe('');
});

it('shows a pending approval on a phone where nothing covers it, wherever the reader is', async () => {
  const { page, problems } = await open('/chat', undefined, phone);
  await ask(page, 'Note: buy oars');
  for (const city of ['Tokyo', 'Rome', 'Oslo', 'Lisbon']) await ask(page, `What time is it in ${city}?`);
  await send(page, 'Delete all notes');
  const button = page.getByRole('button', { name: 'Approve' });
  await button.waitFor();
  await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, -scroller.scrollHeight));

  const isOnTop = await button.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2) === element;
  });
  expect(isOnTop).toBe(true);
  const dock = await page.locator('.composer').boundingBox();
  const box = await button.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(dock?.y ?? 0);
  await button.tap();
  await page.getByText('deleted 1').first().waitFor();
  expect(problems.join('\n')).toBe('');
});
