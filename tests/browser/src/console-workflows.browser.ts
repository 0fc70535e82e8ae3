import { createWorkflow } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';
import { expect, it } from 'vitest';
import { run, startServer, state } from './claim-server.ts';
import { expectAccessible } from './open-console.ts';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
const hostile = '<img src=x onerror=alert(1)>';

it('starts an execution by the form of the input, and resumes it by the form of the answer', async () => {
  const { page, problems } = await pages.openAt(await startServer(pages), '/console/workflows');
  await page.getByRole('link', { name: 'Claim' }).click();
  await page.getByText('in parallel').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-workflow');

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  // Missing values are named at their fields, and the first of them has the focus.
  await page.getByText('Required').first().waitFor();
  expect(await page.locator(':focus').getAttribute('id')).toBe(await page.getByLabel('customer').getAttribute('id'));
  await page.getByLabel('customer').fill(hostile);
  await page.getByLabel('kind').selectOption('repair');
  await page.getByLabel('cents').fill('20.5');
  await page.getByText('Must be a whole number').waitFor();
  await page.getByLabel('cents').fill('2000');
  await expect.poll(() => page.getByText('Must be a whole number').count()).toBe(0);
  await page.locator('summary', { hasText: 'Options' }).click();
  await page.getByLabel('Execution id').fill('first');
  await expectAccessible(page);
  await takeScreenshots(page, 'console-start');
  await page.locator('summary', { hasText: 'as code' }).click();
  expect(await page.getByLabel('Request', { exact: true }).textContent()).toContain('"executionId": "first"');
  await page.getByRole('button', { name: 'Start', exact: true }).click();

  await page.waitForURL(/executions\/claim\/first/);
  await page.getByRole('heading', { name: `${hostile} claims 2000` }).waitFor();
  await page.getByText('only if').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-suspended');
  await page.getByRole('button', { name: /^suspended approve/ }).click();
  await page.getByRole('complementary', { name: 'Step approve' }).getByText(hostile).first().waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Required').first().waitFor();
  await page.getByRole('radio', { name: 'Yes' }).check();
  await page.getByLabel('by').fill('Grace');
  await page.getByRole('button', { name: 'Resume' }).click();
  await state(page, 'completed');

  for (const tab of ['Timeline', 'Events', 'Input and result', 'Logs']) {
    await page.getByRole('tab', { name: tab }).click();
    await expectAccessible(page);
  }
  expect(problems.join('\n')).toBe('');
});

it('rewinds an execution that waits, and replays it with changed data, and compares the two', async () => {
  const url = await startServer(pages);
  const id = await run(url, { cents: 3_000 }, { executionId: 'old' });
  const { page, problems } = await pages.openAt(url, `/console/executions/claim/${id}?tab=timeline`);
  await page.getByRole('button', { name: 'Rewind' }).click();
  await page.getByLabel('From the step').selectOption('merge');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Rewind and run' }).click();
  await page.getByText('ran again').first().waitFor();
  await state(page, 'suspended');

  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByLabel('From the step').selectOption('merge');
  await page.getByText('Change the data that').click();
  await page.getByRole('textbox', { name: 'JSON' }).fill('[{ "name": "Bob" }, { "cents": 7, "kind": "repair" }]');
  await takeScreenshots(page, 'console-replay');
  await page.getByRole('button', { name: 'Start the replay' }).click();
  await state(page, 'completed');
  expect(page.url()).not.toContain('/old');

  await page.getByRole('link', { name: 'compare', exact: true }).click();
  await page.getByText(/of \d+ steps differ/).waitFor();
  const merge = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'merge' }) });
  await merge.getByText('differs').waitFor();
  await merge.getByText('"Bob"').or(merge.getByText('Bob')).first().waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-compare');
  expect(problems.join('\n')).toBe('');
});

