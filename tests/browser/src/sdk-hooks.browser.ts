import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from './open-browser.ts';
import { servePage } from './open-page.ts';

let browser: Browser;
let server: HalyardServer;
let origin: string;
beforeAll(async () => {
  browser = await openBrowser();
  const greeter = new Agent({ id: 'greeter', model: scriptedModel({ text: ['Hello', ' there.'], pieceDelayMs: 50 }) });
  const json = { text: ['{"name":"A', 'da","age":3', '6}'], pieceDelayMs: 50 };
  const typist = new Agent({ id: 'typist', model: scriptedModel(json) });
  server = await createServer({ agents: [greeter, typist], logger: false, signals: false, console: false });
  const paths = ['/object-hook', '/completion-hook', '/text-completion-hook', '/text-chat-hook'];
  await servePage(server, 'sdk-hooks.tsx', paths);
  origin = await server.listen({ port: 0 });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function ask(path: string, answer: string): Promise<{ page: Page; problem: string }> {
  const page = await browser.newPage();
  await page.goto(origin + path);
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText(answer, { exact: true }).waitFor();
  await page.getByRole('status').getByText('ready').waitFor();
  return { page, problem: await page.getByRole('alert').innerText() };
}

it.each([
  ['useObject', '/object-hook', '{"name":"Ada","age":36}'],
  ['useCompletion', '/completion-hook', 'Hello there.'],
  ['useCompletion with a text stream', '/text-completion-hook', 'Hello there.'],
  ['useChat with a text transport', '/text-chat-hook', 'Hello there.'],
])('%s of the AI SDK shows the answer of an agent', async (_, path, answer) => {
  const { page, problem } = await ask(path, answer);
  expect(problem).toBe('');
  await page.close();
});

it('useChat with a text transport continues the chat', async () => {
  const { page, problem } = await ask('/text-chat-hook', 'Hello there.');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Hello there.|Hello there.', { exact: true }).waitFor();
  expect(problem).toBe('');
});
