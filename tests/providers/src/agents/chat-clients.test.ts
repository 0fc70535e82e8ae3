import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel, silentLogger } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import * as newest from 'ai';
import * as newest6 from 'ai-6-newest';
import * as oldest6 from 'ai-6-oldest';
import * as oldest from 'ai-oldest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

/**
 * The AI SDK's own clients answer an approval on `/chat`, in the versions that the support policy
 * names.
 */

const paid: number[] = [];
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: true,
  execute: ({ euros }) => {
    paid.push(euros);
    return 'paid';
  },
});
const cashier = (id: string, hasMemory: boolean): Agent =>
  new Agent({
    id,
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'Done.'
        : { toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 5 } }] },
    ),
    tools: [pay],
    ...(hasMemory && { memory: createMemory({ logger: silentLogger }) }),
  });

let server: HalyardServer;
let origin: string;
beforeAll(async () => {
  server = await createServer({
    limits: unreachableLimits,
    agents: [cashier('forgetful', false), cashier('remembering', true)],
    logger: false,
  });
  origin = await server.listen({ port: 0 });
});
afterAll(() => server.close());
beforeEach(() => paid.splice(0));

interface ChatPart {
  readonly type: string;
  readonly state?: string;
  readonly text?: string;
  readonly approval?: { readonly id: string };
}
interface ChatMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly ChatPart[];
}
interface ChatClient {
  readonly messages: readonly ChatMessage[];
  readonly error: Error | undefined;
  sendMessage(message: { text: string }): Promise<void>;
  addToolApprovalResponse(answer: { id: string; approved: boolean }): unknown;
}
interface ClientOptions {
  readonly api: string;
  readonly id: string;
  readonly messages?: readonly ChatMessage[];
  readonly onFinish: () => void;
}

/**
 * A chat of one version, as its `useChat` makes it. The versions have types of their own, so each
 * is instantiated as itself.
 */
const clients: Readonly<Record<string, (options: ClientOptions) => ChatClient>> = {
  '7, newest': chatOf(newest),
  '7.0.0': chatOf(oldest as never),
  '6, newest': chatOf(newest6 as never),
  '6.0.0': chatOf(oldest6 as never),
};

function chatOf(sdk: typeof newest): (options: ClientOptions) => ChatClient {
  return ({ api, id, messages: given = [], onFinish }) => {
    const messages = [...given] as newest.UIMessage[];
    const state: newest.ChatState<newest.UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (value) => structuredClone(value),
    };
    class Chat extends sdk.AbstractChat<newest.UIMessage> {}
    return new Chat({
      id,
      state,
      transport: new sdk.DefaultChatTransport({ api }),
      sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithApprovalResponses,
      onFinish,
    });
  };
}

const approvalOf = ({ messages }: Pick<ChatClient, 'messages'>): string =>
  messages.at(-1)?.parts.find(({ state }) => state === 'approval-requested')?.approval?.id ?? 'none';
const textOf = ({ messages }: ChatClient): string =>
  (messages.at(-1)?.parts ?? []).map(({ text = '' }) => text).join('');

describe.each(Object.entries(clients))('the chat of AI SDK %s', (version, open) => {
  const idOf = (agent: string, suffix = ''): string => `${version}-${agent}${suffix}`.replaceAll(/[^\w.-]/g, '_');

  it.each(['forgetful', 'remembering'])('answers an approval of a %s agent', async (agent) => {
    const finished: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
    const ends = [...finished];
    const api = `${origin}/agents/${agent}/chat`;
    const chat = open({ api, id: idOf(agent), onFinish: () => ends.shift()?.resolve() });

    await chat.sendMessage({ text: 'Pay' });
    expect(chat.error).toBeUndefined();
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: true });
    await finished[1]?.promise;

    expect([chat.error, textOf(chat), paid]).toEqual([undefined, 'Done.', [5]]);
  });

  it('answers after the conversation was read from the store', async () => {
    const api = `${origin}/agents/remembering/chat`;
    const id = idOf('remembering', '-reload');
    const first = open({ api, id, onFinish: () => {} });
    await first.sendMessage({ text: 'Pay' });
    const response = await fetch(`${origin}/api/memory/conversations/${id}/messages?agentId=remembering`);
    const { data } = (await response.json()) as { data: { messages: readonly ChatMessage[] } };

    const finished = Promise.withResolvers<void>();
    const chat = open({ api, id, messages: data.messages, onFinish: () => finished.resolve() });
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: true });
    await finished.promise;

    expect(approvalOf(first)).toBe(approvalOf(data));
    expect([chat.error, textOf(chat), paid]).toEqual([undefined, 'Done.', [5]]);
  });
});
