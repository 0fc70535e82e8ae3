import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../packages/memory-postgres/src/testing/postgres-server.ts';
import { useQuickstarts } from './open-quickstart.ts';

const pages = useQuickstarts();
let database: PostgresServer;
let urls: readonly string[];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await startPostgresServer();
  // One after the other: the first creates the tables.
  urls = [await startReplica(), await startReplica()];
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await database.remove();
});

async function startReplica(): Promise<string> {
  const replica = fileURLToPath(new URL('console-replica.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@halyard/source', replica, database.connectionString], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  stops.push(async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return line.toString().trim();
}

async function post(url: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/workflows/claim/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

it('shows changes of another replica', async () => {
  const [one = '', other = ''] = urls;
  const { page, problems } = await pages.openAt(one, '/console/executions');
  await page.getByText('Nothing has run yet').waitFor();
  const input = { customer: 'Ada', kind: 'refund', cents: 9_000 };
  await post(other, 'execute', { input, options: { executionId: 'elsewhere' } });
  const row = page.getByRole('row').filter({ hasText: 'elsewhere' });
  await row.getByText('suspended').waitFor();
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: 'Ada claims 9000' }).waitFor();
  await post(other, 'executions/elsewhere/resume', { resumeData: { approved: true, by: 'Grace' } });
  await page.locator('header').getByText('completed').first().waitFor();
  await page.goBack();
  await row.getByText('completed').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('shows on a phone when an execution without a user began', async () => {
  const [one = ''] = urls;
  const { page, problems } = await pages.openAt(one, '/console/executions');
  await page.setViewportSize({ width: 400, height: 800 });
  const row = page.getByRole('row').filter({ hasText: 'elsewhere' });
  await row.locator('time').waitFor();
  expect(await row.innerText()).not.toContain('undefined');

  // A thumb ticks the box at the edge of the row, and does not open the execution.
  const { height, y } = (await row.boundingBox()) ?? expect.fail('the row is not in view');
  await page.mouse.click(4, y + height - 4);
  await page.mouse.click(44, y + 4);
  await page.mouse.click(44, y + height / 2);
  await page.getByRole('button', { name: 'Change 1 selected' }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('keeps the labels of filters free in texts from right to left', async () => {
  const [one = ''] = urls;
  const { page } = await pages.openAt(one, '/console/executions');
  await page.evaluate("document.documentElement.dir = 'rtl'");
  const filter = page.locator('label', { has: page.getByRole('combobox', { name: 'Workflow' }) });
  const arrow = (await filter.locator('svg').boundingBox()) ?? expect.fail('no arrow');
  const label = (await filter.locator('span').boundingBox()) ?? expect.fail('no label');
  expect(arrow.x + arrow.width).toBeLessThan(label.x);
});

it('scrolls through 100 000 executions', async () => {
  const [one = ''] = urls;
  await post(one, 'execute', {
    input: { customer: 'Ada', kind: 'refund', cents: 5 },
    options: { executionId: 'seed' },
  });
  const [table] = (await database.query(
    "select table_schema || '.executions' as name from information_schema.tables where table_name = 'executions'",
  )) as readonly { name: string }[];
  const columns = (await database.query(
    "select string_agg(column_name, ', ') as names from information_schema.columns where table_name = 'executions' and column_name not in ('key', 'id', 'root_id', 'created_at', 'request_id') and is_generated = 'NEVER'",
  )) as readonly { names: string }[];
  const others = columns[0]?.names ?? '';
  await database.query(`insert into ${table?.name ?? ''} (id, root_id, created_at, ${others})
    select 'old-' || i, 'old-' || i, created_at - i * 1000, ${others}
    from ${table?.name ?? ''}, generate_series(1, 100000) i where id = 'seed'`);
  const { page, problems } = await pages.openAt(one, '/console/executions');
  await page.getByText('over 10,000').waitFor();
  const scroller = page.getByRole('table', { name: 'Executions' }).locator('> div');
  const lastRow = async (): Promise<number> =>
    Number(await page.locator('[role=row][aria-rowindex]').last().getAttribute('aria-rowindex'));
  // Each time to the end of what is loaded: the next pages follow.
  for (let last = await lastRow(); last < 3_000; last = await lastRow()) {
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(lastRow).toBeGreaterThan(last);
  }
  // Only what is in view is in the document.
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  await page.getByRole('link', { name: /^old-/ }).first().focus();
  await page.keyboard.press('Home');
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(0);
  expect(problems.join('\n')).toBe('');
});
