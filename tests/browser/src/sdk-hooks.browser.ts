import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type HeldModel, heldModel } from './held-model.ts';
import { closePages, openBrowser } from './open-browser.ts';
import { servePage } from './open-page.ts';

let browser: Browser;
let server: HalyardServer;
let origin: string;
let held: { readonly greeter: HeldModel; readonly typist: HeldModel };
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => closePages(browser));
beforeEach(async () => {
  held = {
    greeter: heldModel(scriptedModel({ text: ['Hello', ' there.'] }), 1),
    typist: heldModel(scriptedModel({ text: ['{"name":"A', 'da","age":3', '6}'] }), 1),
  };
  const greeter = new Agent({ id: 'greeter', model: held.greeter.model });
  const typist = new Agent({ id: 'typist', model: held.typist.model });
  server = await createServer({ agents: [greeter, typist], logger: false, signals: false, console: false });
  const paths = ['/object-hook', '/completion-hook', '/text-completion-hook', '/text-chat-hook'];
  await servePage(server, 'sdk-hooks.tsx', paths);
  origin = await server.listen({ port: 0 });
});
afterEach(() => server.close());

async function ask(path: string, begun: string, answer: string): Promise<{ page: Page; problem: string }> {
  const page = await browser.newPage();
  await page.goto(origin + path);
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText(begun, { exact: true }).waitFor();
  await page.getByRole('status').getByText('loading').waitFor();
  for (const { release } of Object.values(held)) release();
  await page.getByText(answer, { exact: true }).waitFor();
  await page.getByRole('status').getByText('ready').waitFor();
  return { page, problem: await page.getByRole('alert').innerText() };
}

it.each([
  ['useObject', '/object-hook', '{"name":"A"}', '{"name":"Ada","age":36}'],
  ['useCompletion', '/completion-hook', 'Hello', 'Hello there.'],
  ['useCompletion with a text stream', '/text-completion-hook', 'Hello', 'Hello there.'],
  ['useChat with a text transport', '/text-chat-hook', 'Hello', 'Hello there.'],
])('%s of the AI SDK shows the answer of an agent', async (_, path, begun, answer) => {
  const { page, problem } = await ask(path, begun, answer);
  expect(problem).toBe('');
  await page.close();
});

it('useChat with a text transport continues the chat', async () => {
  const { page, problem } = await ask('/text-chat-hook', 'Hello', 'Hello there.');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Hello there.|Hello there.', { exact: true }).waitFor();
  expect(problem).toBe('');
});
