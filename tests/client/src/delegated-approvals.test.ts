import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

/** The chat of `useChat`, without React. */
class Chat extends AbstractChat<UIMessage> {
  constructor(id: string, options: object, messages: UIMessage[] = []) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: structuredClone,
    };
    super({
      id,
      state,
      transport: new DefaultChatTransport({
        api: `${origin}/agents/boss/chat`,
        body: { options: { userId: 'ada', ...options } },
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }

  get calls() {
    return (this.messages.at(-1)?.parts ?? []).filter(isToolUIPart);
  }

  get asked(): readonly string[] {
    return this.calls.flatMap((call) => (call.state === 'approval-requested' ? [call.approval.id] : []));
  }

  get text(): string | undefined {
    const last = this.messages.at(-1)?.parts.at(-1);
    return last?.type === 'text' ? last.text : undefined;
  }
}

const paid: number[] = [];
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: true,
  execute: ({ cents }) => {
    paid.push(cents);
    return 'a secret receipt';
  },
});
const memory = createMemory();
let server: HalyardServer;
let origin: string;
beforeEach(async () => {
  paid.length = 0;
  const clerk = new Agent({
    id: 'clerk',
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'Paid.'
        : { toolCalls: [1, 2].map((cents) => ({ toolName: 'pay', input: { cents } })) },
    ),
    tools: [pay],
  });
  const boss = new Agent({
    id: 'boss',
    memory,
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'All done.'
        : {
            toolCalls: [
              { toolName: 'ask_clerk', input: { task: 'Pay' } },
              { toolName: 'pay', input: { cents: 3 } },
            ],
          },
    ),
    subAgents: [clerk],
    tools: [pay],
  });
  server = await createServer({
    limits: unreachableLimits,
    agents: [boss],
    logger: false,
    signals: false,
    secret: 'a secret that is long enough for everything',
  });
  origin = await server.listen({ port: 0 });
});
afterEach(() => server.close());

it.each([
  ['plain', { resumable: false }],
  ['resumable', { resumable: true, durable: false }],
  ['durable', { durable: true }],
])('a %s chat of the AI SDK shows the calls of a sub-agent, and answers them', async (kind, options) => {
  const chat = new Chat(`chat-${kind}`, options);
  await chat.sendMessage({ text: 'Pay' });

  expect(chat.error).toBeUndefined();
  expect(chat.calls.map((call) => [isToolUIPart(call) && call.state, call.input])).toEqual([
    ['output-available', { task: 'Pay' }],
    ['approval-requested', { cents: 3 }],
    ['approval-requested', { cents: 1 }],
    ['approval-requested', { cents: 2 }],
  ]);
  for (const [index, id] of chat.asked.entries()) await chat.addToolApprovalResponse({ id, approved: index !== 1 });

  await expect.poll(() => chat.text).toBe('All done.');
  expect(chat.error).toBeUndefined();
  expect(paid.toSorted((one, other) => one - other)).toEqual([2, 3]);
  expect(chat.messages).toHaveLength(2);
  expect(chat.calls).toMatchObject([
    { type: 'tool-ask_clerk', output: 'Paid.' },
    { type: 'tool-pay', state: 'output-available' },
    { type: 'dynamic-tool', toolName: 'pay', state: 'output-denied' },
    { type: 'dynamic-tool', toolName: 'pay', output: { approved: true } },
  ]);
});

it('a page that was loaded again answers them', async () => {
  await new Chat('again', {}).sendMessage({ text: 'Pay' });
  const { messages } = await memory.messages('anyone', 'again', { limit: 10 });
  const chat = new Chat('again', {}, JSON.parse(JSON.stringify(messages)) as UIMessage[]);

  expect(chat.asked).toHaveLength(3);
  for (const id of chat.asked) await chat.addToolApprovalResponse({ id, approved: true });

  await expect.poll(() => chat.text).toBe('All done.');
  expect(paid.toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
  expect(JSON.stringify(chat.calls[0])).not.toContain('secret');
});
