import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

it('finds a tool, and runs it by a form', async () => {
  const { page, problems } = await open('/console/tools');
  await page.getByLabel('Search tools').fill('city');
  await page.getByText('convertUnits').waitFor({ state: 'detached' });
  await expectAccessible(page);
  await page.getByRole('link', { name: 'getTime' }).click();

  await page.getByRole('button', { name: 'Run the tool' }).click();
  await page.getByText('Required', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'city' }).fill('Oslo');
  await page.getByRole('button', { name: 'Run the tool' }).click();
  await page.getByRole('group', { name: 'Result 1' }).getByText('Europe/Oslo').waitFor();
  await page.getByRole('region', { name: 'The same request as code' }).getByText('"city": "Oslo"').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-tool');

  await page.getByRole('link', { name: 'Trace', exact: true }).click();
  await page.getByText('getTime').first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('runs a tool by the keyboard, for a user, and shows hostile text as text', async () => {
  const { page, problems } = await open('/console/tools/addNote');
  await page.getByRole('textbox', { name: 'text' }).focus();
  await page.keyboard.type('<img src=x onerror="document.title=1">');
  await page.keyboard.press('Control+Enter');
  const result = page.getByRole('group', { name: 'Result 1' });
  await result.getByText('<img src=x').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.title()).toContain('addNote');
  expect(problems.join('\n')).toBe('');
});

it('says before a run that a tool needs an agent', async () => {
  const { page } = await open('/console/tools/deleteNotes');
  await page.getByText('wait for a person’s approval').waitFor();
  expect(await page.getByRole('button', { name: 'Run the tool' }).isDisabled()).toBe(true);
  await expectAccessible(page);
});
