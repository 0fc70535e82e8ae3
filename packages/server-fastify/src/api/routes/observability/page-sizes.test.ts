import { afterEach, expect, it } from 'vitest';
import { agents } from '../../../testing/generation.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';

let server: Served;
afterEach(() => server.close());

const pageBytes = 100_000;
/** Longer than an attribute may be. */
const input = 'x'.repeat(50_000);
const runs = 12;
const traceId = '0af7651916cd43dd8448eb211c80319c';
const silent = { write: () => {} };

interface Page {
  readonly bytes: number;
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
}

async function read(path: string, name: string): Promise<Page> {
  const text = await (await fetch(`${server.origin}${path}`)).text();
  const { data } = JSON.parse(text) as { data: Record<string, unknown> & { hasMore: boolean } };
  return { bytes: text.length, items: data[name] as readonly unknown[], hasMore: data.hasMore };
}

async function readAll(
  path: string,
  name: string,
): Promise<{ readonly items: readonly unknown[]; readonly pages: number }> {
  const items: unknown[] = [];
  for (let pages = 1; ; pages += 1) {
    const page = await read(`${path}?offset=${items.length}`, name);
    // A trace has each span twice: in the list and in the tree.
    expect(page.bytes).toBeLessThan(3 * pageBytes);
    items.push(...page.items);
    if (!page.hasMore) return { items, pages };
    expect(page.items.length).toBeGreaterThan(0);
  }
}

/** Runs in one trace, whose id the caller chooses. */
async function growTrace(): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const { headers, ...init } = json({ input });
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const response = await fetch(`${server.origin}/agents/plain/text`, {
      ...init,
      headers: { ...headers, traceparent },
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }
}

it('returns a trace that a caller has grown in pages of limited size', async () => {
  server = await serve([], { agents, limits: { pageBytes } });
  await growTrace();
  const { items, pages } = await readAll(`/observability/traces/${traceId}`, 'spans');
  const spans = items as readonly { readonly name: string; readonly spanId: string }[];
  expect(pages).toBeGreaterThan(3);
  expect(spans.filter(({ name }) => name === 'invoke_agent plain')).toHaveLength(runs);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(await read(`/observability/traces/${traceId}?offset=${spans.length}`, 'spans')).toMatchObject({
    items: [],
    hasMore: false,
  });
});

it('returns traces in pages of limited size', async () => {
  server = await serve([], { agents, limits: { pageBytes } });
  for (let run = 0; run < runs; run += 1)
    await (await fetch(`${server.origin}/agents/plain/text`, json({ input }))).text();
  const { items, pages } = await readAll('/observability/traces', 'traces');
  expect(pages).toBeGreaterThan(3);
  expect(new Set(items.map((item) => (item as { traceId: string }).traceId)).size).toBe(runs);
});

it('returns logs in pages of limited size', async () => {
  server = await serve([], { limits: { pageBytes }, logger: { level: 'error', stream: silent } });
  for (let line = 0; line < runs; line += 1) server.app.log.error({ line }, input);
  const { items, pages } = await readAll('/observability/logs', 'logs');
  expect(pages).toBeGreaterThan(3);
  expect(items.map((item) => (item as { attributes: { line: number } }).attributes.line)).toEqual(
    Array.from({ length: runs }, (_, line) => runs - 1 - line),
  );
  const reply = await fetch(`${server.origin}/api/logs`);
  expect(await reply.json()).toMatchObject({ data: [{ line: 11 }], total: runs, hasMore: true });
});

it('says which page of the history of an agent is not complete', async () => {
  server = await serve([], { agents, limits: { pageBytes } });
  await growTrace();
  const history = async (
    query: string,
  ): Promise<{ entries: readonly unknown[]; isComplete: boolean; total: number }> => {
    const reply = await fetch(`${server.origin}/agents/plain/history?${query}`);
    return ((await reply.json()) as { data: Awaited<ReturnType<typeof history>> }).data;
  };
  const cut = await history('limit=10');
  expect(cut).toMatchObject({ isComplete: false, total: runs });
  expect(cut.entries.length).toBeLessThan(5);
  for (let page = 0; page < runs; page += 1)
    expect(await history(`limit=1&page=${page}`)).toMatchObject({ entries: [{}], isComplete: true });
  expect(await history(`limit=10&page=9`)).toMatchObject({ entries: [], isComplete: true });
});
