import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { demoModel } from '@halyard/example-demo-model';
import { createServer } from '@halyard/server-fastify';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const { afterTest, open, openAt } = useQuickstarts();

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const hostile = 'Say <img src=x onerror="document.title=1"> and [click](javascript:alert(1))';

/** Sends a message, and waits until all lanes have answered. */
async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send' }).waitFor();
}

interface Box {
  readonly clientHeight: number;
  readonly scrollHeight: number;
}

const isScrolling = ({ clientHeight, scrollHeight }: Box): boolean => scrollHeight > clientHeight;

const lane = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

it('shows a tool as it runs, with its input and result, and the duration of the reply', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant');
  // The field is as high as its text: it has no scroll bar.
  expect(await page.getByLabel('Message', { exact: true }).evaluate(isScrolling)).toBe(false);
  const answer = lane(page, 'Assistant');
  const top = async (): Promise<number | undefined> => (await answer.boundingBox())?.y;
  const before = await top();
  await ask(page, 'What time is it in Oslo?');
  // The conversation has a title now, and nothing has moved.
  const conversations = page.getByRole('list', { name: 'Conversations' });
  await page.locator('summary', { hasText: 'Conversations' }).click();
  await conversations.getByText(/time.*Oslo/).waitFor();
  await page.keyboard.press('Escape');
  expect(await top()).toBe(before);
  await answer.getByText('done').waitFor();
  // The call is one line until it is opened.
  const input = answer.getByRole('group', { name: 'Input of getTime' });
  expect(await input.isVisible()).toBe(false);
  await answer.getByText('getTime', { exact: true }).click();
  await answer.getByRole('group', { name: 'Input of getTime' }).getByText('Oslo').waitFor();
  await answer.getByRole('group', { name: 'Result of getTime' }).getByText('Europe/Oslo').waitFor();
  await answer.getByText(/tokens in/).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-playground');

  await answer.getByRole('link', { name: 'Trace', exact: true }).click();
  await page.getByText('getTime').first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('moves nothing while a reply comes and ends', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant', demoModel({ delayMs: 20 }));
  await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
  await page.evaluate(`
    globalThis.moved = [];
    // What grows has an edge that stays.
    const shifts = (from, to, [start, end]) => Math.min(Math.abs(from[start] - to[start]), Math.abs(from[end] - to[end])) > 2;
    new PerformanceObserver((list) => {
      for (const { node, previousRect: from, currentRect: to } of list.getEntries().flatMap(({ sources }) => sources))
        if (shifts(from, to, ['left', 'right']) || shifts(from, to, ['top', 'bottom'])) moved.push(node?.outerHTML?.slice(0, 200) ?? 'a text');
    }).observe({ type: 'layout-shift' });
  `);
  await ask(page, 'What time is it in Oslo?');
  await page.getByRole('link', { name: 'See what it did' }).waitFor();
  await ask(page, 'Convert 5 miles to kilometres');
  await page
    .getByText(/tokens in/)
    .nth(1)
    .waitFor();
  expect(await page.evaluate('moved')).toEqual([]);
  expect(problems.join('\n')).toBe('');
});

it('asks before a tool runs, and passes the reason of a denial on', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant');
  await ask(page, 'Delete all notes');
  const approval = page.getByRole('region', { name: 'Approval of deleteNotes' });
  await approval.getByLabel('Reason for denying').fill('not today');
  await expectAccessible(page);
  await approval.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Denied: not today').waitFor();
  await page.getByText('I leave deleteNotes alone: not today').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();

  await ask(page, 'Delete all notes');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('deleted 0').first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('goes on with a conversation after a reload, edits the question and answers again', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant');
  await ask(page, 'What time is it in Oslo?');
  await page.reload();
  const messages = lane(page, 'Assistant').getByRole('listitem');
  await page.getByText(/time zone Europe\/Oslo/).waitFor();

  await page.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByLabel('Edit the message').fill('What time is it in Rome?');
  await page.keyboard.press('Enter');
  await page.getByText(/time zone Europe\/Rome/).waitFor();
  expect(await page.getByText(/time zone Europe\/Oslo/).count()).toBe(0);

  await page.getByRole('button', { name: 'Answer again' }).click();
  await page.getByText('The agent is working').waitFor({ state: 'detached' });
  await page.getByText(/time zone Europe\/Rome/).waitFor();
  expect(await messages.filter({ hasText: 'time zone' }).count()).toBe(1);
  expect(problems.join('\n')).toBe('');
});

