import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ask, phone, send, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('deleted 1').first().waitFor();
  await page.waitForSelector('#send');
}

it('asks for approval before it deletes, and respects the answer', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'Note: buy oars');

  await send(page, 'Delete all notes');
  await page.locator('.tool[data-state="asking"]').getByText('Needs approval').waitFor();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.locator('.tool[data-state="denied"]').waitFor();
  await page.waitForSelector('#send');

  await send(page, 'Delete all notes');
  await approve(page);
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  expect(problems).toEqual([]);
});

it('asks again for a pending approval after a reload', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'Note: buy oars');
  await send(page, 'Delete all notes');
  await page.getByRole('button', { name: 'Approve' }).waitFor();

  await page.reload();
  await approve(page);
  await page.reload();
  await page.getByText('deleted 1').first().waitFor();
  expect(await page.locator('.message').count()).toBe(4);
  expect(problems).toEqual([]);
});

it('shows a pending approval on a phone where nothing covers it, wherever the reader is', async () => {
  const { page, problems } = await open('/chat', undefined, phone);
  await ask(page, 'Note: buy oars');
  for (const city of ['Tokyo', 'Rome', 'Oslo', 'Lisbon']) await ask(page, `What time is it in ${city}?`);
  await send(page, 'Delete all notes');
  const button = page.getByRole('button', { name: 'Approve' });
  await button.waitFor();
  await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, 0));

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
  expect(problems).toEqual([]);
});
