import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { UIMessage } from 'ai';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../../../../client/src/index.ts';
import {
  createServerDatabase,
  type ServerDatabase,
} from '../../../../../memory-postgres/src/testing/server-database.ts';
import type { FromReplica, RefundReplicaSettings } from '../../../testing/refund-replica.ts';

const program = fileURLToPath(new URL('../../../testing/refund-replica.ts', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const dayMs = 86_400_000;

interface Request {
  readonly id: string;
  readonly conversationId: string;
}

interface Replica {
  readonly origin: string;
  readonly refunds: readonly { readonly euros: number; readonly key: string | undefined }[];
  link(request: Request): Promise<string>;
  kill(): Promise<void>;
}

let database: ServerDatabase;
let children: ChildProcess[];
let receiver: Server;
/** The events that the receiver has accepted. It refuses all while it is down. */
let events: { readonly type: string; readonly data: Readonly<Record<string, string>> }[];
let isDown: boolean;

beforeEach(async () => {
  [children, events, isDown] = [[], [], true];
  database = await createServerDatabase();
  receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const [id, time] = [String(request.headers['webhook-id']), Number(request.headers['webhook-timestamp'])];
      const expected = new Webhook(secret).sign(id, new Date(time * 1_000), body);
      const isAccepted = !isDown && request.headers['webhook-signature'] === expected;
      if (isAccepted) events.push(JSON.parse(body) as (typeof events)[number]);
      response.writeHead(isAccepted ? 204 : 503).end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const child of children) await end(child);
  receiver.close();
  await database.remove();
});

async function start(port: number, shiftMs: number): Promise<Replica> {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { connectionString } = database;
  const settings: RefundReplicaSettings = { connectionString, port, shiftMs, webhook: { url, secret } };
  const clock = `const { now } = Date; Date.now = () => now() + ${shiftMs};`;
  const execArgv = ['--conditions=@halyard/source', '--import', `data:text/javascript,${encodeURIComponent(clock)}`];
  const child = fork(program, [JSON.stringify(settings)], { execArgv });
  children.push(child);
  const refunds: { euros: number; key: string | undefined }[] = [];
  const origin = Promise.withResolvers<string>();
  let link = Promise.withResolvers<string>();
  child.on('message', (message: FromReplica) => {
    if (message.type === 'address') origin.resolve(message.origin);
    else if (message.type === 'link') link.resolve(message.link);
    else refunds.push({ euros: message.euros, key: message.key });
  });
  return {
    origin: await origin.promise,
    refunds,
    link: (request) => {
      link = Promise.withResolvers<string>();
      child.send(request);
      return link.promise;
    },
    kill: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

async function get<Data>(url: string, headers: Record<string, string>): Promise<Data> {
  const reply = await fetch(url, { headers });
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { readonly data: Data }).data;
}

async function newestParts(origin: string): Promise<UIMessage['parts']> {
  const url = `${origin}/api/memory/conversations/order-17/messages`;
  const { messages } = await get<{ messages: UIMessage[] }>(url, { authorization: 'Bearer ada' });
  return messages.at(-1)?.parts ?? [];
}

/** The fields of the form, as a browser sends them. */
function fieldsOf(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input[^>]*name="([^"]*)"\s+value="([^"]*)"/g);
  const areas = page.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n?([^<]*)<\/textarea>/g);
  const fields = [...inputs, ...areas];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

it('a refund is asked for today, lowered and approved by a manager tomorrow, and paid once', async () => {
  const port = await freePort();
  const first = await start(port, 0);
  const client = createClient({ baseUrl: first.origin, token: 'ada' });
  const question = 'I want my money back for order 17';
  const asked: string[] = [];
  for await (const chunk of client.agent('support').chat(question, { conversationId: 'order-17' }))
    asked.push('toolName' in chunk ? `${chunk.type} ${chunk.toolName}` : chunk.type);
  expect(asked).toEqual(expect.arrayContaining(['tool-input-available ask_accounts', 'tool-input-available refund']));
  expect(asked).toContain('tool-approval-request');
  // The customer leaves the chat open, and the shop's mail server does not respond.
  const leave = new AbortController();
  const answered = Promise.withResolvers<void>();
  const shown = new Set<string>();
  const reply = 'Your money is on its way: € 25.';
  void (async () => {
    for await (const { type } of client.approvals.follow({ signal: leave.signal })) {
      if (type === 'APPROVAL_REQUESTED') continue;
      let text = '';
      for await (const chunk of client.agent('support').resumeChat('order-17'))
        if (chunk.type === 'text-delta' && 'delta' in chunk) text += chunk.delta;
      // As `useAgentChat` does: the reply may have ended in the meantime.
      const last = (await newestParts(first.origin)).at(-1);
      if (text === '' && last?.type === 'text') ({ text } = last);
      shown.add(text);
      if (text === reply) answered.resolve();
    }
  })().catch(answered.reject);
  await first.kill();
  expect(first.refunds).toEqual([]);

  // The next day, on two other replicas, of which one has the address of the first.
  isDown = false;
  const [second, third] = [await start(port, dayMs), await start(await freePort(), dayMs)];
  await expect.poll(() => events.map(({ type }) => type)).toEqual(['approval.requested']);
  const { approvalId = '', conversationId = '' } = events[0]?.data ?? {};
  expect([events[0]?.data['userId'], conversationId]).toEqual(['ada', 'order-17']);
  const link = new URL(await second.link({ id: approvalId, conversationId }));
  const open = async ({ origin }: Replica): Promise<string> =>
    (await fetch(`${origin}${link.pathname}${link.search}`)).text();
  // A mail program opens the link, too.
  await open(second);
  const fields = fieldsOf(await open(third));
  expect(fields).toMatchObject({ 'argument.euros': '40', 'argument.order': '17' });
  const answer = { ...fields, 'argument.euros': '25', decision: 'approve', reason: 'Without the postage' };
  const send = ({ origin }: Replica): Promise<Response> =>
    fetch(`${origin}${link.pathname}`, { method: 'POST', body: new URLSearchParams(answer) });
  await Promise.all([send(third), send(second), send(third)]);
  expect(await open(second)).toContain('<bdi>You</bdi> approved this request');

  await answered.promise;
  leave.abort();
  const refunds = [...second.refunds, ...third.refunds];
  expect(refunds).toEqual([{ euros: 25, key: expect.any(String) }]);
  expect([...shown].filter(Boolean)).toEqual([reply]);
  expect(await newestParts(third.origin)).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-ask_accounts', state: 'output-available', output: 'Paid back: € 25' },
    { toolName: 'refund', input: { euros: 40 }, approval: { approved: true, input: { euros: 25, order: '17' } } },
    { type: 'step-start' },
    { type: 'text', text: reply },
  ]);
  await expect.poll(() => events.map(({ type }) => type)).toEqual(['approval.requested', 'approval.settled']);
  expect(events[1]?.data).toMatchObject({ approved: true, answeredBy: 'grace', reason: 'Without the postage' });
  const { records } = await get<{ records: { outcome: { errorCode: string | null } }[] }>(
    `${second.origin}/audit?action=approval.answer`,
    {
      'x-console-access-key': 'the key of the console',
    },
  );
  // Of those that arrived together, only one was accepted.
  expect(records.filter(({ outcome }) => outcome.errorCode === null)).toMatchObject([
    {
      actor: { userId: 'grace', roles: ['manager'], channel: 'link' },
      detail: { approved: true, changesInput: true, reason: 'Without the postage' },
    },
  ]);
});
