import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkflow } from '@halyard/core';
import { mcpServer } from '@halyard/mcp';
import { createServer } from '@halyard/server-fastify';
import { expect, inject, it } from 'vitest';
import { openPackageRegistry } from '../../../packages/server-fastify/src/testing/package-registry.ts';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
const digest = createWorkflow({ id: 'digest' })
  .andThen({ id: 'send', execute: () => 'sent' })
  .schedule({ cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' });

/** An app in a folder, for which the registry has a newer version. */
async function openApp() {
  const registry = await openPackageRegistry();
  pages.afterTest(() => registry.close());
  const directory = await mkdtemp(join(tmpdir(), 'halyard-app-'));
  pages.afterTest(() => rm(directory, { recursive: true, force: true }));
  const installed = join(directory, 'node_modules/@halyard/core');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), JSON.stringify({ name: '@halyard/core', version: '1.0.0' }));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ dependencies: { '@halyard/core': '^1.0.0' } }));
  registry.publish({ name: '@halyard/core', version: '1.2.0' });
  return { directory, registry: registry.url };
}

it('shows the server, its replicas, storage, schedules, MCP servers, limits and updates', async () => {
  const server = await createServer({
    workflows: [digest],
    mcpServers: [mcpServer({ id: 'office', name: 'Office', version: '1.0.0', workflows: [digest] })],
    storage: openStorage(),
    limits: { bodyBytes: 2_000_000 },
    updates: await openApp(),
    logger: false,
    signals: false,
  });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  const { page, problems } = await pages.openAt(url, '/console/system');
  const isPostgres = inject('connectionString') !== undefined;
  const open = async (tab: string | RegExp): Promise<void> => {
    await page.getByRole('tab', { name: tab }).click();
    await expectAccessible(page);
  };
  const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

  // The state, and what is a risk.
  await page.getByText('Every route is open').waitFor();
  await page.getByText('ready', { exact: true }).waitFor();
  expect(await page.getByText('is lost when it ends').count()).toBe(isPostgres ? 0 : 1);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-system-server');

  await open('Storage');
  if (isPostgres) await row('executions').first().waitFor();
  else await page.getByText('The storage reports no size').waitFor();

  // The address holds the part that is open.
  await open('Schedules');
  await page.waitForURL(/tab=schedules/);
  await page.reload();
  await row('0 6 * * 1-5').getByText('Europe/Berlin').waitFor();

  await open('MCP servers');
  await page.getByRole('heading', { name: 'Office' }).waitFor();
  await page.getByRole('button', { name: 'Show the tools' }).click();
  await page.getByRole('listitem').filter({ hasText: 'digest' }).waitFor();

  await open('Limits');
  expect(await row('bodyBytes').first().innerText()).toMatch(/2\.0 MB/);

  await open('Updates');
  await row('@halyard/core').getByText('1.2.0').waitFor();
  await page.getByText('npm install @halyard/core@latest').waitFor();

  // A process appears with its lease once it looks for executions.
  await open(/^Replicas/);
  await row('this process').getByText('valid').waitFor({ timeout: 90_000 });
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('explains how to add missing parts of a new server', async () => {
  const server = await createServer({ storage: openStorage(), logger: false, signals: false });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  const { page, problems } = await pages.openAt(url, '/console/system?tab=schedules');
  await page.getByText('No workflow has a schedule').waitFor();
  await page.getByRole('tab', { name: 'MCP servers' }).click();
  await page.getByText('No MCP server is registered').waitFor();
  // Each shows the code that adds one.
  await page.getByText('mcpServers: [mcpServer(').waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});
