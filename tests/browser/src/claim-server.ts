import { createServer } from '@halyard/server-fastify';
import type { Page } from 'playwright-core';
import { type Bank, createClaim } from './claim-workflow.ts';
import type { Quickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

/** A server that handles claims, which is closed after the test. */
export async function startServer({ afterTest }: Quickstarts, bank: Bank = { isOpen: true }): Promise<string> {
  const server = await createServer({ workflows: [createClaim(bank)], storage: openStorage(), logger: false });
  afterTest(() => server.close());
  return server.listen({ port: 0 });
}

/** @returns the id of the execution. */
export async function run(url: string, input: object, options: object = {}): Promise<string> {
  const response = await fetch(`${url}/workflows/claim/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: { customer: 'Ada', kind: 'refund', cents: 500, ...input }, options }),
  });
  return response.headers.get('x-execution-id') ?? '';
}

/** Until the head of the page of an execution names this state. */
export function state(page: Page, name: string): Promise<void> {
  return page.locator('header').getByText(name, { exact: true }).first().waitFor();
}
