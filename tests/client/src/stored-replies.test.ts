import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel, type ScriptedReply } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

/**
 * The conversation stores the same message that the client of the AI SDK builds from the stream, so
 * a reloaded page shows the same.
 */

const metadata = { provider: { itemId: 'x' } };
const call = (toolName: string, input: unknown = {}, toolCallId = 'c1') => ({
  toolCalls: [{ toolName, input, toolCallId }],
});
const ran = { toolCallId: 'p1', toolName: 'webSearch', providerExecuted: true } as const;

const scripts: Readonly<Record<string, readonly ScriptedReply[]>> = {
  'a text': ['Hello Ada.'],
  'no text at all': [{ text: [] }],
  'reasoning, then a text': [{ reasoning: 'Hm.', text: 'So.' }],
  'several steps': [
    { reasoning: 'Hm.', text: 'I search.', ...call('search') },
    { text: 'Again.', ...call('search') },
    'Seen.',
  ],
  'two calls of one step': [
    {
      toolCalls: [
        { toolName: 'search', input: {}, toolCallId: 'c1' },
        { toolName: 'fail', input: {}, toolCallId: 'c2' },
      ],
    },
    'Seen.',
  ],
  'a tool that throws': [call('fail'), 'Sorry.'],
  'arguments that do not fit': [call('search', { at: 'x' }), 'Sorry.'],
  'arguments that are no JSON': [call('search', '{"at":'), 'Sorry.'],
  'a tool that is not there': [call('none'), 'Sorry.'],
  'a request for approval': [{ text: 'May I?', ...call('pay', { euros: 5 }) }],
  'a tool of the client': [call('locate')],
  'an agent that works for it': [call('ask_worker', { task: 'Work' }), 'Done.'],
  'an agent that works for it and asks for approval': [call('ask_clerk', { task: 'Pay' })],
  'sources and files': [
    {
      parts: [
        { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com', title: 'A page' },
        { type: 'source', sourceType: 'url', id: 's2', url: 'https://example.com', providerMetadata: metadata },
        {
          type: 'source',
          sourceType: 'document',
          id: 's3',
          mediaType: 'text/plain',
          title: 'Notes',
          filename: 'n.txt',
        },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' }, providerMetadata: metadata },
        { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1]) } },
      ],
    },
  ],
  'tools of the provider': [
    {
      parts: [
        { type: 'tool-input-start', id: 'p1', toolName: 'webSearch', providerExecuted: true },
        { type: 'tool-input-delta', id: 'p1', delta: '{"q":1}' },
        { type: 'tool-input-end', id: 'p1' },
        { type: 'tool-call', ...ran, input: '{"q":1}', providerMetadata: metadata },
        { type: 'tool-result', ...ran, result: { hits: [1] }, providerMetadata: metadata },
        { type: 'tool-call', ...ran, toolCallId: 'p2', input: '{}' },
        { type: 'tool-result', ...ran, toolCallId: 'p2', result: 'broken', isError: true },
      ],
    },
  ],
  'what only the provider knows': [
    {
      parts: [
        { type: 'reasoning-start', id: 'r', providerMetadata: metadata },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
        { type: 'reasoning-end', id: 'r', providerMetadata: { provider: { signature: 's' } } },
        { type: 'text-start', id: 't', providerMetadata: metadata },
        { type: 'text-start', id: 'u' },
        { type: 'text-delta', id: 't', delta: 'One' },
        { type: 'text-delta', id: 'u', delta: 'Two' },
        { type: 'text-end', id: 't' },
        { type: 'text-end', id: 'u', providerMetadata: metadata },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: '{}', providerMetadata: metadata },
      ],
    },
    'Seen.',
  ],
  'a text without an end': [
    {
      parts: [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'So' },
      ],
    },
  ],
};

const tool = (name: string, execute?: () => unknown, needsApproval = false) =>
  createTool({
    name,
    description: '',
    input: Type.Object({ at: Type.Optional(Type.Number()) }),
    needsApproval,
    ...(execute && { execute }),
  });
