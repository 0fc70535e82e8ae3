import { expect } from 'vitest';
import { type Asked, startAndAsk } from '../../../../packages/server-fastify/src/testing/approvals.ts';
import {
  credentialsOf,
  type OwnedRequest,
  type Reply,
  send,
} from '../../../../packages/server-fastify/src/testing/owned-request.ts';
import { secret } from './world.ts';

/** Data of a user. */
export interface Thing {
  readonly id: string;
  /** The conversation that contains it, or the execution of its sub-workflow. */
  readonly inner: string;
  readonly asked: readonly Asked[];
}

type Make = (origin: string, user: string, id: string) => Promise<Partial<Thing> | undefined>;

const makers = {
  nothing: async () => undefined,
  user: async (origin, user) => {
    await makers.conversation(origin, user, `of-${user}-${(count += 1)}`);
    return { id: user };
  },
  conversation: async (origin, user, id) => {
    const metadata = { about: secretOf(user) };
    const named = { userId: user, conversationId: id };
    const messages = [
      { id: 'm1', role: 'user', content: `The ${secretOf(user)}, with tea` },
      { id: 'reply', role: 'assistant', content: 'Gladly' },
    ];
    await made(origin, user, 'POST /api/memory/conversations', {
      body: { ...named, title: secretOf(user), metadata },
    });
    await made(origin, user, 'POST /api/memory/save-messages', { body: { ...named, messages } });
    await made(origin, user, 'POST /api/memory/conversations/:conversationId/working-memory', {
      params: { conversationId: id },
      body: { content: secretOf(user) },
    });
    return undefined;
  },
  /** A span of an agent run. */
  trace: async (origin, user) => {
    await made(origin, user, 'POST /agents/:id/text', {
      params: { id: 'parrot' },
      body: { input: `What of ${secretOf(user)}?`, options: { userId: user } },
    });
    const { text } = await made(origin, user, 'GET /observability/traces', { query: { limit: '1' } });
    const { data } = JSON.parse(text) as { data: { traces: { traceId: string; rootSpan: { spanId: string } }[] } };
    const [trace] = data.traces;
    return { id: trace?.traceId ?? '', inner: trace?.rootSpan.spanId ?? '' };
  },
  /** A suspended execution. */
  execution: async (origin, user, id) => {
    await made(origin, user, 'POST /workflows/:id/execute', {
      params: { id: 'approval' },
      body: { input: { total: user === 'ada' ? 424_242 : 1 }, options: optionsOf(user, id) },
    });
    return undefined;
  },
  /** An execution with a suspended sub-workflow. */
  parent: async (origin, user, id) => {
    await made(origin, user, 'POST /workflows/:id/execute', {
      params: { id: 'parent' },
      body: { input: {}, options: optionsOf(user, id) },
    });
    const { text } = await made(origin, user, 'GET /workflows/executions', { query: { parentExecutionId: id } });
    const { data } = JSON.parse(text) as { data: { id: string }[] };
    return { inner: data[0]?.id ?? '' };
  },
  /** An agent's call that waits for an approval. */
  call: async (origin, user) => {
    const { text } = await made(origin, user, 'POST /agents/:id/stream', {
      params: { id: 'cashier' },
      body: { input: 'pay 1', options: { userId: user } },
    });
    return { asked: askedIn(text) };
  },
  /** The same, in a conversation that is stored. */
  remembered: async (origin, user, id) => {
    const { text } = await made(origin, user, 'POST /agents/:id/stream', {
      params: { id: 'cashier' },
      body: { input: 'pay 1', options: { userId: user, conversationId: id } },
    });
    return { asked: askedIn(text) };
  },
  /** The same, by a sub-agent. */
  delegated: async (origin, user, id) => {
    const { text } = await made(origin, user, 'POST /agents/:id/stream', {
      params: { id: 'boss' },
      body: { input: 'pay 1', options: { userId: user, conversationId: id } },
    });
    return { asked: askedIn(text) };
  },
  /** The same, by an agent in an execution. */
  wait: async (origin, user, id) => {
    const { asked } = await startAndAsk(origin, 'shop', 'pay 1', optionsOf(user, id), credentialsOf(user));
    return { asked };
  },
  /** The approval of later calls. */
  granted: async (origin, user, id) => {
    const { text } = await made(origin, user, 'POST /agents/:id/stream', {
      params: { id: 'treasurer' },
      body: { input: 'pay 1', options: { userId: user, conversationId: id } },
    });
    const [asked] = askedIn(text);
    await made(origin, user, 'POST /api/approvals/answer', {
      body: { id: asked?.approvalId, conversationId: id, approved: true, always: { scope: 'conversation' } },
    });
    const list = await made(origin, user, 'GET /api/approvals/grants', {});
    const { data } = JSON.parse(list.text) as { data: { grants: { id: string; conversationId: string }[] } };
    return { inner: data.grants.find(({ conversationId }) => conversationId === id)?.id ?? '' };
  },
} satisfies Record<string, Make>;
export type Kind = keyof typeof makers;

let count = 0;

/** Creates data of a verified user, with an id that does not reveal the user. */
export async function make(kind: Kind, origin: string, user: string): Promise<Thing> {
  const id = `thing-${(count += 1)}`;
  return { id, inner: '', asked: [], ...(await makers[kind](origin, user, id)) };
}

/** Unknown data: ids of the same length, and invalid signatures. */
export function unknownLike({ asked, id, inner }: Thing): Thing {
  return {
    id: hidden(id),
    inner: hidden(inner),
    asked: asked.map((call) => ({
      ...call,
      approvalId: call.approvalId.replace(id, hidden(id)),
      signature: hidden(call.signature),
    })),
  };
}

const hidden = (text: string): string =>
  text.startsWith('thing-') ? text.replace('thing', 'noone') : 'z'.repeat(text.length);

const secretOf = (user: string): string => (user === 'ada' ? secret : `tea of ${user}`);

function optionsOf(user: string, executionId: string) {
  return { executionId, userId: user, metadata: { about: secretOf(user) } };
}

async function made(origin: string, user: string, route: string, request: OwnedRequest): Promise<Reply> {
  const reply = await send(origin, route, user, request);
  expect(reply.status, `${route} ${reply.text}`).toBeLessThan(300);
  return reply;
}

/** The calls in an event stream that wait for an approval. */
function askedIn(text: string): readonly Asked[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as Asked & { agentId?: string; type: string })
    .filter(({ agentId, approvalId, type }) => type === 'tool-call' && !agentId && approvalId !== undefined);
}
