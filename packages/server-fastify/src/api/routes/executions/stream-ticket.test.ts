import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StreamTickets } from '../../../runtime/services/stream-tickets.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { framesIn, workflows } from '../../../testing/workflows.ts';

const consoleKey = 'the console key of this test';
const provider = {
  type: 'test',
  verifyToken: (token: string) => (token.startsWith('token-of-') ? { sub: token.slice('token-of-'.length) } : null),
};
const secret = 'a secret';
const lines: string[] = [];
const agents = [new Agent({ id: 'teller', model: scriptedModel('Hi') })];
const storage = createInMemoryStorage();
const start = (ownSecret: string | readonly string[] = secret): Promise<Served> =>
  serve([], {
    agents,
    workflows,
    storage,
    secret: ownSecret,
    auth: { provider, consoleKey, rejectedPerMinute: false },
    logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
  });

let server: Served;
let replica: Served;
beforeAll(async () => {
  server = await start();
  replica = await start(['a newer secret', secret]);
  await run('piano');
});
afterAll(async () => {
  await replica.close();
  await server.close();
  await storage.close();
});

const as = (user: string) => ({ authorization: `Bearer token-of-${user}` });
async function run(executionId: string): Promise<void> {
  const init = json({ input: { a: 1, b: 2 }, options: { executionId } });
  const response = await fetch(`${server.origin}/workflows/sum/execute`, {
    ...init,
    headers: { ...init.headers, ...as('ada') },
  });
  expect(response.status).toBe(200);
}

const execution = '/workflows/sum/executions/piano/stream';

async function ticketFor(path: string, headers: Record<string, string> = as('ada'), from = server): Promise<string> {
  const response = await fetch(`${from.origin}${path}-ticket`, { method: 'POST', headers });
  const { data } = (await response.json()) as { data: { ticket: string; expiresAt: string } };
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return data.ticket;
}

async function open(path: string, ticket: string, { from = server, headers = {} } = {}) {
  const response = await fetch(`${from.origin}${path}?ticket=${encodeURIComponent(ticket)}`, { headers });
  return { status: response.status, text: await response.text() };
}

const refused = { status: 401, text: '{"success":false,"error":"Invalid or expired token"}' };

describe('a stream ticket', () => {
  it('opens the events of an execution as its user, at any server with the secret', async () => {
    const ticket = await ticketFor(execution);
    for (const from of [server, replica, server]) {
      const { status, text } = await open(execution, ticket, { from });
      expect(status).toBe(200);
      expect(framesIn(text).at(-1)?.event).toMatchObject({ type: 'workflow-result', status: 'completed' });
    }
    expect(await open(execution, await ticketFor(execution, as('ada'), replica))).toEqual(refused);
  });

  it('is not given for the execution of another user, nor without credentials', async () => {
    const request = (path: string, headers: Record<string, string>) =>
      fetch(`${server.origin}${path}-ticket`, { method: 'POST', headers });
    expect((await request(execution, as('eve'))).status).toBe(404);
    expect((await request('/workflows/sum/executions/unknown/stream', as('eve'))).status).toBe(404);
    expect((await request(execution, {})).status).toBe(401);
    expect((await request(execution, { 'x-console-access-key': consoleKey })).status).toBe(401);
  });

  it('opens nothing else', async () => {
    await run('violin');
    const ticket = await ticketFor(execution);
    for (const path of ['/workflows/sum/executions/violin/stream', '/workflows/gated/executions/piano/stream'])
      expect(await open(path, ticket)).toEqual(refused);
    for (const path of [
      '/workflows/sum/executions/piano',
      '/workflows/sum/executions/piano/stream-ticket',
      '/observability/workflows/sum/executions/piano/stream',
      '/api/executions',
      '/agents/teller/chat/piano/stream',
    ])
      expect((await open(path, ticket)).status).toBe(401);
    const posted = await fetch(`${server.origin}/workflows/sum/executions/piano/cancel?ticket=${ticket}`, json({}));
    expect(posted.status).toBe(401);
  });

  it('counts only as it was given', async () => {
    const ticket = await ticketFor(execution);
    const [expiry = '', user = '', signature = ''] = ticket.split('.');
    const eve = Buffer.from('eve').toString('base64url');
    for (const changed of [
      '',
      'x',
      `${expiry}.${eve}.${signature}`,
      `${expiry}..${signature}`,
      `${Number(expiry) + 1}.${user}.${signature}`,
      `${expiry}.${user}.${signature.slice(0, -1)}`,
      `${expiry}.${user}.${'A'.repeat(43)}`,
      `${ticket}x`,
    ])
      expect({ changed, ...(await open(execution, changed)) }).toEqual({ changed, ...refused });
    const twice = await fetch(`${server.origin}${execution}?ticket=${ticket}&ticket=${ticket}`);
    expect(twice.status).toBe(401);
  });

  it('does not replace a token that is sent', async () => {
    const ticket = await ticketFor(execution);
    expect((await open(execution, ticket, { headers: as('eve') })).status).toBe(404);
    expect((await open(execution, 'x', { headers: as('ada') })).status).toBe(200);
    expect((await open(execution, ticket, { headers: { authorization: 'Bearer no' } })).status).toBe(401);
  });

  it('of a developer counts as the dev bypass does', async () => {
    const ticket = await ticketFor(execution, { 'x-service-dev': 'true' });
    expect((await open(execution, ticket)).status).toBe(200);
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await open(execution, ticket)).status).toBe(401);
  });

  it('is in no log line', async () => {
    const ticket = await ticketFor(execution);
    await open(execution, ticket);
    await open(execution, `${ticket}x`);
    expect(lines.join()).toContain(`${execution}?ticket"`);
    expect(lines.join()).not.toContain(ticket);
  });

  it('is valid for a minute', () => {
    let now = 1_000;
    const tickets = new StreamTickets(['s'], { now: () => now, monotonicNow: () => now });
    const subject = { url: '/x', params: { id: 'a' } };
    const { expiresAt, ticket } = tickets.issue(subject, 'ada|用户');
    expect(expiresAt).toBe(61_000);
    now = 61_000;
    expect(tickets.userOf(ticket, subject)).toBe('ada|用户');
    now += 1;
    expect(tickets.userOf(ticket, subject)).toBeUndefined();
  });
});
