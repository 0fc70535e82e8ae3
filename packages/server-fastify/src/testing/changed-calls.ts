import type { Storage } from '@halyard/contracts';
import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, serve, type Served } from './serve.ts';

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

interface Asked extends Call {
  readonly approvalId: string;
  readonly signature: string;
}

const done: unknown[] = [];
const tool = (name: string) =>
  createTool({
    name,
    description: '',
    input: Type.Object({ to: Type.String(), euros: Type.Number() }),
    needsApproval: true,
    execute: (input) => {
      done.push([name, input]);
      return 'done';
    },
  });
const input = { to: 'Ada', euros: 5 };
const payer = new Agent({
  id: 'payer',
  tools: [tool('pay'), tool('refund')],
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'Done.'
      : {
          text: 'One moment.',
          toolCalls: [
            { toolName: 'pay', toolCallId: 'c1', input },
            { toolName: 'refund', toolCallId: 'c2', input },
          ],
        },
  ),
});

const question = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] };
const approvalOf = ({ approvalId, signature }: Asked) => ({ id: approvalId, signature, approved: true });

/** The reply as `useChat` sends it: the answered call is the first. */
function uiMessage(messageId: string, [answered, other]: readonly [Asked, Asked], shown: Call) {
  const part = ({ toolName, toolCallId, input: args }: Call) => ({
    type: `tool-${toolName}`,
    toolCallId,
    input: args,
  });
  return {
    id: messageId,
    role: 'assistant',
    parts: [
      { ...part(shown), state: 'approval-responded', approval: approvalOf(answered) },
      {
        ...part(other),
        state: 'approval-requested',
        approval: { id: other.approvalId, signature: other.signature },
      },
    ],
  };
}

/**
 * The reply of a client without `useChat`, with the calls and, on request, their approval requests.
 */
function modelMessages([answered, other]: readonly [Asked, Asked], shown: Call, requests: boolean) {
  const call = ({ toolName, toolCallId, input: args }: Call) => ({
    type: 'tool-call',
    toolName,
    toolCallId,
    input: args,
  });
  const { approvalId, signature } = answered;
  return [
    {
      role: 'assistant',
      content: [
        call(shown),
        call(other),
        ...(requests ? [{ type: 'tool-approval-request', approvalId, toolCallId: shown.toolCallId, signature }] : []),
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, signature, approved: true }] },
  ];
}

type Form = (messageId: string, asked: readonly [Asked, Asked], shown: Call) => readonly object[];

const forms: readonly (readonly [string, Form])[] = [
  ['the whole chat', (...of) => [question, uiMessage(...of)]],
  ['the last message of a chat', (...of) => [uiMessage(...of)]],
  ['the calls as model messages', (_, ...of) => [{ role: 'user', content: 'Pay' }, ...modelMessages(...of, false)]],
  ['the approval request as model messages', (_, ...of) => modelMessages(...of, true)],
];

/** A change of the call that the client shows. */
const changes: readonly (readonly [string, (call: Call, other: Call) => Call])[] = [
  ['another input', (call) => ({ ...call, input: { ...input, euros: 5000 } })],
  ['less input', (call) => ({ ...call, input: {} })],
  ['another call id', (call) => ({ ...call, toolCallId: 'c3' })],
  ['the id of another call', (call, other) => ({ ...call, toolCallId: other.toolCallId })],
  ['the name of another tool', (call) => ({ ...call, toolName: 'refund' })],
];

/**
 * Responses to approval requests with a call that differs from the signed one. They hold for each
 * storage.
 */
export function testChangedCalls(create: () => Storage | Promise<Storage>): void {
  let storage: Storage;
  let server: Served;
  let count = 0;
  beforeAll(async () => {
    storage = await create();
    server = await serve([], { agents: [payer], storage, memory: createMemory({ storage }), secret: 'secret' });
  });
  afterAll(async () => {
    await server.close();
    await storage.close();
  });

  const send = (route: string, messages: readonly object[], options: object): Promise<Response> =>
    fetch(`${server.origin}/agents/payer/${route}`, json({ input: messages, options }));
  const ask = async (options: object): Promise<readonly [Asked, Asked]> => {
    const response = await send('text', [question], options);
    const { data } = (await response.json()) as { data: { toolCalls: [Asked, Asked] } };
    return data.toolCalls;
  };

  const kinds = ['with', 'with a durable answer and', 'without'].flatMap((memory) =>
    ['text', 'stream', 'chat']
      .filter((route) => route === 'chat' || !memory.includes('durable'))
      .flatMap((route) => forms.map(([name, form]) => ({ memory, route, name, form }))),
  );
  describe.each(kinds)('$name $memory a memory, sent to /$route,', ({ form, memory, route }) => {
    const conversation = async () => {
      const conversationId = `changed-${(count += 1)}`;
      const isDurable = memory.includes('durable');
      const options =
        memory === 'without' ? {} : { conversationId, userId: 'ada', ...(isDurable && { durable: true }) };
      const asked = await ask(options);
      const found = await storage.conversations.messages('anyone', conversationId, { limit: 10 });
      return { options, asked, messageId: found?.messages.at(-1)?.id ?? 'm1' };
    };

    it.each(changes)('is refused with %s, and runs nothing', async (_, change) => {
      const { asked, messageId, options } = await conversation();
      const [call, other] = asked;
      done.length = 0;

      const response = await send(route, form(messageId, asked, change(call, other)), options);

      expect(response.status).toBe(400);
      expect(response.headers.get('x-error-code')).toBe('APPROVAL_NOT_ACCEPTED');
      expect(done).toEqual([]);
      // The approval is still valid: the order of an input's fields says nothing.
      const same = { ...call, input: { euros: 5, to: 'Ada' } };
      const accepted = await send(route, form(messageId, asked, same), options);
      await accepted.text();
      expect([accepted.status, done]).toEqual([200, [['pay', input]]]);
    });
  });
}