const fail = (): never => {
  throw new RangeError('no such place');
};
const memory = createMemory();
const worker = new Agent({ id: 'worker', model: scriptedModel({ reasoning: 'Inner.', text: 'Worked.' }) });
const clerk = new Agent({
  id: 'clerk',
  model: scriptedModel(({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'Paid.' : call('pay', { at: 5 }))),
  tools: [tool('pay', () => 'secret', true)],
});
const tools = [
  tool('search', () => ({ seen: [1] })),
  tool('fail', fail),
  tool('pay', () => 'paid', true),
  tool('locate'),
];

function agent(id: string, turns: readonly ScriptedReply[]): Agent {
  const [first = '', ...others] = turns;
  return new Agent({
    id,
    model: scriptedModel(first, ...others),
    memory,
    tools,
    subAgents: [worker, clerk],
  });
}

const names = Object.keys(scripts);
const approving = [
  ['approved', 'Done.'],
  ['denied', 'Pity.'],
] as const;
const ofClerk = ['clerk approved', 'clerk denied'] as const;

let server: HalyardServer;
let origin: string;
beforeAll(async () => {
  const agents = names.map((name, index) => agent(`a${index}`, scripts[name] ?? []));
  const asking: ScriptedReply = { text: 'May I?', ...call('pay', { at: 5 }) };
  server = await createServer({
    limits: unreachableLimits,
    agents: [
      ...agents,
      ...approving.map(([id, last]) => agent(id, [asking, last])),
      ...ofClerk.map((id) => agent(id.replace(' ', '-'), [call('ask_clerk', { task: 'Pay' }), 'Done.'])),
      agent('client', [call('locate'), 'There.']),
    ],
    logger: false,
    signals: false,
    secret: 'a secret that is long enough for everything',
  });
  origin = await server.listen({ port: 0 });
});
afterAll(() => server.close());

/** Sends messages as `useChat` does, and returns its messages afterwards. */
async function send(agentId: string, messages: UIMessage[]): Promise<UIMessage[]> {
  const transport = new DefaultChatTransport({
    api: `${origin}/agents/${agentId}/chat`,
    body: { options: { userId: 'ada' } },
  });
  const stream = await transport.sendMessages({
    chatId: `chat-${agentId}`,
    messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  const last = messages.at(-1);
  const continued = last?.role === 'assistant' ? structuredClone(last) : undefined;
  let answer = continued;
  for await (const state of readUIMessageStream({ stream, ...(continued && { message: continued }) })) answer = state;
  const before = continued === undefined ? messages : messages.slice(0, -1);
  return answer === undefined ? before : [...before, answer];
}

async function stored(agentId: string): Promise<readonly unknown[]> {
  const { messages } = await memory.messages('anyone', `chat-${agentId}`, { limit: 100 });
  return asJson(messages.map(({ createdAt: _, ...message }) => message));
}

/** Which model has written a part is only stored. */
function withoutOrigin(key: string, value: unknown): unknown {
  if (!key.toLowerCase().endsWith('providermetadata') || typeof value !== 'object') return value;
  const { halyard: _, ...shown } = value as Record<string, unknown>;
  return Object.keys(shown).length === 0 ? undefined : shown;
}

const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value, withoutOrigin)) as Value;
const question: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

it.each(names.map((name, index) => [name, `a${index}`]))('stores what the client shows: %s', async (name, agentId) => {
  const shown = await send(agentId, [question]);

  if (name === 'no text at all') expect(await stored(agentId)).toEqual([question]);
  else expect(await stored(agentId)).toEqual(asJson(shown));
});

it.each(approving)('stores what the client shows after it has %s', async (agentId) => {
  const shown = await respond(agentId, agentId === 'approved');

  expect(await stored(agentId)).toEqual(asJson(shown));
  expect(shown[1]?.parts.filter(isToolUIPart)).toMatchObject([
    { state: agentId === 'approved' ? 'output-available' : 'output-denied' },
  ]);
});

it.each(ofClerk)('stores what the client shows after a call of the %s', async (id) => {
  const agentId = id.replace(' ', '-');
  const isApproved = id === 'clerk approved';

  const shown = await respond(agentId, isApproved);

  expect(await stored(agentId)).toEqual(asJson(shown));
  expect(shown[1]?.parts.filter(isToolUIPart)).toMatchObject([
    { type: 'tool-ask_clerk', state: 'output-available', output: 'Paid.' },
    { toolName: 'pay', state: isApproved ? 'output-available' : 'output-denied' },
  ]);
});

/** Asks, and responds to the request for approval. */
async function respond(agentId: string, approved: boolean): Promise<UIMessage[]> {
  const [, asked] = await send(agentId, [question]);
  const answered = {
    ...asked,
    parts: asked?.parts.map((part) =>
      isToolUIPart(part) && part.state === 'approval-requested'
        ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved, reason: 'because' } }
        : part,
    ),
  } as UIMessage;
  return send(agentId, [question, answered]);
}

it('stores the message of the client after it has run a tool of its own', async () => {
  const [, asked] = await send('client', [question]);
  const answered = {
    ...asked,
    parts: asked?.parts.map((part) =>
      isToolUIPart(part) ? { ...part, state: 'output-available', output: 'Rome' } : part,
    ),
  } as UIMessage;

  const shown = await send('client', [question, answered]);

  expect(await stored('client')).toEqual(asJson(shown));
  expect(shown[1]?.parts.at(-1)).toMatchObject({ text: 'There.' });
});
