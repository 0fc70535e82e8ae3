import { expect } from 'vitest';
import { type Asked, startAndAsk } from '../approvals.ts';
import { credentialsOf, type OwnedRequest, type Reply, send } from './request.ts';
import { secret } from './world.ts';

/** Something of somebody's. */
export interface Thing {
  readonly id: string;
  /** A conversation in which it is, or the sub-workflow's execution of one. */
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
    const messages = [{ id: 'm1', role: 'user', content: `The ${secretOf(user)}, with tea` }];
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
  /** Of an agent's run. */
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
  /** Waits for somebody. */
  execution: async (origin, user, id) => {
    await made(origin, user, 'POST /workflows/:id/execute', {
      params: { id: 'approval' },
      body: { input: { total: user === 'ada' ? 424_242 : 1 }, options: optionsOf(user, id) },
    });
    return undefined;
  },
  /** Its sub-workflow waits. */
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
  /** The same, of an agent at work in an execution. */
  wait: async (origin, user, id) => {
    const { asked } = await startAndAsk(origin, 'shop', 'pay 1', optionsOf(user, id), credentialsOf(user));
    return { asked };
  },
} satisfies Record<string, Make>;
export type Kind = keyof typeof makers;

let count = 0;

/** Makes a thing of a verified user's, with an id that says nothing of them. */
export async function make(kind: Kind, origin: string, user: string): Promise<Thing> {
  const id = `thing-${(count += 1)}`;
  return { id, inner: '', asked: [], ...(await makers[kind](origin, user, id)) };
}

/** A thing that is not there: with ids of the same length, and signatures of nobody. */
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

/** The calls that wait, in a stream of raw events. */
function askedIn(text: string): readonly Asked[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as Asked & { type: string })
    .filter(({ approvalId, type }) => type === 'tool-call' && approvalId !== undefined);
}
