import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

const hostile = '<img src=x onerror="document.title=1"> is wrong';

it('rates a reply by keyboard, with a note that the trace shows, and lists the trace by its rating', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant');
  await page.getByLabel('Message', { exact: true }).fill('What time is it in Oslo?');
  await page.keyboard.press('Enter');
  const bad = page.getByRole('button', { name: 'Bad answer' });
  await bad.focus();
  await page.keyboard.press('Enter');
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill(hostile);
  await expectAccessible(page);
  await note.press('Enter');
  await page.getByText('Thank you').waitFor();
  expect(await bad.getAttribute('aria-pressed')).toBe('true');

  await page.reload();
  await page.getByText(hostile, { exact: true }).waitFor();
  expect(await bad.getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByRole('button', { name: 'Good answer' }).getAttribute('aria-pressed')).toBe('false');

  await page.getByRole('link', { name: 'Traces', exact: true }).click();
  await page.getByRole('table', { name: 'Traces' }).getByRole('link').click();
  await page.getByRole('button', { name: /Rated not helpful.*is wrong/ }).waitFor();
  await page.getByText('👎', { exact: true }).waitFor();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Traces', exact: true }).click();
  const rows = page.getByRole('table', { name: 'Traces' }).getByRole('link');
  await page.getByRole('combobox', { name: 'Feedback' }).selectOption('up');
  await page.getByText('No trace matches').waitFor();
  await page.getByRole('combobox', { name: 'Feedback' }).selectOption('down');
  await page.getByRole('cell', { name: '👎', exact: true }).waitFor();
  expect(await rows.count()).toBe(1);
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('withdraws a rating, and fits on a phone', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant');
  await page.setViewportSize({ width: 400, height: 800 });
  await page.getByLabel('Message', { exact: true }).fill('What time is it in Oslo?');
  await page.keyboard.press('Enter');
  const good = page.getByRole('button', { name: 'Good answer' });
  await good.click();
  await page.getByRole('textbox', { name: 'Note' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await good.click();
  await page.getByRole('textbox', { name: 'Note' }).waitFor({ state: 'detached' });
  expect(await good.getAttribute('aria-pressed')).toBe('false');
  await page.goto(new URL('/console/traces?feedback=up', page.url()).href);
  await page.getByText('No trace matches').waitFor();
  expect(problems.join('\n')).toBe('');
});
