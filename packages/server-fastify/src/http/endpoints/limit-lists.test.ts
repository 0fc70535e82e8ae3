import { createMemory } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, expect, it, vi } from 'vitest';
import { defineStream } from '../../api/define/define-stream.ts';
import { endpoints } from '../../api/routes/index.ts';
import { changed } from '../../testing/durable.ts';
import { userOf } from '../../testing/memory.ts';
import { Scrape } from '../../testing/scrape.ts';
import { endpoint, serve, type Served, type ServedOptions } from '../../testing/serve.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/**
 * A server whose store lets lists of conversations wait, except those of `ben`, until the test
 * opens it.
 */
async function serveBlocked(options: ServedOptions & { readonly endpoints?: Parameters<typeof serve>[0] } = {}) {
  const storage = createInMemoryStorage();
  const { promise, resolve } = Promise.withResolvers<void>();
  const reads = { begun: 0, running: 0, most: 0 };
  const list: typeof storage.conversations.list = async (owner, filter) => {
    reads.begun += 1;
    reads.running += 1;
    reads.most = Math.max(reads.most, reads.running);
    if (owner === 'anyone' || owner.user !== 'ben') await promise;
    reads.running -= 1;
    return storage.conversations.list(owner, filter);
  };
  const blocked = { ...storage, conversations: changed(storage.conversations, { list }) };
  const { endpoints: added = [], ...rest } = options;
  const served = await serve(added, { memory: createMemory({ storage: blocked }), userOf, ...rest });
  server = served;
  return {
    reads,
    open: resolve,
    close: () => served.close(),
    ask: (as: string, init: RequestInit = {}) => lists(served, { headers: { 'x-user': as }, ...init }),
    get: (path: string, init: RequestInit = {}) => fetch(`${served.origin}${path}`, init),
    /** Waits until so many requests are in progress, those that wait included. */
    inProgress: (count: number, init: RequestInit = {}) =>
      vi.waitFor(
        async () => {
          const scrape = await Scrape.of(served.origin, init);
          expect(scrape.total('http_server_active_requests')).toBe(count);
        },
        { timeout: 60_000 },
      ),
  };
}

const lists = ({ origin }: Served, init: RequestInit): Promise<Response> =>
  fetch(`${origin}/api/memory/conversations`, init);

const statusesOf = async (replies: readonly Promise<Response>[]): Promise<readonly number[]> =>
  (await Promise.all(replies)).map(({ status }) => status);

it('lets four lists of one user reach the store, and the others wait; those of another user do not', async () => {
  const { ask, get, inProgress, open, reads } = await serveBlocked();
  const replies = Array.from({ length: 60 }, () => ask('ada'));
  await inProgress(60);
  expect(reads).toMatchObject({ begun: 4, running: 4 });
  expect((await ask('ben')).status).toBe(200);
  expect((await get('/agents', { headers: { 'x-user': 'ada' } })).status).toBe(200);
  expect(reads).toMatchObject({ begun: 5, running: 4 });

  open();
  expect(new Set(await statusesOf(replies))).toEqual(new Set([200]));
  expect(reads).toEqual({ begun: 61, running: 0, most: 5 });
  await inProgress(0);
});

it('never reads a list for a client that has left while it waited', async () => {
  const { ask, inProgress, open, reads } = await serveBlocked();
  const running = [1, 2, 3, 4].map(() => ask('ada'));
  await inProgress(4);
  const controller = new AbortController();
  const left = Array.from({ length: 20 }, () => ask('ada', { signal: controller.signal }));
  await inProgress(24);
  const waiting = ask('ada');
  await inProgress(25);

  controller.abort();
  await Promise.allSettled(left);
  await inProgress(5);
  open();
  expect(await statusesOf([...running, waiting])).toEqual([200, 200, 200, 200, 200]);
  expect(reads).toMatchObject({ begun: 5, running: 0 });
});

