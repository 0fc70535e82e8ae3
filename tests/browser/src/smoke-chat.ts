import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { ended, send, takeScreenshots } from './open-quickstart.ts';

interface OpenedChat {
  readonly page: Page;
  /** Errors of the page. */
  readonly problems: readonly string[];
}

/**
 * The chat of the harbour: its own views, a booking with an approval, and all of it after a reload.
 *
 * @param isExpected of an error of the page.
 */
export function smokeTest(
  name: string,
  open: () => Promise<OpenedChat>,
  isExpected: (problem: string) => boolean = () => false,
): void {
  it('shows the harbour, and books a berth after an approval', async () => {
    const { page, problems } = await open();
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    await takeScreenshots(page, `${name}-empty`);
    await page.setViewportSize({ width: 390, height: 760 });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'When is high water in Falmouth today?' }).click();
    await page.getByRole('img', { name: /high water/ }).waitFor();
    await ended(page);
    await send(page, 'Which berths are free?');
    await page.getByRole('rowheader', { name: 'C2' }).waitFor();
    await ended(page);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

    await page.setViewportSize({ width: 1100, height: 760 });
    await send(page, 'Book berth B11 for 2 nights');
    await page.getByText('Book berth B11 for 2 nights?').waitFor();
    await ended(page);
    await page.reload();
    await page.getByText('Book berth B11 for 2 nights?').waitFor();
    await takeScreenshots(page, `${name}-approval`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.answer p').getByText('Berth B11 is booked for 2 nights').waitFor();
    await ended(page);
    await page.getByRole('link', { name: /high water/i }).waitFor();
    expect(problems.filter((problem) => !isExpected(problem))).toEqual([]);
  });
}
