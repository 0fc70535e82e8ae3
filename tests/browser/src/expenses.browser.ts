import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const { afterTest, open, openAt } = useQuickstarts();

async function claim(page: Page, purpose: string, euros: string): Promise<void> {
  await page.getByLabel('What for').fill(purpose);
  await page.getByLabel('Euros').fill(euros);
  await page.getByRole('button', { name: 'Claim' }).click();
}

function step(page: Page, id: string, state: string) {
  return page.locator(`[data-step="${id}"][data-state="${state}"]`);
}

it('pays a small claim at once, and shows its steps as they run', async () => {
  const { page, problems } = await open('/expenses');
  await page.getByText('None yet.').waitFor();
  await claim(page, 'A book', '30');
  await step(page, 'approve', 'skipped').waitFor();
  await step(page, 'bank', 'running').waitFor();
  await takeScreenshots(page, 'expenses-running');
  await page.getByText('Paid: P-').waitFor();
  await step(page, 'record', 'done').waitFor();
  await page.locator('#all').getByText('paid').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('waits for a second person, also after a reload, and pays after the approval', async () => {
  const { page, problems } = await open('/expenses');
  await claim(page, 'Train to Oslo', '240');
  await step(page, 'approve', 'waiting').waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

  await page.reload();
  await page.getByText('Ada claims € 240.00: Train to Oslo').waitFor();
  await page.getByRole('button', { name: 'Continue as that person' }).click();
  await takeScreenshots(page, 'expenses-waiting');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Paid: P-').waitFor();
  await page.locator('#all').getByText('paid').waitFor();
  await takeScreenshots(page, 'expenses-paid');
  expect(problems.join('\n')).toBe('');
});

it('shows the denial of another window, with its reason', async () => {
  const { page, problems, url } = await open('/expenses');
  await claim(page, 'A yacht', '90000');
  await step(page, 'approve', 'waiting').waitFor();

  const other = await openAt(url, new URL(page.url()).search.replace('?', '/expenses?'));
  await other.page.getByLabel('You are').selectOption('Grace');
  await other.page.getByLabel('Reason').fill('Too large');
  await other.page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Denied by Grace: Too large').waitFor();
  await step(page, 'pay', 'to do').waitFor();
  expect([...problems, ...other.problems].join('\n')).toBe('');
});

it('says which field is wrong', async () => {
  const { page } = await open('/expenses');
  // The browser checks the fields too.
  await page.evaluate("document.querySelector('form').noValidate = true");
  await claim(page, '', '240');
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('body/input/purpose');
});

it('still waits after the server was killed, and continues when it is back', { timeout: 180_000 }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'halyard-expenses-'));
  afterTest(() => rm(dataDir, { recursive: true, force: true }));
  await copyEmbeddedTemplate(join(dataDir, 'data'));
  const first = await startQuickstart(join(dataDir, 'data'), '0');
  const { page } = await openAt(first.url, '/expenses');
  await claim(page, 'Train to Oslo', '240');
  await step(page, 'approve', 'waiting').waitFor({ timeout: 90_000 });

  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await page.getByText('The server is not reachable').waitFor();
  await step(page, 'approve', 'waiting').waitFor();

  await startQuickstart(join(dataDir, 'data'), new URL(first.url).port);
  await page.getByText('The server is not reachable').waitFor({ state: 'detached', timeout: 90_000 });
  await page.getByRole('button', { name: 'Continue as that person' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Paid: P-').waitFor({ timeout: 90_000 });
  expect(await page.locator('#all li').count()).toBe(1);
});

async function startQuickstart(dataDir: string, port: string): Promise<{ child: ChildProcess; url: string }> {
  const main = fileURLToPath(new URL('../../../examples/quickstart/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@halyard/source', main, '--port', port, '--data-dir', dataDir], {
    env: { ...process.env, HALYARD_MODEL: 'demo', DATABASE_URL: '', NODE_ENV: 'development' },
  });
  afterTest(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let screen = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (screen += text));
  await expect.poll(() => screen, { timeout: 90_000 }).toMatch(/Start page +\S+\/\n/);
  return { child, url: /Start page +(\S+)\/\n/.exec(screen)?.[1] ?? '' };
}
