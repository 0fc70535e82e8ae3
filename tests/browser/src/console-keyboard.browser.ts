import { createServer } from '@halyard/server-fastify';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createClaim } from './claim-workflow.ts';
import { useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

/** The main flows with nothing but keys, from the first page on. */
const pages = useQuickstarts();

/** More presses than any page has stops. */
const mostStops = 90;

/** Presses Tab until `target` has the focus, and expects that it can be seen. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < mostStops; stops += 1) {
    if (await hasFocus(target)) {
      expect(await page.evaluate(isMarked), `the focus of ${String(target)} can be seen`).toBe(true);
      return;
    }
    await page.keyboard.press(key);
  }
  expect.fail(`Tab does not reach ${String(target)}`);
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === element.ownerDocument.activeElement);
}

/** Some controls are marked by an element around them, such as the row of a table. */
const isMarked = `(function isMarked(element, depth) {
  if (element === null || depth === 3) return false;
  const styles = [getComputedStyle(element), getComputedStyle(element, '::after')];
  return styles.some(({ boxShadow, outlineStyle }) => outlineStyle !== 'none' || boxShadow !== 'none') || isMarked(element.parentElement, depth + 1);
})(document.activeElement, 0)`;

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

it('chooses an agent, talks to it, approves a tool, and walks through the trace', async () => {
  const { page, problems } = await pages.open('/console/');
  await press(page, link(page, 'Playground'));
  const agent = page.getByRole('combobox', { name: 'Agent' });
  await tabTo(page, agent);
  await page.keyboard.type('Conc');
  await expect.poll(() => agent.inputValue()).toBe('concierge');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => agent.inputValue()).toBe('assistant');

  const message = page.getByLabel('Message', { exact: true });
  await tabTo(page, message);
  await page.keyboard.type('What time is it in Oslo?');
  await page.keyboard.press('Enter');
  await page
    .getByText(/time zone Europe\/Oslo/)
    .last()
    .waitFor();
  await button(page, 'Send').waitFor();
  await tabTo(page, message);
  await page.keyboard.type('Delete all notes');
  await page.keyboard.press('Enter');
  await tabTo(page, button(page, 'Approve'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('deleted 0').first().waitFor();

  await tabTo(page, link(page, 'Trace').last(), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('tab', { name: 'Story' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('tree', { name: 'Spans' }));
  const selected = page.getByRole('treeitem', { selected: true });
  const first = await selected.textContent();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => selected.textContent()).not.toBe(first);
  await page.keyboard.press('End');
  await expect.poll(() => selected.getAttribute('aria-level')).not.toBe('1');
  await page.keyboard.press('Home');
  const rows = await page.getByRole('treeitem').count();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(rows);
  await tabTo(page, page.getByRole('tab', { name: 'Content' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('tab')).not.toBeNull();
  expect(problems.join('\n')).toBe('');
});

it('starts a workflow by its form, rewinds it, and answers the step that waits', async () => {
  const storage = openStorage();
  const server = await createServer({ workflows: [createClaim({ isOpen: true })], storage, logger: false });
  pages.afterTest(() => server.close());
  const { page, problems } = await pages.openAt(await server.listen({ port: 0 }), '/console/');
  await press(page, link(page, 'Workflows'));
  await press(page, link(page, 'Claim'));
  await tabTo(page, page.getByLabel('customer'));
  await page.keyboard.type('Ada');
  await tabTo(page, page.getByLabel('kind'));
  await page.keyboard.type('ref');
  await tabTo(page, page.getByLabel('cents'));
  await page.keyboard.type('4000');
  await press(page, button(page, 'Start'));
  await page.getByRole('heading', { name: 'Ada claims 4000' }).waitFor();

  await tabTo(page, button(page, 'Rewind'));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, page.getByLabel('From the step'));
  await page.keyboard.type('merge');
  await press(page, button(page, 'Rewind and run'));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Ada claims 4000' }).waitFor();
  await tabTo(page, page.getByRole('tab', { name: 'Steps' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText('ran again').first().waitFor();

  await tabTo(page, page.getByRole('radio', { name: 'Yes' }));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByLabel('by'));
  await page.keyboard.type('Grace');
  await press(page, button(page, 'Resume'));
  await page.locator('header').getByText('completed', { exact: true }).first().waitFor();
  expect(problems.join('\n')).toBe('');
});
