import { createClient } from '@halyard/client';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { closePages, openBrowser } from './open-browser.ts';
import { servePage } from './open-page.ts';
import { openProxy, type Proxy } from './open-proxy.ts';

let browser: Browser;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => closePages(browser));
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

let paid = 0;
const pay = createTool({
  name: 'pay',
  description: 'Pays',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: ({ euros }) => ({ always: euros < 10 }),
  execute: () => `paid ${(paid += 1)}`,
});
const order = createWorkflow({
  id: 'order',
  input: Type.Object({ item: Type.String() }),
  resumeSchema: Type.Object({ approved: Type.Boolean() }),
})
  .andThen({ id: 'price', execute: ({ data }) => ({ ...data, cents: 500 }) })
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, suspend }) =>
      resumeData === undefined ? suspend('Please approve') : `${data.item}: ${resumeData.approved}`,
  });

interface Opened {
  readonly page: Page;
  readonly proxy: Proxy;
  readonly server: HalyardServer;
  readonly calls: () => number;
  /** Answers of more than ten words stop there until it is called. */
  readonly release: () => void;
  readonly problems: readonly string[];
}

async function open(path: string, ...turns: readonly [ScriptedReply, ...ScriptedReply[]]): Promise<Opened> {
  const script = scriptedModel(...turns);
  const { model, release } = heldModel(script);
  const memory = createMemory();
  const agents = [new Agent({ id: 'assistant', model, tools: [pay], memory })];
  const server = await createServer({ agents, workflows: [order], logger: false, signals: false, console: false });
  await servePage(server, 'hooks.tsx', ['/chat-hook', '/new-chat-hook', '/order-hook', '/inbox-hook']);
  await servePage(server, 'client-calls.ts', ['/calls']);
  const origin = await server.listen({ port: 0 });
  closers.push(() => server.close());
  const proxy = await openProxy(origin);
  closers.push(() => proxy.close());
  const context = await browser.newContext();
  closers.push(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(proxy.url + path);
  return { page, proxy, server, calls: () => script.calls.length, release, problems };
}

const story: ScriptedReply = { text: Array.from({ length: 60 }, (_, index) => `word${index} `) };
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const shows = (page: Page, status: string): Promise<void> =>
  page.getByRole('status').getByText(status, { exact: true }).waitFor();
const answers = (page: Page): Promise<string[]> => page.locator('li.assistant').allInnerTexts();

it('calls the server from a page, and follows an execution over lost connections', async () => {
  const { page, problems, proxy } = await open('/calls', 'Hello there.');
  await page.exposeFunction('cut', () => {
    proxy.cut();
    proxy.restore();
  });
  expect(await page.evaluate('calls()')).toEqual([
    'Hello there.',
    'Hello there.',
    [1, 2, 3, 4, 5, 6],
    'sail: true',
    'CONNECTION_TEST',
    'AGENT_NOT_FOUND',
  ]);
  expect(problems.join('\n')).toBe('');
});

it('approves a call with other arguments in a chat', async () => {
  const { page, problems } = await open(
    '/chat-hook',
    { toolCalls: [{ toolName: 'pay', input: { euros: 7 } }] },
    ({ prompt }) => (/other arguments: \{\W*euros\W*1\}/.test(JSON.stringify(prompt.at(-1))) ? 'One euro.' : 'All.'),
  );
  await press(page, 'Send');
  await page.locator('.approval').getByText('pay: {"euros":7}').waitFor();
  await press(page, 'Approve less');
  await page.getByText('One euro.').waitFor();
  await shows(page, 'ready');
  expect(problems.join('\n')).toBe('');
});

describe('an approval of later calls in a chat', () => {
  const calls = (...euros: readonly number[]): ScriptedReply => ({
    toolCalls: euros.map((each) => ({ toolName: 'pay', input: { euros: each } })),
  });

  it('continues the reply, and later calls do not ask', async () => {
    const { page, problems } = await open('/chat-hook', calls(7), 'It is paid.', calls(8), 'Paid again.');
    await press(page, 'Send');
    await press(page, 'Approve always');
    await page.getByText('It is paid.').waitFor();
    await shows(page, 'ready');
    await press(page, 'Send');
    await page.getByText('Paid again.').waitFor();
    expect(await page.locator('.approval').count()).toBe(0);
    expect(await page.locator('li').allInnerTexts()).toEqual(['Hello', 'It is paid.', 'Hello', 'Paid again.']);
    expect(problems.join('\n')).toBe('');
  });

  it.each(['first', 'last'])('is given for one of two calls, %s', async (when) => {
    paid = 0;
    const { page, problems } = await open('/chat-hook', calls(7, 20), 'Both are paid.');
    const approve = (euros: number, name: string): Promise<void> =>
      page
        .locator('.approval', { hasText: `{"euros":${euros}}` })
        .getByRole('button', { name, exact: true })
        .click();
    await press(page, 'Send');
    const always = (): Promise<void> => approve(7, 'Approve always');
    const once = (): Promise<void> => approve(20, 'Approve');
    await page.locator('.approval').nth(1).waitFor();
    expect(await page.getByRole('button', { name: 'Approve always' }).count()).toBe(1);
    for (const act of when === 'first' ? [always, once] : [once, always]) await act();
    await page.getByText('Both are paid.').waitFor();
    await shows(page, 'ready');
    expect(paid).toBe(2);
    expect(problems.join('\n')).toBe('');
  });

  it('is refused where the server does not accept it, and the call waits on', async () => {
    paid = 0;
    const { page } = await open('/chat-hook', calls(7), 'It is paid.');
    await press(page, 'Send');
    await page.locator('.approval').waitFor();
    await page.route('**/api/approvals/answer', (route) => route.fulfill({ status: 503 }));
    await press(page, 'Approve always');
    await page.locator('.problem').getByText('503').waitFor();
    await page.unroute('**/api/approvals/answer');
    await press(page, 'Approve');
    await page.getByText('It is paid.').waitFor();
    expect(paid).toBe(1);
  });
});

it('goes on in an open chat when somebody answers elsewhere', async () => {
  const { page, problems, proxy } = await open(
    '/chat-hook',
    { toolCalls: [{ toolName: 'pay', input: { euros: 7 } }] },
    'It is paid.',
  );
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.approval').getByText('pay: {"euros":7}').waitFor();
  const elsewhere = createClient({ baseUrl: proxy.url });
  const [approval] = (await elsewhere.approvals.list()).approvals;
  expect(approval).toMatchObject({ conversationId: 'tea', toolName: 'pay' });
  await elsewhere.approvals.answer({ id: approval?.id ?? '', conversationId: 'tea', approved: true });
  await page.locator('.assistant').getByText('It is paid.').waitFor();
  expect(await page.locator('.approval').count()).toBe(0);
  expect(problems).toEqual([]);
});

it('goes on in an open chat whose history tells that somebody has answered', async () => {
  const call: ScriptedReply = { toolCalls: [{ toolName: 'pay', input: { euros: 7 } }] };
  const { page, proxy, release } = await open('/chat-hook', call, story);
  await shows(page, 'ready');
  // The history comes before the announcement.
  await page.routeWebSocket('**/ws/approvals*', (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (!String(message).includes('APPROVAL_SETTLED')) socket.send(message);
    });
  });
  const answer = async (route: Route): Promise<void> => {
    const elsewhere = createClient({ baseUrl: proxy.url });
    const [{ id } = { id: '' }] = (await elsewhere.approvals.list()).approvals;
    await elsewhere.approvals.answer({ id, conversationId: 'tea', approved: true });
    await route.continue();
  };
  await page.route('**/conversations/tea/messages*', answer, { times: 1 });
  await press(page, 'Send');
  await page.getByText('word3 ').waitFor();
  release();
  await page.getByText('word59').waitFor();
  await shows(page, 'ready');
  expect(await answers(page)).toHaveLength(1);
});

