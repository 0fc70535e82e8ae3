import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { type OpenedPage, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
const consoleKey = 'k'.repeat(32);

const pay = createTool({
  name: 'pay',
  description: 'Pays a bill',
  input: Type.Object({ bill: Type.String() }),
  needsApproval: true,
  execute: ({ bill }) => `Paid ${bill}`,
});
const whoAmI = createTool({
  name: 'whoAmI',
  description: 'Tells for whom it runs',
  input: Type.Object({}),
  execute: (_, { userId }) => ({ userId: userId ?? 'nobody' }),
});
const review = createWorkflow({ id: 'review', name: 'Review', input: Type.Object({ text: Type.String() }) })
  .andThen({
    id: 'sign',
    resumeSchema: Type.Object({ by: Type.String() }),
    execute: ({ data, resumeData, suspend }) => resumeData ?? suspend(`Sign ${data.text}`, { text: data.text }),
  })
  .andThen({ id: 'file', execute: ({ data }) => data });

/** A text that only operators may read. */
const internal = 'connect ECONNREFUSED 10.1.2.3:5432 as ledger';
const book = createWorkflow({ id: 'book', name: 'Book', input: Type.Object({}) }).andThen({
  id: 'ledger',
  execute: () => {
    throw new Error(internal);
  },
});

const users = { ursula: 'roses', magnus: 'tulips' } as const;
type User = keyof typeof users;

/**
 * A server in production with data of two users. Everything of a user contains the name of the
 * user, or of the flower.
 */
async function start(): Promise<string> {
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  pages.afterTest(async () => {
    process.env['NODE_ENV'] = environment;
  });
  const storage = openStorage();
  const billFor = (flower: string) => ({ toolCalls: [{ toolName: 'pay', input: { bill: `bill for ${flower}` } }] });
  const model = scriptedModel(billFor('roses'), billFor('tulips'), 'Done.');
  const server = await createServer({
    workflows: [review, book],
    agents: [new Agent({ id: 'cashier', name: 'Cashier', model, tools: [pay, whoAmI] })],
    memory: createMemory({ storage }),
    storage,
    secret: 's'.repeat(32),
    logger: false,
    auth: {
      consoleKey,
      provider: { type: 'names', verifyToken: async (token: string) => (token in users ? { id: token } : null) },
    },
  });
  pages.afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  for (const [user, flower] of Object.entries(users)) {
    const send = async (path: string, body: object, method = 'POST'): Promise<void> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${user}` };
      await (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).text();
    };
    for (const count of [1, 2])
      await send('/workflows/review/execute', {
        input: { text: `the ${flower} ${count}` },
        options: { executionId: `${user}-${count}`, metadata: { flower } },
      });
    await send('/agents/cashier/text', {
      input: `Pay for the ${flower}`,
      options: { conversationId: `talk-of-${user}` },
    });
    await send(`/api/memory/conversations/talk-of-${user}`, { title: `About ${flower}` }, 'PATCH');
  }
  return url;
}

interface UserPage extends OpenedPage {
  /** The frames that the page has received from the server. */
  readonly received: string[];
  /** Waits until the page has read everything that it asks for, except event streams. */
  readonly settled: () => Promise<void>;
}

async function openAs(user: User, url: string, path: string): Promise<UserPage> {
  const opened = await pages.openAt(url, '/console/');
  const { page, problems } = opened;
  await page.getByRole('radio', { name: 'a user’s token' }).check();
  await page.getByLabel('Token', { exact: true }).fill(user);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  // The requests before were refused.
  problems.splice(0);
  const received: string[] = [];
  const pending = new Set<Request>();
  page.on('request', (request) => pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('response', (response) => {
    const isStream = response.headers()['content-type']?.startsWith('text/event-stream') === true;
    // The page does not read the body of this reply, so its request does not finish.
    if (isStream || response.url().endsWith('/healthz')) pending.delete(response.request());
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    // The body of a page that was left is gone.
    void response.text().then(
      (text) => received.push(`${response.url()} ${text}`),
      () => undefined,
    );
  });
  await page.goto(url + path);
  const settled = (): Promise<void> =>
    expect
      .poll(async () => {
        // A reply is rendered before the page asks for more.
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
        return [...pending].map((request) => request.url());
      })
      .toEqual([]);
  return { ...opened, received, settled };
}

/** Everything that a page shows: the texts, and the attributes that are read or linked. */
async function shownOn(page: Page): Promise<string> {
  return `${await page.title()} ${await page.locator('body').evaluate((body) => body.outerHTML)}`;
}

const paths = (user: User): readonly (readonly [path: string, shows: string])[] => [
  ['/', 'Playground'],
  ['/playground?agentId=cashier', 'Ask Cashier'],
  [`/playground?agentId=cashier&conversationId=talk-of-${user}`, users[user]],
  ['/agents', 'Cashier'],
  ['/agents/cashier', 'Try it'],
  ['/tools', 'whoAmI'],
  ['/tools/whoAmI', 'Run the tool'],
  ['/workflows', 'Review'],
  ['/workflows/review', 'Start'],
  ['/executions', `${user}-1`],
  ['/executions?status=suspended&workflowId=review', `${user}-2`],
  [`/executions/review/${user}-1`, `Sign the ${users[user]} 1`],
  [`/executions/review/${user}-1?tab=events`, 'workflow-suspended'],
  [`/executions/review/${user}-1?tab=data`, users[user]],
  [`/compare/review?left=${user}-1&right=${user}-2`, 'steps differ'],
  ['/approvals', `bill for ${users[user]}`],
  ['/conversations', users[user]],
  [`/conversations/talk-of-${user}`, users[user]],
  [`/conversations/talk-of-${user}?tab=memory`, 'Working memory'],
  [`/users/${user}`, users[user]],
  [`/users/${user}?tab=executions`, `${user}-1`],
  [`/users/${user}?tab=traces`, user],
  ['/traces', 'opens with the console key'],
  ['/traces/0af7651916cd43dd8448eb211c80319c', 'opens with the console key'],
  ['/logs', 'opens with the console key'],
  ['/system', 'opens with the console key'],
];

it.each([
  ['ursula', 'magnus'],
  ['magnus', 'ursula'],
] as const)('shows %s every page with own rows only, and nothing of %s', async (user, other) => {
  const url = await start();
  const { page, problems, received, settled } = await openAs(user, url, '/console/');
  for (const [path, shows] of paths(user)) {
    await page.goto(`${url}/console${path}`);
    const main = page.locator('main');
    const wanted = main
      .getByText(shows)
      .or(main.getByPlaceholder(shows))
      .or(main.getByRole('button', { name: shows }));
    await wanted.filter({ visible: true }).first().waitFor();
    // Parts of a page that are read later.
    await settled();
    const html = await shownOn(page);
    const foreign = [other, users[other], 'wants a credential'].filter((text) => html.includes(text));
    // Nothing leads to pages that only the key opens.
    const dead = page.locator('a[href*="/console/traces"], a[href*="/console/logs"], a[href*="/console/system"]');
    expect({ path, foreign, dead: await dead.count() }).toEqual({ path, foreign: [], dead: 0 });
  }
  expect(received.length).toBeGreaterThan(40);
  for (const text of received.filter((each) => !each.includes('/assets/'))) {
    expect(text).not.toContain(other);
    expect(text).not.toContain(users[other]);
  }
  // The page has sent no request that the server refuses.
  expect(problems.join('\n')).toBe('');
  await expectAccessible(page);
});

it('does not show another user’s execution, conversation or answers', async () => {
  const url = await start();
  const { page } = await openAs('ursula', url, '/console/executions/review/magnus-1');
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  expect(await shownOn(page)).not.toContain('tulips');
  await page.goto(`${url}/console/conversations/talk-of-magnus`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  expect(await shownOn(page)).not.toContain('tulips');
});

it('shows a user that an own execution failed and at which step, but not why: the key shows that', async () => {
  const url = await start();
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ursula' };
  const body = JSON.stringify({ input: {}, options: { executionId: 'failed' } });
  await (await fetch(`${url}/workflows/book/execute`, { method: 'POST', headers, body })).text();
  const { page, problems, received, settled } = await openAs('ursula', url, '/console/executions');
  await page.getByRole('row').filter({ hasText: 'failed' }).getByText('ledger: ').waitFor();
  for (const tab of ['graph', 'timeline', 'events', 'data', 'logs']) {
    await page.goto(`${url}/console/executions/book/failed?tab=${tab}`);
    await page.getByRole('alert').getByText('Step "ledger" failed').waitFor();
    await settled();
    expect(await shownOn(page)).not.toContain('ECONNREFUSED');
    expect(await page.locator('a[href*="/console/traces"]').count()).toBe(0);
  }
  expect(received.filter((text) => text.includes('ECONNREFUSED'))).toEqual([]);
  expect(problems.join('\n')).toBe('');

  // The trace is refused, whatever the page asks for.
  const key = { 'x-console-access-key': consoleKey };
  const { data } = (await (await fetch(`${url}/observability/traces?entityId=book`, { headers: key })).json()) as {
    readonly data: { readonly traces: readonly { readonly traceId: string }[] };
  };
  const traceId = data.traces[0]?.traceId ?? '';
  const refused = [`traces/${traceId}`, `traces/${traceId}?view=outline`, `traces/${traceId}/logs`, 'traces', 'logs'];
  for (const path of refused) {
    const reply = await fetch(`${url}/observability/${path}`, { headers });
    expect({ path, status: reply.status }).toEqual({ path, status: 401 });
    expect(await reply.text()).not.toContain('ECONNREFUSED');
  }
  await page.goto(`${url}/console/traces/${traceId}`);
  await page.getByText('opens with the console key').waitFor();
  expect(await shownOn(page)).not.toContain('ECONNREFUSED');

  // The key shows it: the test above looks for the right text.
  const operator = await pages.openAt(url, '/console/executions/book/failed');
  await operator.page.getByLabel('Console key', { exact: true }).fill(consoleKey);
  await operator.page.keyboard.press('Enter');
  await operator.page.getByRole('alert').getByText('ECONNREFUSED').waitFor();
});

it('lets a user start, answer, approve and cancel, and see it live', async () => {
  const url = await start();
  const { page, problems } = await openAs('ursula', url, '/console/workflows/review');
  await page.getByRole('textbox', { name: 'text' }).fill('a letter');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign a letter' }).waitFor();
  await page.getByRole('textbox', { name: 'by' }).fill('Ursula');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('header').getByText('completed').first().waitFor();

  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('link', { name: 'pay' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('The call is approved.').waitFor();

  await page.goto(`${url}/console/executions`);
  await page.getByRole('row').filter({ hasText: 'ursula-1' }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Change 1 selected' }).click();
  await page
    .getByRole('radio', { name: 'Cancel' })
    .or(page.getByRole('button', { name: 'Cancel', exact: true }))
    .first()
    .click();
  await page.getByRole('button', { name: 'Cancel 1 execution' }).click();
  await page.getByText('1 of 1 cancelled').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row').filter({ hasText: 'ursula-1' }).getByText('cancelled').waitFor();

  // Changes elsewhere appear without a reload.
  await fetch(`${url}/workflows/review/executions/ursula-2/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ursula' },
    body: '{}',
  });
  await page.getByRole('row').filter({ hasText: 'ursula-2' }).getByText('cancelled').waitFor();
  expect(problems.join('\n')).toBe('');
});