it('counts the console key as one caller', async () => {
  const auth = { mode: 'policy', provider: { type: 'none', verifyToken: () => null }, consoleKey: 'secret' } as const;
  const { get, inProgress, open, reads } = await serveBlocked({ auth });
  const headers = { 'x-console-access-key': 'secret' };
  const replies = Array.from({ length: 10 }, () => get('/observability/conversations', { headers }));
  await inProgress(10, { headers });
  expect(reads.begun).toBe(4);
  open();
  expect(new Set(await statusesOf(replies))).toEqual(new Set([200]));
  expect(reads).toEqual({ begun: 10, running: 0, most: 4 });
});

it('answers the lists that wait when the server closes', async () => {
  const { ask, close, inProgress, open } = await serveBlocked();
  const replies = Array.from({ length: 10 }, () => ask('ada'));
  await inProgress(10);
  const closed = close();
  open();
  expect(new Set(await statusesOf(replies))).toEqual(new Set([200]));
  await closed;
});

it('refuses the lists that still wait after the grace period of a closing server', async () => {
  const { ask, close, inProgress, open, reads } = await serveBlocked({ limits: { shutdownGraceMs: 10 } });
  const running = [1, 2, 3, 4].map(() => ask('ada'));
  await inProgress(4);
  const waiting = [1, 2, 3].map(() => ask('ada'));
  await inProgress(7);
  const closed = close();
  const refused = await Promise.all(waiting);
  expect(refused.map(({ headers, status }) => [status, headers.get('x-error-code')])).toEqual(
    waiting.map(() => [503, 'SHUTTING_DOWN']),
  );
  open();
  expect(await statusesOf(running)).toEqual([200, 200, 200, 200]);
  await closed;
  expect(reads.begun).toBe(4);
});

it('queues each batch of an export, so that a long one lets lists through', async () => {
  const released = vi.fn<() => void>();
  const endless = defineStream({
    ...endpoint,
    method: 'GET',
    url: '/endless',
    operationId: 'endless',
    readsList: true,
    event: Type.String(),
    encode: (event: string) => `data: ${event}\n\n`,
    encodeFailure: (error) => `data: ${error}\n\n`,
    handler: async () => endlessBatches(released),
  });
  const limits = { listsPerCaller: 1 };
  const { ask, get, inProgress, open } = await serveBlocked({ endpoints: [endless], limits });
  const client = new AbortController();
  const read = (as: string): Promise<Response> => get('/endless', { headers: { 'x-user': as }, signal: client.signal });
  // Nobody reads the body.
  expect((await read('ben')).status).toBe(200);
  expect((await ask('ben')).status).toBe(200);

  const list = ask('ada');
  await inProgress(2);
  const waiting = read('ada');
  await inProgress(3);
  client.abort();
  await Promise.allSettled([waiting]);
  await inProgress(1);
  expect(released).toHaveBeenCalledTimes(1);
  open();
  expect((await list).status).toBe(200);
});

async function* endlessBatches(released: () => void): AsyncGenerator<readonly string[], void, undefined> {
  try {
    for (;;) yield ['x'.repeat(100_000)];
  } finally {
    released();
  }
}

it('applies to what reads lists, searches, counts or exports', () => {
  const limited = endpoints.flatMap(({ operationId, readsList }) => (readsList === true ? [operationId] : []));
  expect(limited).toEqual([
    'getAgentHistory',
    'listExecutions',
    'listOwnExecutions',
    'previewBulkOperation',
    'listConversations',
    'listMessages',
    'searchMemory',
    'exportUser',
    'viewConversations',
    'viewMessages',
    'viewMemorySearch',
    'viewUser',
    'listApprovals',
    'listOwnApprovals',
    'listApprovalGrants',
    'listOwnApprovalGrants',
    'listAudit',
    'exportAudit',
    'listWebhookDeliveries',
    'getObservabilityStatus',
    'listTraces',
    'getTrace',
    'listSpans',
    'listTraceLogs',
    'listSpanLogs',
    'queryLogs',
    'countRuns',
    'listFailures',
    'listSystemLogs',
  ]);
});