it('retries a failed execution and cancels a waiting one', async () => {
  const bank = { isOpen: false };
  const url = await startServer(pages, bank);
  await run(url, {}, { executionId: 'failed' });
  await run(url, { cents: 5_000 }, { executionId: 'waiting' });
  const { page, problems } = await pages.openAt(url, '/console/executions/claim/failed');
  await page.getByRole('alert').getByText('Step "pay" failed').waitFor();
  // The error of the step is in the trace.
  await page.getByRole('alert').getByText('the bank is closed').waitFor();
  await page.getByRole('link', { name: 'Show in the trace' }).click();
  await page.getByRole('button', { name: /pay.*the bank is closed/, expanded: true }).waitFor();
  await page.goBack();
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  await takeScreenshots(page, 'console-failed');
  bank.isOpen = true;
  await page.getByRole('button', { name: 'Retry' }).click();
  await state(page, 'completed');

  await page.goto(`${url}/console/executions/claim/waiting`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('not needed');
  await page.getByRole('button', { name: 'Cancel the execution' }).click();
  await state(page, 'cancelled');
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  expect(problems.join('\n')).toBe('');
});

it('shows the duration of the last attempt of a step beside that of all attempts', async () => {
  const slow = createWorkflow({ id: 'slow', name: 'Slow', purpose: 'Succeeds at the second attempt' }).andThen({
    id: 'send',
    retries: { attempts: 2, delayMs: 2_000 },
    execute: ({ retryCount }) => {
      if (retryCount === 0) throw new Error('the line was busy');
      return 'sent';
    },
  });
  const server = await createServer({ workflows: [slow], storage: openStorage(), logger: false });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  await fetch(`${url}/workflows/slow/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: null, options: { executionId: 'twice' } }),
  });
  const { page, problems } = await pages.openAt(url, '/console/executions/slow/twice');
  const node = page.getByRole('button', { name: /send/ }).first();
  await node.getByText('2 attempts, last').waitFor();
  await node.click();
  const panel = page.getByRole('complementary', { name: 'Step send' });
  await panel.getByText('Last attempt').waitFor();
  const durations = /Last attempt\s*(\S+ m?s)\s*All attempts\s*(\S+ m?s)/.exec((await panel.textContent()) ?? '');
  const [, last = '', all = ''] = durations ?? [];
  // All attempts include the delay, which is at least a second; the durations are rounded to a
  // tenth of a second.
  expect(millisecondsOf(all) - millisecondsOf(last)).toBeGreaterThanOrEqual(900);
  expect(await node.textContent()).toContain(`2 attempts, last ${last}`);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  const row = page.getByRole('list', { name: 'Runs of steps' }).getByRole('listitem');
  await row.getByText('2 attempts').waitFor();
  expect((await row.textContent())?.replaceAll(all, '')).toContain(last);
  expect(problems.join('\n')).toBe('');
});

function millisecondsOf(duration: string): number {
  return Number.parseFloat(duration) * (duration.endsWith('ms') ? 1 : 1_000);
}

it('shows which executions a bulk action reaches before it changes them, and its report', async () => {
  const bank = { isOpen: false };
  const url = await startServer(pages, bank);
  for (let count = 0; count < 25; count += 1) await run(url, { cents: 10 + count }, { metadata: { batch: 'a' } });
  await run(url, { cents: 9 }, { metadata: { batch: 'b' } });
  const { page, problems } = await pages.openAt(url, '/console/executions');
  await page.getByLabel('Metadata').fill('batch=a');
  await page.getByRole('button', { name: /failed/ }).click();
  await page.waitForURL(/status=error/);
  await page.getByRole('button', { name: 'Change all that match' }).click();
  await page.getByText('25 executions match').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-bulk');
  bank.isOpen = true;
  await page.getByRole('button', { name: 'Retry 25 executions' }).click();
  await page.getByText('25 of 25 retried').waitFor();
  await expectAccessible(page);

  // Some by hand: only those whose state allows it.
  await page.goto(`${url}/console/executions`);
  await page.getByLabel('Select row 1', { exact: true }).check();
  await page.getByLabel('Select row 2', { exact: true }).check();
  await page.getByRole('button', { name: 'Change 2 selected' }).click();
  await page.getByRole('radio', { name: 'Retry' }).check();
  await page.getByText('1 of 2 will change').waitFor();
  await page.getByRole('button', { name: 'Retry 2 executions' }).click();
  await page.getByText('1 of 2 retried').waitFor();
  await page.getByRole('button', { name: 'Change all that match' }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('can be used by keyboard alone', async () => {
  const url = await startServer(pages);
  const { page, problems } = await pages.openAt(url, '/console/workflows/claim?tab=start');
  const tab = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) await page.keyboard.press('Tab');
  };
  // The link moves to the form.
  await page.locator('textarea:focus').waitFor();
  await page.keyboard.type('Ada');
  await tab(1);
  await page.keyboard.type('ref');
  await tab(1);
  await page.keyboard.type('4000');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Ada claims 4000' }).waitFor();
  await page.getByRole('radio', { name: 'Yes' }).focus();
  await page.keyboard.press('Space');
  await tab(1);
  await page.keyboard.type('Grace');
  await page.keyboard.press('Control+Enter');
  await state(page, 'completed');

  // A dialog keeps the focus, and Escape gives it back.
  const replay = page.getByRole('button', { name: 'Replay', exact: true });
  await replay.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(await page.locator('button:focus').textContent()).toBe('Replay');
  expect(problems.join('\n')).toBe('');
});

it('works on a phone', async () => {
  const url = await startServer(pages, { isOpen: false });
  await run(url, {}, { executionId: 'failed', userId: 'ada' });
  await run(url, { cents: 4_000, customer: hostile }, { executionId: 'small' });
  const { page, problems } = await pages.openAt(url, '/console/executions', phone);
  await page.getByRole('row').filter({ hasText: 'failed' }).getByText('pay: ').waitFor();
  await page.getByText(`approve: ${hostile} claims 4000`).waitFor();
  await page.getByRole('link', { name: 'small' }).click();
  await page.getByRole('heading', { name: `${hostile} claims 4000` }).waitFor();
  await page.getByText('in parallel').waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  expect(problems.join('\n')).toBe('');
});
