import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWorkflow } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const order = createWorkflow({ id: 'order' }).andThen({
  id: 'approve',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Needs approval'),
});

/** A receiver whose status the test sets. */
async function openReceiver() {
  const receiver = { status: 410, received: 0, url: '' };
  const server = createHttpServer((request, response) => {
    request.resume().on('end', () => {
      receiver.received += 1;
      response.writeHead(receiver.status).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  pages.afterTest(async () => void server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

it('shows what was sent to webhooks, and sends it again', async () => {
  const receiver = await openReceiver();
  const server = await createServer({
    workflows: [order],
    storage: openStorage(),
    webhooks: [{ url: receiver.url, secret, events: ['execution.suspended'], allowPrivateAddresses: true }],
    logger: false,
    signals: false,
  });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  const { page, problems } = await pages.openAt(url, '/console/');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('Nothing has happened yet').waitFor();
  await expectAccessible(page);

  await server.runtime.execute('order', {}, { executionId: 'order-17' });
  const row = page.getByRole('listitem').filter({ hasText: 'execution.suspended' });
  await row.getByText('failed', { exact: true }).waitFor({ timeout: 90_000 });
  await row.getByText('Status 410').waitFor();
  await page.getByText('has replied that it is gone').waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await takeScreenshots(page, 'console-webhooks');
  await page.emulateMedia({ colorScheme: 'light' });

  receiver.status = 204;
  await row.getByRole('button', { name: /Redeliver/ }).click();
  await row.getByText('delivered', { exact: true }).waitFor({ timeout: 90_000 });
  expect(await page.getByText('has replied that it is gone').count()).toBe(0);
  expect(receiver.received).toBe(2);

  // On a phone nothing is wider than the page.
  await page.setViewportSize({ width: 360, height: 740 });
  await row.getByRole('button', { name: /Redeliver/ }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1_280, height: 800 });

  // The address holds the filter, and a delivery leads to its execution.
  await page.getByLabel('Status').selectOption('failed');
  await page.getByText('No delivery matches').waitFor();
  await page.waitForURL(/status=failed/);
  await page.getByLabel('Status').selectOption('delivered');
  await row.getByRole('link', { name: 'order-17' }).click();
  await page.waitForURL(/executions\/order\/order-17/);
  expect(problems.join('\n')).toBe('');
});

it('explains how to add a webhook', async () => {
  const server = await createServer({ storage: openStorage(), logger: false, signals: false });
  pages.afterTest(() => server.close());
  const { page, problems } = await pages.openAt(await server.listen({ port: 0 }), '/console/webhooks');
  await page.getByText('No webhook is set').waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});
