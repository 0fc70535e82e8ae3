import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../memory/memory.ts';
import type { ModelMessage } from '../model/messages/message.ts';
import {
  collectEvents,
  fixedClock,
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
  silentLogger,
} from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { Agent } from './agent.ts';
import { createApprovals } from './approvals/approvals.ts';
import { waitingText } from './tools/delegation.ts';

type Replies = readonly [ScriptedReply, ...ScriptedReply[]];
const ask = (id: string, toolCallId = 'd1') => ({ toolName: `ask_${id}`, input: { task: 'Do it' }, toolCallId });
const pay = (cents: number, toolCallId = 'p1') => ({ toolName: 'pay', input: { cents }, toolCallId });
const day = 24 * 60 * 60 * 1000;

interface OfficeOptions {
  readonly boss?: Replies;
  readonly clerk?: Replies;
  /** Puts agents between the boss and the clerk. */
  readonly deep?: boolean;
  readonly isStored?: boolean;
}

/** A boss who lets a clerk pay. Each `process` has its own agents, and the same stores. */
function office({
  boss = [{ toolCalls: [ask('clerk')] }, 'All done.'],
  clerk = [{ toolCalls: [{ toolName: 'look', input: {}, toolCallId: 'l1' }] }, { toolCalls: [pay(5)] }, 'Paid 5.'],
  deep = false,
  isStored = true,
}: OfficeOptions = {}) {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const paid: number[] = [];
  const looked: unknown[] = [];
  const keys: unknown[] = [];
  const bossModel = scriptedModel(...boss);
  const clerkModel = scriptedModel(...clerk);
  const middleModel = scriptedModel({ toolCalls: [ask('clerk', 'd2')] }, 'The clerk has paid.');
  const payTool = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({ cents: Type.Integer() }),
    needsApproval: ({ cents }) => (cents > 100 ? { approvers: ['role:manager'] } : true),
    execute: ({ cents }, { idempotencyKey }) => {
      paid.push(cents);
      keys.push(idempotencyKey);
      return `secret receipt ${cents}`;
    },
  });
  const look = createTool({
    name: 'look',
    description: '',
    input: Type.Object({}),
    execute: () => {
      looked.push('looked');
      return 'secret balance';
    },
  });
  const start = () => {
    let next = 0;
    const name = crypto.randomUUID();
    const services = {
      clock,
      ids: { next: () => `${name}-${(next += 1)}` },
      logger: silentLogger,
      approvals: createApprovals({
        secrets: ['secret'],
        store: storage.approvals,
        clock,
        ids: { next: () => `${name}-a${(next += 1)}` },
      }),
    };
    const clerkAgent = new Agent({ id: 'clerk', model: clerkModel, tools: [payTool, look], memory: false });
    const middle = new Agent({ id: 'middle', model: middleModel, subAgents: [clerkAgent], memory: false });
    const agent = new Agent({
      id: 'boss',
      model: bossModel,
      subAgents: deep ? [middle] : [clerkAgent],
      ...(isStored && { memory: createMemory({ storage, logger: silentLogger }) }),
    });
    const options = { userId: 'ada', conversationId: 'c1', services };
    /** As `useChat` sends it. */
    const chat = async (messages: UIMessage[]): Promise<UIMessage> => {
      const transport = new DefaultChatTransport({
        fetch: async (_url, init) => {
          const { messages: sent } = JSON.parse(init?.body as string) as { messages: UIMessage[] };
          return (await agent.streamText(sent, options)).toUIMessageStreamResponse();
        },
      });
      const [last] = messages.slice(-1);
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'c1',
        messageId: undefined,
        messages,
        abortSignal: undefined,
      });
      let written: UIMessage | undefined;
      for await (const message of readUIMessageStream({
        stream,
        ...(last?.role === 'assistant' && { message: structuredClone(last) }),
      }))
        written = message;
      if (written === undefined) throw new TypeError('there should be a message');
      return written;
    };
    return { agent, chat, options, services };
  };
  const stored = async () =>
    (await storage.conversations.messages('anyone', 'c1', { limit: 50 }))?.messages.map(
      ({ createdAt: _, ...message }) => message as UIMessage,
    ) ?? [];
  return { bossModel, clerkModel, clock, keys, looked, middleModel, paid, start, storage, stored };
}

