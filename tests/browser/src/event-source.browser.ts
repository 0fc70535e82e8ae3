import { createWorkflow } from '@halyard/core';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { readBlocks, readDocuments } from '@halyard/test-docs/documents';
import { Type } from '@sinclair/typebox';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { closePages, openBrowser } from './open-browser.ts';
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

/** `follow` of docs/workflows/http.md, for the execution `piano-1`. */
function documentedScript(): string {
  const [document] = readDocuments('docs/workflows/http.md');
  const blocks = document === undefined ? [] : readBlocks(document).blocks;
  const block = blocks.find(({ lines }) => lines.some((line) => line.includes('new EventSource(')));
  if (block === undefined) throw new Error('docs/workflows/http.md has no script with EventSource');
  return block.lines.join('\n');
}

const order = createWorkflow({
  id: 'order',
  input: Type.Object({ item: Type.String() }),
  resumeSchema: Type.Object({ approved: Type.Boolean() }),
}).andThen({
  id: 'approve',
  execute: ({ data, resumeData, suspend }) =>
    resumeData === undefined ? suspend('Please approve') : `${data.item}: ${resumeData.approved}`,
});

interface Opened {
  readonly page: Page;
  readonly proxy: Proxy;
  readonly post: (path: string, body: unknown) => Promise<Response>;
  /** Follows the execution in the page, with the token of a user. */
  readonly follow: (token: string) => Promise<void>;
  /** Numbers and types of the events that the page has received. */
  readonly events: () => Promise<readonly string[]>;
  /** How following has ended; undefined while it goes on. */
  readonly ended: () => Promise<string | undefined>;
}

async function open(): Promise<Opened> {
  const provider = { type: 'names', verifyToken: (token: string) => (token === 'of-ada' ? { id: 'ada' } : null) };
  const server: HalyardServer = await createServer({
    workflows: [order],
    auth: { provider, publicRoutes: ['GET /follow'] },
    logger: false,
    signals: false,
    console: false,
  });
  const html = `<!doctype html><meta charset="utf-8"><script>${documentedScript()}
    globalThis.received = [];
    globalThis.start = (token) =>
      follow(async () => token, ({ seq, type }) => received.push(\`\${seq} \${type}\`)).then(
        () => (globalThis.ended = 'done'),
        (error) => (globalThis.ended = error.message),
      );
  </script>`;
  server.app.get('/follow', (_, reply) => reply.type('text/html').send(html));
  const origin = await server.listen({ port: 0 });
  closers.push(() => server.close());
  const proxy = await openProxy(origin);
  closers.push(() => proxy.close());
  const context = await browser.newContext();
  closers.push(() => context.close());
  const page = await context.newPage();
  await page.goto(`${proxy.url}/follow`);
  return {
    page,
    proxy,
    post: async (path, body) =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer of-ada', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    follow: async (token) => void (await page.evaluate(`void start(${JSON.stringify(token)})`)),
    events: () => page.evaluate('received'),
    ended: () => page.evaluate('globalThis.ended'),
  };
}

async function begin({ post }: Opened): Promise<void> {
  const reply = await post('/workflows/order/execute', {
    input: { item: 'piano' },
    options: { executionId: 'piano-1' },
  });
  expect(await reply.json()).toMatchObject({ data: { status: 'suspended' } });
}

async function approve({ post }: Opened): Promise<void> {
  const reply = await post('/workflows/order/executions/piano-1/resume', { resumeData: { approved: true } });
  expect(await reply.json()).toMatchObject({ data: { status: 'completed' } });
}

const suspended = ['1 workflow-start', '2 step-start', '3 workflow-suspended', '4 workflow-result'];
const completed = [...suspended, '5 step-complete', '6 workflow-complete', '7 workflow-result'];

it('follows an execution that waits, until it has ended', async () => {
  const opened = await open();
  await begin(opened);
  await opened.follow('of-ada');
  await expect.poll(opened.events).toEqual(suspended);
  await approve(opened);
  await expect.poll(opened.ended).toBe('done');
  expect(await opened.events()).toEqual(completed);
});

it('stops after the events of an execution that has ended', async () => {
  const opened = await open();
  await begin(opened);
  await approve(opened);
  await opened.follow('of-ada');
  await expect.poll(opened.ended).toBe('done');
  expect(await opened.events()).toEqual(completed);
});

it('continues when the server cannot be reached for a while', async () => {
  const opened = await open();
  await begin(opened);
  await opened.follow('of-ada');
  await expect.poll(opened.events).toEqual(suspended);
  const failed = opened.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/stream-ticket'));
  opened.proxy.cut();
  await failed;
  await approve(opened);
  opened.proxy.restore();
  await expect.poll(opened.ended).toBe('done');
  expect(await opened.events()).toEqual(completed);
});

it('tells the page that the user may not follow', async () => {
  const opened = await open();
  await begin(opened);
  await opened.follow('of-nobody');
  await expect.poll(opened.ended).toBe('No ticket: status 401');
});
