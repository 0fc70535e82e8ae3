import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchProgram } from '../../../tools/programs/fetch-program.ts';
import { consoleKey } from './app.ts';
import { type Host, openBun, openFastify, openLambda, openRouteHandler } from './hosts.ts';

const bun = await fetchProgram('bun');
const noBun = `Hono on Bun: skipped, because Bun has no program for ${process.platform} ${process.arch}`;

// `streams`: replies arrive while they are made, and a client that leaves aborts its run.
// docs/platforms.md lists the differences.
const hosts = [
  { name: 'Fastify', open: openFastify, streams: true },
  { name: 'a route handler', open: openRouteHandler, streams: true },
  { name: bun === undefined ? noBun : 'Hono on Bun', open: async () => openBun(bun ?? ''), streams: true },
  { name: 'AWS Lambda', open: openLambda, streams: false },
];

for (const { name, open, streams } of hosts)
  describe.skipIf(name === noBun)(`on ${name}`, () => {
    let host: Host;
    beforeAll(async () => {
      host = await open();
    });
    afterAll(() => host.close());

    const asAda = { authorization: 'Bearer of-ada' };
    const request = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${host.origin}/ai${path}`, init);
    const post = (path: string, body: unknown, credential: object = asAda, signal?: AbortSignal): Promise<Response> =>
      request(path, {
        method: 'POST',
        headers: { ...credential, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
    const read = async (
      response: Promise<Response>,
    ): Promise<{ status: number; code: string | null; body: unknown }> => {
      const { status, headers } = await response;
      return { status, code: headers.get('x-error-code'), body: await (await response).json() };
    };
    const operator = { 'x-console-access-key': consoleKey };
    const callTool = async (tool: string): Promise<unknown> =>
      (await read(post(`/tools/${tool}/execute`, { input: {} }))).body;

    it('replies with a text', async () => {
      const reply = await read(post('/agents/greeter/text', { input: 'Hi' }));
      expect(reply).toMatchObject({ status: 200, body: { success: true, data: { text: 'Hello.' } } });
    });

    it('streams a chat, and remembers it', async () => {
      const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
      const response = await post('/agents/greeter/chat', { input: [message], options: { conversationId: 'c1' } });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
      const events = eventsIn(await response.text());
      expect(events.flatMap(({ type, delta }) => (type === 'text-delta' ? [delta] : [])).join('')).toBe('Hello.');
      expect(events.at(-1)).toMatchObject({ type: 'finish' });
      const stored = await read(request('/api/memory/conversations/c1/messages', { headers: asAda }));
      expect(JSON.stringify(stored.body)).toContain('Hello.');
    });

    it(`${streams ? 'aborts' : 'completes'} the run of a client that leaves`, async () => {
      const client = new AbortController();
      const left = post('/agents/waiter/stream', { input: 'Wait' }, asAda, client.signal).then((r) => r.text());
      await callTool('entered');
      client.abort();
      await expect(left).rejects.toThrow();
      if (!streams) await callTool('release');
      expect(await callTool('ended')).toMatchObject({ data: { result: streams ? 'aborted' : 'complete' } });
    });

    it('runs a tool after its approval', async () => {
      const options = { conversationId: 'c2' };
      await read(post('/agents/cashier/text', { input: 'Pay 5 euros', options }));
      const { body } = await read(request('/approvals', { headers: operator }));
      const [approval] = (body as { data: { approvals: { id: string; toolName: string }[] } }).data.approvals;
      expect(approval?.toolName).toBe('pay');
      const answer = { id: approval?.id, conversationId: 'c2', approved: true };
      expect(await read(post('/approvals/answer', answer, operator))).toMatchObject({ status: 200 });
      const stored = async (): Promise<string> =>
        JSON.stringify((await read(request('/api/memory/conversations/c2/messages', { headers: asAda }))).body);
      await expect.poll(stored).toContain('It is paid.');
      expect(await stored()).toContain('paid 5');
    });

    it('refuses with an envelope: wrong input, unknown agents and paths', async () => {
      const envelope = { success: false, error: expect.any(String) };
      const wrong = await read(post('/agents/greeter/text', { input: 5 }));
      expect(wrong).toMatchObject({ status: 400, body: envelope });
      const unknown = await read(post('/agents/nobody/text', { input: 'Hi' }));
      expect(unknown).toMatchObject({ status: 404, body: envelope });
      expect(await read(request('/nowhere', { headers: asAda }))).toMatchObject({ status: 404, body: envelope });
    });

    it('knows its callers by their credentials', async () => {
      const refused = { status: 401, body: { success: false } };
      expect(await read(post('/agents/greeter/text', { input: 'Hi' }, {}))).toMatchObject(refused);
      expect(await read(request('/approvals', { headers: asAda }))).toMatchObject(refused);
      expect(await read(request('/approvals', { headers: operator }))).toMatchObject({ status: 200 });
    });

    it('refuses a body that is too large', async () => {
      const reply = await read(
        post('/workflows/double/execute', { input: { n: 2, text: 'x'.repeat(2 * 1024 * 1024) } }),
      );
      expect(reply).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE', body: { success: false } });
    });

    it('starts a workflow and streams it', async () => {
      const started = await read(post('/workflows/double/execute', { input: { n: 2 } }));
      expect(started).toMatchObject({ status: 200, body: { data: { status: 'completed', result: 4 } } });
      const { executionId } = (started.body as { data: { executionId: string } }).data;
      const stored = await request(`/workflows/double/executions/${executionId}/stream`, { headers: asAda });
      expect(eventsIn(await stored.text()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);

      const live = await post('/workflows/double/stream', { input: { n: 3 } });
      expect(live.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(eventsIn(await live.text()).at(-1)).toMatchObject({ result: 6 });
    });
  });

interface StreamEvent {
  readonly type?: string;
  readonly delta?: string;
  readonly seq?: number;
}

function eventsIn(stream: string): readonly StreamEvent[] {
  return [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as StreamEvent);
}