const question: UIMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] };

type ToolPart = Extract<UIMessage['parts'][number], { type: 'dynamic-tool' }>;
const callsIn = ({ parts }: UIMessage): ToolPart[] => parts.filter((part) => 'toolCallId' in part) as ToolPart[];
const asked = (message: UIMessage): ToolPart[] =>
  callsIn(message).filter(({ state }) => state === 'approval-requested');

/** As `addToolApprovalResponse` of `useChat` changes the message. */
function respond(
  message: UIMessage,
  answer: { approved: boolean; id?: string; reason?: string; input?: unknown },
  which = asked(message),
) {
  const ids = new Set(which.map(({ toolCallId }) => toolCallId));
  const parts = message.parts.map((part) =>
    'toolCallId' in part && ids.has(part.toolCallId)
      ? { ...part, state: 'approval-responded', approval: { ...(part as ToolPart).approval, ...answer } }
      : part,
  );
  return { ...message, parts } as UIMessage;
}

const lastResult = (model: ScriptedModel): unknown => model.calls.at(-1)?.prompt.at(-1)?.content;

describe.each([
  ['a stored conversation', true],
  ['a conversation that only its client has', false],
])('in %s', (_, isStored) => {
  it.each([
    ['a sub-agent', false],
    ['a sub-agent of a sub-agent', true],
  ])('the call of %s asks in the chat, and all go on with the response', async (__, deep) => {
    const { bossModel, clerkModel, keys, looked, paid, start } = office({
      isStored,
      deep,
      boss: [{ toolCalls: [ask(deep ? 'middle' : 'clerk')] }, 'All done.'],
    });

    const waiting = await start().chat([question]);

    expect(paid).toEqual([]);
    expect(callsIn(waiting)).toMatchObject([
      { type: deep ? 'tool-ask_middle' : 'tool-ask_clerk', state: 'output-available', output: waitingText },
      { type: 'dynamic-tool', toolName: 'pay', state: 'approval-requested', input: { cents: 5 } },
    ]);
    const answered = respond(waiting, { approved: true });
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [question, answered] })).toBe(true);
    // Another process continues it.
    const done = await start().chat([question, answered]);

    expect(paid).toEqual([5]);
    expect(looked).toEqual(['looked']);
    expect(keys).toHaveLength(1);
    expect(done.id).toBe(waiting.id);
    expect(callsIn(done)).toMatchObject([
      { state: 'output-available', output: deep ? 'The clerk has paid.' : 'Paid 5.' },
      { toolName: 'pay', state: 'output-available', output: { approved: true } },
    ]);
    expect(done.parts.at(-1)).toMatchObject({ type: 'text', text: 'All done.' });
    expect(JSON.stringify(done)).not.toContain('secret');
    // The model of the boss sees its own call only.
    expect(bossModel.calls).toHaveLength(2);
    expect(bossModel.calls[1]?.prompt.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'd1' }] },
      { role: 'tool', content: [{ toolCallId: 'd1' }] },
    ]);
    expect(bossModel.calls[1]?.prompt.slice(-2).map(({ content }) => content.length)).toEqual([1, 1]);
    expect(clerkModel.calls).toHaveLength(3);
  });

  it('the sub-agent learns that a call was denied', async () => {
    const { clerkModel, paid, start } = office({ isStored });
    const waiting = await start().chat([question]);

    const done = await start().chat([question, respond(waiting, { approved: false, reason: 'too much' })]);

    expect(paid).toEqual([]);
    expect(lastResult(clerkModel)).toMatchObject([{ output: { type: 'execution-denied', reason: 'too much' } }]);
    expect(callsIn(done)).toMatchObject([{ output: 'Paid 5.' }, { state: 'output-denied' }]);
    expect(done.parts.at(-1)).toMatchObject({ text: 'All done.' });
  });

  it('the call runs with the arguments of the person', async () => {
    const { clerkModel, paid, start } = office({ isStored });
    const waiting = await start().chat([question]);
    const changed = (input: unknown) => [question, respond(waiting, { approved: true, input })];

    await expect(start().chat(changed({ cents: 'all' }))).rejects.toThrow('cents');
    await expect(start().chat(changed({ cents: 500 }))).rejects.toThrow('others must approve');
    await start().chat(changed({ cents: 3 }));

    expect(paid).toEqual([3]);
    expect(JSON.stringify(lastResult(clerkModel))).toContain('A person approved this call with other arguments');
  });

  it('several calls of several sub-agents wait at once, and continue with each response', async () => {
    const { bossModel, clerkModel, paid, start } = office({
      isStored,
      boss: [{ toolCalls: [ask('clerk', 'd1'), ask('clerk', 'd2')] }, 'All done.'],
      clerk: [
        { toolCalls: [pay(1, 'p1'), pay(2, 'p2')] },
        { toolCalls: [pay(1, 'p1'), pay(2, 'p2')] },
        'Done.',
        'Done.',
      ],
    });
    const waiting = await start().chat([question]);
    expect(asked(waiting)).toHaveLength(4);
    expect(new Set(asked(waiting).map(({ toolCallId }) => toolCallId)).size).toBe(4);

    const first = respond(waiting, { approved: true }, asked(waiting).slice(0, 1));
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [question, first] })).toBe(false);
    const second = await start().chat([question, first]);

    expect(paid).toEqual([1]);
    expect(asked(second)).toHaveLength(3);
    expect(bossModel.calls).toHaveLength(1);
    expect(clerkModel.calls).toHaveLength(2);

    const third = await start().chat([question, respond(second, { approved: true }, asked(second).slice(0, 2))]);
    expect(paid.toSorted((one, other) => one - other)).toEqual([1, 1, 2]);
    expect(asked(third)).toHaveLength(1);
    const done = await start().chat([question, respond(third, { approved: true })]);

    expect(paid.toSorted((one, other) => one - other)).toEqual([1, 1, 2, 2]);
    expect(bossModel.calls).toHaveLength(2);
    expect(callsIn(done).map(({ output }) => output)).toEqual(
      expect.arrayContaining(['Done.', 'Done.', ...Array.from({ length: 4 }, () => ({ approved: true }))]),
    );
    expect(done.parts.at(-1)).toMatchObject({ text: 'All done.' });
  });

  it('a sub-agent asks again after a response', async () => {
    const { keys, paid, start } = office({
      isStored,
      clerk: [{ toolCalls: [pay(1)] }, { toolCalls: [pay(2, 'p2')] }, 'Paid both.'],
    });
    const waiting = await start().chat([question]);
    const again = await start().chat([question, respond(waiting, { approved: true })]);

    expect(paid).toEqual([1]);
    expect(asked(again)).toMatchObject([{ input: { cents: 2 } }]);
    expect(callsIn(again)[0]).toMatchObject({ output: waitingText });
    const done = await start().chat([question, respond(again, { approved: true })]);

    expect(paid).toEqual([1, 2]);
    expect(new Set(keys).size).toBe(2);
    expect(callsIn(done)[0]).toMatchObject({ output: 'Paid both.' });
  });

  it('counts what the sub-agent has used once', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const { start } = office({
      isStored,
      boss: [
        { toolCalls: [ask('clerk')], usage },
        { text: 'All done.', usage },
      ],
      clerk: [
        { toolCalls: [pay(5)], usage: { inputTokens: 10, outputTokens: 0 } },
        { text: 'Paid.', usage: { inputTokens: 100, outputTokens: 0 } },
      ],
    });
    const first = start();
    const asking = await first.agent.generateText([question], first.options);
    expect(asking.usage.promptTokens).toBe(11);
    expect(asking).toMatchObject({
      finishReason: 'tool-calls',
      toolCalls: [{ toolName: 'ask_clerk' }, { toolName: 'pay', approvalId: expect.any(String) }],
    });

    const request = asking.toolCalls[1];
    const response = {
      type: 'tool-approval-response',
      approvalId: request?.approvalId ?? '',
      signature: request?.signature,
      approved: true,
    } as const;
    const history: readonly ModelMessage[] = isStored
      ? []
      : [{ role: 'user', content: 'Pay.' }, ...asking.responseMessages];
    const second = start();
    const done = await second.agent.generateText(
      [...history, { role: 'tool', content: [response] }] as ModelMessage[],
      second.options,
    );
    expect(done).toMatchObject({ text: 'All done.', usage: { promptTokens: 101 } });
  });

  it('refuses responses that are forged, swapped, expired, or given twice', async () => {
    const { clock, paid, start } = office({
      isStored,
      boss: [{ toolCalls: [ask('clerk', 'd1'), ask('clerk', 'd2')] }, 'All done.'],
      clerk: [{ toolCalls: [pay(1)] }, { toolCalls: [pay(2)] }, 'Done.', 'Done.'],
    });
    const waiting = await start().chat([question]);
    const [one, two] = asked(waiting);
    const withId = (id: string) => [question, respond(waiting, { approved: true, id }, [one as ToolPart])];
    const id = one?.approval?.id ?? '';
    const [, delegation = ''] = /~(.*)\.\d+\./.exec(two?.approval?.id ?? '') ?? [];

    const forgeries = [
      // The request of the other sub-agent.
      withId(two?.approval?.id ?? ''),
      // Its own request, in the delegation of the other one.
      withId(id.replace(/~.*?(?=\.\d{13}\.)/, `~${delegation}`)),
      withId(id.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))),
      // Another amount than the one that was signed.
      [
        question,
        {
          ...respond(waiting, { approved: true }),
          parts: respond(waiting, { approved: true }).parts.map((part) =>
            'toolCallId' in part && part.toolCallId === one?.toolCallId ? { ...part, input: { cents: 100_000 } } : part,
          ),
        } as UIMessage,
      ],
    ];
    for (const messages of forgeries) await expect(start().chat(messages)).rejects.toThrow('is not accepted');
    const other = start();
    await expect(
      other.agent.generateText([question, respond(waiting, { approved: true })], {
        ...other.options,
        userId: 'mallory',
        ...(isStored && { conversationId: 'c2' }),
      }),
    ).rejects.toMatchObject({ code: 'APPROVAL_NOT_ACCEPTED' });
    expect(paid).toEqual([]);

    await start().chat([question, respond(waiting, { approved: true }, [one as ToolPart])]);
    expect(paid).toHaveLength(1);
    await expect(start().chat([question, respond(waiting, { approved: true }, [one as ToolPart])])).rejects.toThrow(
      'is not accepted',
    );
    clock.advance(day + 1);
    await expect(start().chat([question, respond(waiting, { approved: true }, [two as ToolPart])])).rejects.toThrow(
      'is not accepted',
    );
    expect(paid).toHaveLength(1);
  });

  it('a stream has each request once, as a call of the agent that delegates', async () => {
    const { start } = office({ isStored });
    const { agent, options } = start();
    const events = await collectEvents(await agent.streamText([question], options));
    const requests = events.filter((event) => 'approvalId' in event && event.approvalId !== undefined);
    expect(requests).toMatchObject([{ type: 'tool-call', toolName: 'pay', dynamic: true }]);
    expect(requests[0]).not.toHaveProperty('agentId');
  });

  it('tells the model that a call was not answered, when the person writes something else', async () => {
    const { bossModel, paid, start, stored } = office({ isStored });
    const waiting = await start().chat([question]);
    const next: UIMessage = { id: 'q2', role: 'user', parts: [{ type: 'text', text: 'Never mind.' }] };

    await start().chat([question, waiting, next]);

    expect(paid).toEqual([]);
    expect(bossModel.calls[1]?.prompt.at(-2)).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'd1', output: { type: 'error-text', value: 'This call was not answered: it has no result.' } },
      ],
    });
    if (isStored) expect(callsIn((await stored())[1] as UIMessage)[0]).toMatchObject({ state: 'output-error' });
  });
});
