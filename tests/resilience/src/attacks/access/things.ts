import type { Asked } from '../../../../../packages/server-fastify/src/testing/approvals.ts';
import type { OwnedRequest } from '../../../../../packages/server-fastify/src/testing/owned-request.ts';
import type { Thing } from '../../../../access/src/ownership/things.ts';
import { sendJson, send } from '../harness/http-client.ts';
import type { Person, Target } from '../harness/target.ts';

/** A text that all data of Ada contains, and no other data; and its numbers. */
export const markers = ['roses-of-ada', '424242', '848484'];

export type User = 'ada' | 'bob';
type Make = (target: Target, user: User, id: string) => Promise<Partial<Thing>>;

const about = (user: User): string => (user === 'ada' ? 'roses-of-ada' : 'tea-of-bob');
const optionsOf = (user: User, executionId: string) => ({ executionId, metadata: { about: about(user) } });

async function conversation(target: Target, user: User, id: string): Promise<Partial<Thing>> {
  const headers = target.headersOf(user);
  const post = (path: string, body: object): Promise<unknown> =>
    sendJson(target, 'POST', `/api/memory/${path}`, headers, {
      userId: target.userIdOf(user),
      conversationId: id,
      ...body,
    });
  await post('conversations', { title: about(user), metadata: { about: about(user) } });
  const messages = [
    { id: 'm1', role: 'user', content: `The ${about(user)}, with tea` },
    { id: 'reply', role: 'assistant', content: 'Gladly' },
  ];
  await post('save-messages', { messages });
  await post(`conversations/${id}/working-memory`, { content: about(user) });
  return {};
}

/** Creates data of a user, by the kinds of the table of ownership. */
const makers: Readonly<Record<string, Make>> = {
  nothing: async () => ({}),
  user: async (target, user, id) => {
    await conversation(target, user, id);
    return { id: target.userIdOf(user) ?? '' };
  },
  conversation,
  execution: async (target, user, id) => {
    const input = { total: user === 'ada' ? 424_242 : 1 };
    const body = { input, options: optionsOf(user, id) };
    await sendJson(target, 'POST', '/workflows/approval/execute', target.headersOf(user), body);
    return {};
  },
  parent: async (target, user, id) => {
    const body = { input: {}, options: optionsOf(user, id) };
    await sendJson(target, 'POST', '/workflows/parent/execute', target.headersOf(user), body);
    const path = `/workflows/executions?parentExecutionId=${id}`;
    const [inner] = (await sendJson(target, 'GET', path, target.headersOf('console'))) as readonly { id: string }[];
    return { inner: inner?.id ?? '' };
  },
  call: async (target, user) => ({ asked: await askForPayment(target, user, {}) }),
  remembered: async (target, user, id) => ({ asked: await askForPayment(target, user, { conversationId: id }) }),
  delegated: async (target, user, id) => ({ asked: await askForPayment(target, user, { conversationId: id }, 'boss') }),
  wait: async (target, user, id) => {
    const body = { input: { say: 'pay 1' }, options: optionsOf(user, id) };
    const data = await sendJson(target, 'POST', '/workflows/shop/execute', target.headersOf(user), body);
    const { suspensions } = data as { readonly suspensions: readonly { readonly suspendData: Asked }[] };
    return { asked: suspensions.map(({ suspendData }) => suspendData) };
  },
  granted: async (target, user, id) => {
    const headers = target.headersOf(user);
    const [asked] = await askForPayment(target, user, { conversationId: id }, 'treasurer');
    const answer = { approved: true, always: { scope: 'conversation' } };
    await sendJson(target, 'POST', '/api/approvals/answer', headers, {
      id: asked?.approvalId,
      conversationId: id,
      ...answer,
    });
    const { grants } = (await sendJson(target, 'GET', '/api/approvals/grants', headers)) as {
      readonly grants: readonly { readonly id: string; readonly conversationId: string | null }[];
    };
    return { inner: grants.find(({ conversationId }) => conversationId === id)?.id ?? '' };
  },
};

let count = 0;

/** Creates data of a user, with an id that does not reveal the user. */
export async function makeThing(target: Target, kind: string, user: User): Promise<Thing> {
  const id = target.isOwn ? `thing-${(count += 1)}` : `thing-${process.pid}-${(count += 1)}`;
  const maker = makers[kind];
  if (maker === undefined) throw new Error(`no data of the kind ${kind}`);
  return { id, inner: '', asked: [], ...(await maker(target, user, id)) };
}

async function askForPayment(
  target: Target,
  user: User,
  options: object,
  agent = 'cashier',
): Promise<readonly Asked[]> {
  const body = JSON.stringify({ input: 'pay 1', options });
  const path = `/agents/${agent}/stream`;
  const reply = await send(target, { method: 'POST', path, headers: target.headersOf(user), body });
  return reply.body
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map(
      (frame) =>
        JSON.parse(frame.slice('data: '.length)) as Asked & { readonly agentId?: string; readonly type: string },
    )
    .filter(({ agentId, approvalId, type }) => type === 'tool-call' && !agentId && approvalId !== undefined);
}

export interface OwnedReply {
  readonly status: number;
  readonly body: string;
}

/** Sends a request of the table of ownership. */
export async function sendOwned(
  target: Target,
  route: string,
  person: Person,
  { body, headers = {}, params = {}, query = {} }: OwnedRequest,
): Promise<OwnedReply> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'missing'));
  return send(target, {
    method,
    path: `${path}?${new URLSearchParams(query).toString()}`,
    headers: { ...headers, ...target.headersOf(person) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

/** Everything that a user can read of their own data, as text. */
export async function snapshotOf(target: Target, user: User): Promise<string> {
  const headers = target.headersOf(user);
  const memory = '/api/memory/conversations';
  const list = await sendJson(target, 'GET', `${memory}?limit=200`, headers);
  const { conversations } = list as { readonly conversations: readonly { readonly id: string }[] };
  const parts: unknown[] = [list];
  for (const { id } of conversations)
    for (const part of ['messages', 'working-memory']) {
      // A failure is a part of what the user sees: the attack compares it.
      const { body, status } = await send(target, { method: 'GET', path: `${memory}/${id}/${part}`, headers });
      parts.push(status, body);
    }
  if (!target.isOwn) return JSON.stringify(parts);
  const path = `/workflows/executions?limit=200&userId=${user}`;
  parts.push(await sendJson(target, 'GET', path, target.headersOf('console')));
  return JSON.stringify(parts);
}
