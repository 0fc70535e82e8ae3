import type { Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../memory/memory.ts';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import type { AgentOptions, RunOptions } from './agent-options.ts';
import { Agent } from './agent.ts';
import { type MetadataRequest, usageMetadata } from './message-metadata.ts';

const services = { logger: silentLogger };
const conversation = { conversationId: 'c', userId: 'u', services };
const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 1 });
const calling = { toolCalls: [{ toolName: 'look', input: {} }] } as const;

function agentWith(options: Partial<AgentOptions> = {}): { agent: Agent; storage: Storage } {
  const storage = createInMemoryStorage();
  const memory = createMemory({ storage });
  return {
    agent: new Agent({ id: 'a', model: scriptedModel(calling, 'Done'), tools: [look], memory, ...options }),
    storage,
  };
}

async function replyMetadata({ conversations }: Storage): Promise<unknown> {
  const stored = await conversations.messages('anyone', 'c', { limit: 9 });
  return stored?.messages.findLast(({ role }) => role === 'assistant')?.metadata;
}

async function metadataInEvents(agent: Agent, options: RunOptions = conversation): Promise<unknown[]> {
  const events = await collectEvents(await agent.streamText('Hi', options));
  return events.flatMap((event) => ('messageMetadata' in event ? [[event.type, event.messageMetadata]] : []));
}

describe('the metadata of a message', () => {
  it('are its tokens and its model by default, in the stream and in the conversation', async () => {
    const { agent, storage } = agentWith();
    const expected = { usage: expect.objectContaining({ totalTokens: 30 }), modelId: 'scripted' };

    expect(await metadataInEvents(agent)).toEqual([['finish', expected]]);
    expect(await replyMetadata(storage)).toEqual(expected);
  });

  it('are what `messageMetadata` returns at the start and at the end', async () => {
    const requests: MetadataRequest[] = [];
    const { agent, storage } = agentWith({
      messageMetadata: (request) => {
        requests.push(request);
        const { context, part } = request;
        if (part.type === 'start') return { by: context['tenant'], at: new Date(0), cost: { currency: 'EUR' } };
        return { cost: { cents: part.usage.totalTokens }, steps: part.steps.length };
      },
    });

    expect(await metadataInEvents(agent, { ...conversation, context: { tenant: 'acme' } })).toEqual([
      ['start', { by: 'acme', at: '1970-01-01T00:00:00.000Z', cost: { currency: 'EUR' } }],
      ['finish', { cost: { cents: 30 }, steps: 2 }],
    ]);
    expect(await replyMetadata(storage)).toEqual({
      by: 'acme',
      at: '1970-01-01T00:00:00.000Z',
      cost: { currency: 'EUR', cents: 30 },
      steps: 2,
    });
    expect(requests.map(({ part, conversationId, userId }) => [part.type, conversationId, userId])).toEqual([
      ['start', 'c', 'u'],
      ['finish', 'c', 'u'],
    ]);
  });

  it('are none if the agent wants none', async () => {
    const { agent, storage } = agentWith({ messageMetadata: false });

    expect(await metadataInEvents(agent)).toEqual([]);
    expect(await replyMetadata(storage)).toBeUndefined();
  });

  it('are stored without a stream, too', async () => {
    const { agent, storage } = agentWith();

    await agent.generateText('Hi', conversation);

    expect(await replyMetadata(storage)).toMatchObject({ usage: { totalTokens: 30 } });
  });

  it('of a message that a run continues count the tokens of both runs', async () => {
    const careful = createTool({
      name: 'look',
      description: '',
      input: Type.Object({}),
      needsApproval: true,
      execute: () => 1,
    });
    const { agent, storage } = agentWith({ tools: [careful] });
    const { toolCalls } = await agent.generateText('Hi', conversation);
    const { approvalId = '', signature = '' } = { ...toolCalls[0] };

    await agent.generateText(
      [{ role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true, signature } as never] }],
      conversation,
    );

    expect(await replyMetadata(storage)).toMatchObject({ usage: { totalTokens: 30 }, modelId: 'scripted' });
  });

  it('are those of the agent that was asked, without those of its sub-agents', async () => {
    const helper = new Agent({
      id: 'helper',
      model: scriptedModel('Yes'),
      messageMetadata: () => expect.fail('was called'),
    });
    const { agent } = agentWith({
      model: scriptedModel({ toolCalls: [{ toolName: 'ask_helper', input: { task: 'Help' } }] }, 'Done'),
      subAgents: [helper],
    });

    expect(await metadataInEvents(agent)).toEqual([
      ['finish', { usage: expect.objectContaining({ totalTokens: 45 }), modelId: 'scripted' }],
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['returns what is not JSON', () => ({ big: 1n })],
  ])('are left out, with a warning, if the function %s', async (_name, messageMetadata) => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => void warnings.push(message) };
    const { agent, storage } = agentWith({ messageMetadata });

    expect(await metadataInEvents(agent, { ...conversation, services: { logger } })).toEqual([]);
    expect(await replyMetadata(storage)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('messageMetadata'), expect.stringContaining('messageMetadata')]);
  });

  it('are emitted again with a stored answer', async () => {
    const { agent } = agentWith();
    const question = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] as const;
    const input = question.map((message) => ({ ...message, parts: [...message.parts] }));
    await agent.generateText(input, conversation);

    const events = await collectEvents(await agent.streamText(input, conversation));

    expect(events[0]).toMatchObject({ type: 'start', messageMetadata: { usage: { totalTokens: 30 } } });
  });

  it('of an app can contain those of the default', () => {
    const part = { type: 'finish', finishReason: 'stop', usage: usage(5), steps: [] } as const;

    expect(usageMetadata({ part, metadata: { usage: usage(2) } })).toEqual({ usage: usage(7) });
    expect(usageMetadata({ part, metadata: { usage: 'much' } })).toEqual({ usage: usage(5) });
    expect(usageMetadata({ part: { type: 'start' }, metadata: undefined })).toBeUndefined();
  });
});

const usage = (promptTokens: number) => ({
  promptTokens,
  completionTokens: 0,
  totalTokens: promptTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});