it('asks two agents side by side, each with its own events, from the keyboard alone', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant&beside=concierge');
  await page.getByLabel('Message', { exact: true }).focus();
  await page.keyboard.type('Convert 5 miles to kilometres');
  await page.keyboard.press('Enter');
  await lane(page, 'Assistant')
    .getByText(/result 8\.047/)
    .last()
    .waitFor();
  await lane(page, 'Concierge').getByText('sub-agent').waitFor();
  await lane(page, 'Concierge')
    .getByText(/tokens in/)
    .waitFor();

  await page.getByRole('tab', { name: 'Settings' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Events' }).waitFor();
  expect(await page.getByText('data-agent-event').count()).toBe(0);
  await page.getByRole('radio', { name: 'Left: Assistant' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('data-agent-event').first().waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('generates an object for a schema, and shows the request as code', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant&mode=object&panel=schema');
  await ask(page, 'The mast is broken: high');
  await page.getByText('completed').waitFor();
  await page.getByRole('group', { name: 'Object' }).getByText('high', { exact: true }).waitFor();

  await page.getByRole('textbox', { name: 'JSON Schema of the answer' }).fill('{ "type": "string" }');
  await page.getByText('The answer is an object').waitFor();
  await page.getByRole('tab', { name: 'Code' }).click();
  await page.getByText('/agents/assistant/stream-object').first().waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('sends files, and stops an answer, also on the server', async () => {
  const { page, problems, url } = await open(
    '/console/playground?agentId=assistant',
    heldModel(demoModel({ delayMs: 0 }), 2).model,
  );
  await page
    .getByLabel('Files to send')
    .setInputFiles({ name: 'mast.png', mimeType: 'image/png', buffer: Buffer.from(onePixel, 'base64') });
  await page.getByRole('img', { name: 'mast.png' }).waitFor();
  const stopped = page.waitForRequest((request) => request.url().endsWith('/stop'));
  await page.getByLabel('Message', { exact: true }).fill('What is this?');
  await page.keyboard.press('Enter');
  await lane(page, 'Assistant').getByText('I got').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await stopped;
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await lane(page, 'Assistant').getByText('You stopped this answer.').waitFor();
  expect(await lane(page, 'Assistant').getByText('cannot look into files').count()).toBe(0);
  await page.reload();
  await lane(page, 'Assistant').getByText('You stopped this answer.').waitFor();
  await lane(page, 'Assistant').getByText('I got').waitFor();
  await lane(page, 'Assistant').getByRole('img', { name: 'mast.png' }).waitFor();
  await lane(page, 'Assistant').getByRole('link', { name: 'mast.png' }).waitFor();
  await expectAccessible(page);

  // A stop is no error, and no accident either.
  await page.getByRole('link', { name: 'Traces', exact: true }).click();
  const row = page.getByRole('table', { name: 'Traces' }).getByRole('row', { name: 'Assistant' });
  await row.getByText('stopped', { exact: true }).waitFor();
  await row.getByRole('link').click();
  await page.getByText('The reply was stopped').first().waitFor();
  await page.getByText('stopped', { exact: true }).first().waitFor();
  await page.goto(`${url}/console/agents/assistant?tab=runs`);
  await page.getByRole('table', { name: 'Runs' }).getByText('stopped', { exact: true }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('lists the conversations beside the chat, to continue, rename and delete them, by keyboard too', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant', undefined, {
    viewport: { width: 1440, height: 800 },
  });
  await ask(page, 'What time is it in Oslo?');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await ask(page, 'What time is it in Rome?');
  const list = page.getByRole('list', { name: 'Conversations' });
  const oslo = list.getByRole('listitem').filter({ hasText: 'Oslo' });
  await oslo.getByRole('button', { name: /^Rename/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name of the conversation').fill(hostile);
  await page.keyboard.press('Enter');
  const renamed = list.getByRole('listitem').filter({ hasText: hostile });
  await renamed.waitFor();
  expect(await list.locator('img').count()).toBe(0);
  await renamed.getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await page.getByText(/time zone Europe\/Oslo/).waitFor();
  await list.locator('[aria-current]', { hasText: hostile }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-playground-conversations');
  await page.setViewportSize({ width: 1440, height: 800 });

  await renamed.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await renamed.getByRole('button', { name: /^Delete/ }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete the conversation' }).click();
  await renamed.waitFor({ state: 'detached' });
  // Its place is taken by a new one.
  await page.getByRole('heading', { name: 'Assistant', level: 2 }).waitFor();
  expect(await page.getByText(/time zone Europe\/Oslo/).count()).toBe(0);

  await page.setViewportSize({ width: 400, height: 700 });
  await page.locator('summary', { hasText: 'Conversations' }).click();
  await list.getByRole('button').filter({ hasText: 'Rome' }).first().click();
  await page.getByText(/time zone Europe\/Rome/).waitFor();
  expect(await list.isVisible()).toBe(false);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(problems.join('\n')).toBe('');
});

it('names the sources of a reply, and shows what they are without loading them', async () => {
  const source = {
    type: 'source',
    sourceType: 'url',
    url: 'https://example.com/oars',
    title: 'About <b>oars</b>',
  } as const;
  const model = scriptedModel({
    text: 'They are long.',
    parts: [
      { ...source, id: 's1' },
      { ...source, id: 's2' },
      { type: 'source', sourceType: 'url', id: 's3', url: 'javascript:alert(1)' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: onePixel } },
    ],
  });
  const server = await createServer({
    agents: [new Agent({ id: 'reader', model })],
    storage: openStorage(),
    logger: false,
  });
  afterTest(() => server.close());
  const { page, problems } = await openAt(await server.listen({ port: 0 }), '/console/playground?agentId=reader');
  await ask(page, 'How long are oars?');
  const sources = page.getByRole('list', { name: 'Sources' });
  expect(await sources.getByRole('listitem').count()).toBe(2);
  const link = sources.getByRole('link', { name: 'About <b>oars</b>' });
  expect(await link.getAttribute('href')).toBe('https://example.com/oars');
  await sources.getByText('example.com', { exact: true }).waitFor();
  expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  await page.getByRole('img', { name: 'Picture' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-playground-sources');
  expect(problems.join('\n')).toBe('');
});

it('says after a reload that a question has no answer, and answers it', async () => {
  const held = heldModel(demoModel({ delayMs: 0 }), 0);
  const { page, problems } = await open('/console/playground?agentId=assistant', held.model);
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  await held.asked;
  const stopped = page.waitForResponse((reply) => reply.url().endsWith('/stop'));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await stopped;
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.reload();
  await page.getByText('This question has no answer.').waitFor();
  held.release();
  await page.getByRole('button', { name: 'Answer it' }).click();
  await lane(page, 'Assistant')
    .getByText(/tokens in/)
    .waitFor();
  expect(await lane(page, 'Assistant').getByText('Hello', { exact: true }).count()).toBe(1);
  expect(await page.getByText('This question has no answer.').count()).toBe(0);
  expect(problems.join('\n')).toBe('');
});

it('sends the settings that the address holds', async () => {
  const settings = encodeURIComponent(JSON.stringify({ maxSteps: 1, seed: 7 }));
  const { page, problems } = await open(`/console/playground?agentId=assistant&settings=${settings}`);
  const sent = page.waitForRequest((request) => request.url().endsWith('/agents/assistant/chat'));
  await ask(page, 'What time is it in Oslo?');
  expect((await sent).postDataJSON()).toMatchObject({ options: { maxSteps: 1, seed: 7 } });
  await page.getByText('2 settings changed').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('opens a recorded call, and sends the same messages again', async () => {
  const { page, problems, url } = await open('/console/playground?agentId=assistant');
  await ask(page, 'What time is it in Oslo?');
  const spanId = await lastModelCall(url);
  await page.goto(`${url}/console/playground?span=${spanId}`);
  await page.getByText('A recorded call of the model').waitFor();
  const sent = page.waitForRequest((request) => request.url().endsWith('/agents/assistant/chat'));
  await page.getByRole('button', { name: 'Run this call again' }).click();
  const { id, messages } = (await sent).postDataJSON() as {
    id?: string;
    messages: { role: string; parts: unknown[] }[];
  };
  expect(id).toBeUndefined();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(messages[1]?.parts).toMatchObject([{ type: 'dynamic-tool', toolName: 'getTime', input: { city: 'Oslo' } }]);
  await page
    .getByText(/time zone Europe\/Oslo/)
    .last()
    .waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('opens a failed call, says why it failed, and gets an answer with the same messages and settings', async () => {
  const model = scriptedModel({ error: new RangeError('The provider has no capacity') }, 'Ahoy');
  const server = await createServer({
    agents: [new Agent({ id: 'greeter', model, retries: { maxRetries: 0 } })],
    storage: openStorage(),
    logger: false,
  });
  afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  await fetch(`${url}/agents/greeter/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hello', options: { temperature: 0.25 } }),
  });
  const { page, problems } = await openAt(url, `/console/playground?span=${await lastModelCall(url, 'greeter')}`);
  await page.getByText('It failed:').waitFor();
  expect(await page.getByLabel('Temperature').inputValue()).toBe('0.25');
  await page.getByRole('button', { name: 'Run this call again' }).click();
  await page.getByText('Ahoy', { exact: true }).waitFor();
  expect(model.calls[1]?.prompt).toEqual(model.calls[0]?.prompt);
  expect(model.calls[1]?.temperature).toBe(0.25);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-failed-call');
  expect(problems.join('\n')).toBe('');
});

it('shows what people and models write as text, and makes no link that runs a script', async () => {
  const { page, problems } = await open('/console/playground?agentId=assistant');
  await ask(page, hostile);
  await lane(page, 'Assistant')
    .getByText(/You wrote/)
    .waitFor();
  await page.getByText('click', { exact: true }).last().waitFor();
  expect(await page.locator('[aria-label="Assistant"] img').count()).toBe(0);
  expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  expect(await page.title()).toContain('Playground');
  expect(problems.join('\n')).toBe('');
});

/** The id of the span of the newest call of a model. */
async function lastModelCall(url: string, agentId = 'assistant'): Promise<string> {
  const read = async <Data>(path: string): Promise<Data> => {
    const response = await fetch(url + path);
    return ((await response.json()) as { data: Data }).data;
  };
  const { entries } = await read<{ entries: { traceId: string }[] }>(`/agents/${agentId}/history?limit=1`);
  const path = `/observability/traces/${entries[0]?.traceId}`;
  const { spans } = await read<{ spans: { spanId: string; attributes: Record<string, unknown> }[] }>(path);
  const calls = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat');
  return calls.at(-1)?.spanId ?? '';
}