describe('useAgentChat', () => {
  it('shows the history after a reload', async () => {
    const { page, problems } = await open('/chat-hook', 'Hello there.');
    await press(page, 'Send');
    await page.getByText('Hello there.').waitFor();
    await shows(page, 'ready');
    await page.reload();
    await page.getByText('Hello there.').waitFor();
    expect(await page.locator('li').allInnerTexts()).toEqual(['Hello', 'Hello there.']);
    expect(problems.join('\n')).toBe('');
  });

  it('asks for nothing before the first message of a new conversation, and finds the conversation again', async () => {
    const { page } = await open('/new-chat-hook', 'Hello there.');
    const asked: string[] = [];
    const refused: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.reload();
    await shows(page, 'ready');
    await press(page, 'Send');
    await page.getByText('Hello there.').waitFor();
    await shows(page, 'ready');
    await press(page, 'Keep');
    await page.waitForURL(/#./);
    expect(asked.filter((url) => url.includes('/messages'))).toEqual([]);
    expect(await page.locator('p.user, p.assistant').allInnerTexts()).toEqual(['Hello', 'Hello there.']);

    await press(page, 'New');
    await expect.poll(() => page.locator('p.user, p.assistant').count()).toBe(0);
    await press(page, 'Back');
    await page.getByText('Hello there.').waitFor();
    await page.reload();
    await page.getByText('Hello there.').waitFor();
    expect(await page.locator('p.user, p.assistant').allInnerTexts()).toEqual(['Hello', 'Hello there.']);
    expect(refused).toEqual([]);
  });

  it('continues to read an answer after a reload', async () => {
    const { calls, page, release } = await open('/chat-hook', story);
    await press(page, 'Send');
    await page.getByText('word3 ').waitFor();
    await page.reload();
    await page.getByText('word3 ').waitFor();
    release();
    await page.getByText('word59').waitFor();
    await shows(page, 'ready');
    const [answer = '', ...others] = await answers(page);
    expect(others).toEqual([]);
    expect(answer.match(/word3 /g)).toHaveLength(1);
    expect(calls()).toBe(1);
  });

  it('continues to read an answer whose connection was lost', async () => {
    const { calls, page, proxy, release } = await open('/chat-hook', story);
    await press(page, 'Send');
    await page.getByText('word3 ').waitFor();
    proxy.cut();
    await shows(page, 'reconnecting');
    proxy.restore();
    await shows(page, 'streaming');
    release();
    await page.getByText('word59').waitFor();
    await shows(page, 'ready');
    const [answer = '', ...others] = await answers(page);
    expect(others).toEqual([]);
    expect(answer.match(/word3 /g)).toHaveLength(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(calls()).toBe(1);
  });

  it('shows an answer that ended while the connection was lost', async () => {
    const { page, proxy, release, server } = await open('/chat-hook', story);
    await press(page, 'Send');
    await page.getByText('word3 ').waitFor();
    proxy.cut();
    await shows(page, 'reconnecting');
    release();
    await expect
      .poll(() => server.app.inject('/api/memory/conversations/tea/messages').then(({ body }) => body))
      .toContain('word59');
    proxy.restore();
    await page.getByText('word59').waitFor();
    await shows(page, 'ready');
    expect(await answers(page)).toHaveLength(1);
  });

  it.each(['reconnects', 'is loaded again'])('shows an answer that ends while the page %s', async (how) => {
    const { page, proxy, release, server } = await open('/chat-hook', story);
    await press(page, 'Send');
    await page.getByText('word3 ').waitFor();
    const live = '/agents/assistant/chat/tea/stream';
    // The page has read the history, and asks for the live answer.
    await page.route(`**${live}`, async (route) => {
      release();
      await expect.poll(() => server.app.inject(live).then(({ statusCode }) => statusCode)).toBe(204);
      await route.continue();
    });
    if (how === 'reconnects') {
      proxy.cut();
      await shows(page, 'reconnecting');
      proxy.restore();
    } else await page.reload();
    await page.getByText('word59').waitFor();
    await shows(page, 'ready');
    expect(await answers(page)).toHaveLength(1);
  });

  it('keeps a message that could not be sent', async () => {
    const { page, proxy } = await open('/chat-hook', 'Hello there.');
    await shows(page, 'ready');
    proxy.cut();
    await press(page, 'Send');
    await page.getByRole('alert').waitFor();
    proxy.restore();
    await shows(page, 'error');
    expect(await page.locator('li.user').allInnerTexts()).toEqual(['Hello']);
  });

  it('stops an answer at the server', async () => {
    const { page } = await open('/chat-hook', story);
    await press(page, 'Send');
    await page.getByText('word3 ').waitFor();
    await press(page, 'Stop');
    await shows(page, 'ready');
    await page.reload();
    await page.getByText('word3 ').waitFor();
    await shows(page, 'ready');
    expect((await answers(page)).join('')).not.toContain('word59');
  });

  it('asks for approvals, also after a reload, and sends the answer', async () => {
    paid = 0;
    const call: ScriptedReply = { toolCalls: [{ toolName: 'pay', input: { euros: 5 } }] };
    const { page, problems } = await open('/chat-hook', call, 'It is paid.');
    await press(page, 'Send');
    await page.getByText('pay: {"euros":5}').waitFor();
    await page.reload();
    await page.getByText('pay: {"euros":5}').waitFor();
    await press(page, 'Approve');
    await page.getByText('It is paid.').waitFor();
    await shows(page, 'ready');
    expect(paid).toBe(1);
    expect(await page.locator('.approval').count()).toBe(0);
    expect(problems.join('\n')).toBe('');
  });

  it('sends a denial', async () => {
    paid = 0;
    const call: ScriptedReply = { toolCalls: [{ toolName: 'pay', input: { euros: 5 } }] };
    const { page } = await open('/chat-hook', call, 'Then not.');
    await press(page, 'Send');
    await press(page, 'Deny');
    await page.getByText('Then not.').waitFor();
    expect(paid).toBe(0);
  });
});

describe('useExecution', () => {
  it('shows an execution live, over a suspension, to its end', async () => {
    const { page, problems } = await open('/order-hook', 'Hello.');
    await press(page, 'Start');
    await shows(page, 'suspended');
    await page.locator('.reason').getByText('Please approve').waitFor();
    await press(page, 'Approve');
    await shows(page, 'completed');
    await page.locator('.result').getByText('"sail: true"').waitFor();
    const numbers = (await page.locator('.events').innerText()).split(' ').map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(8);
    expect(problems.join('\n')).toBe('');
  });

  it('notices changes of others, after a lost connection too', async () => {
    const { page, proxy, server } = await open('/order-hook?id=o1', 'Hello.');
    await page.getByRole('alert').waitFor();
    await server.runtime.execute('order', { item: 'mast' }, { executionId: 'o1' });
    await shows(page, 'suspended');
    proxy.cut();
    await page.getByRole('alert').waitFor();
    await server.runtime.cancel({ owner: 'anyone', workflowId: 'order', executionId: 'o1' }, 'Too late');
    proxy.restore();
    await shows(page, 'cancelled');
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

describe('useApprovals', () => {
  it('lists waiting requests, and responds to them', async () => {
    const { page, problems, server } = await open('/inbox-hook', 'Hello.');
    await shows(page, '0');
    await server.runtime.execute('order', { item: 'sail' }, { executionId: 'o1' });
    await server.runtime.execute('order', { item: 'mast' }, { executionId: 'o2' });
    await shows(page, '2');
    await page.locator('.approval').first().getByRole('button').click();
    await shows(page, '1');
    await page.locator('.approval').first().getByRole('button').click();
    await shows(page, '0');
    const state = await server.runtime.get({ owner: 'anyone', workflowId: 'order', executionId: 'o1' });
    expect(state.status).toBe('completed');
    expect(problems.join('\n')).toBe('');
  });
});
