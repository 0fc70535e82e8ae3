import { createOpenAI } from '@ai-sdk/openai';
import { Agent, createMemory, type ModelMessage, type RunOptions, type UIMessage } from '@halyard/core';
import { collectEvents, silentLogger } from '@halyard/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const options: RunOptions = { conversationId: 'c1', userId: 'ada', services: { logger: silentLogger } };
const roll = { name: 'roll', input: { sides: 6 } };

/** An agent with a tool of an MCP server that OpenAI calls, and its memory. */
function player(memory = createMemory()) {
  const openai = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' });
  const dice = openai.tools.mcp({ serverLabel: 'dice', serverUrl: 'https://dice.example', requireApproval: 'always' });
  const agent = new Agent({ id: 'player', model: openai('gpt-5-mini'), tools: [dice], memory });
  const stored = async () =>
    (await memory.storage.conversations.messages('anyone', 'c1', { limit: 50 }))?.messages ?? [];
  return { agent, stored };
}

/** The messages as `useChat` sends them, with an answer to the request. */
function answered(messages: readonly object[], approved: boolean): UIMessage[] {
  return messages.map((message) => {
    const { parts, ...rest } = message as UIMessage;
    return {
      ...rest,
      parts: parts.map((part) =>
        'toolCallId' in part && part.state === 'approval-requested'
          ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved } }
          : part,
      ),
    };
  });
}

/** Items of a request, by type; messages by role. */
function sentItems(request: number): readonly unknown[] {
  const { input } = wire.requests[request]?.body ?? {};
  return Array.isArray(input) ? input : [];
}

function approvalItems(request: number): readonly unknown[] {
  return sentItems(request).filter((item) => !('role' in Object(item)));
}

describe('a call that OpenAI asks approval for', () => {
  it('waits for a person', async () => {
    const { agent, stored } = player();
    wire.reply({ mcp: roll });

    const stream = await agent.streamText('Roll', options);
    const events = await collectEvents(stream);

    const call = { toolName: 'mcp.roll', input: { sides: 6 }, providerExecuted: true, dynamic: true };
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([call, { ...call, approvalId: 'mcpr_1' }]);
    expect(await stream.result).toMatchObject({ finishReason: 'tool-calls' });
    expect((await stored())[1]?.parts).toMatchObject([
      { type: 'step-start' },
      {
        type: 'dynamic-tool',
        toolName: 'mcp.roll',
        state: 'approval-requested',
        providerExecuted: true,
        approval: { id: 'mcpr_1' },
      },
    ]);
  });

  it('runs when the person approves it', async () => {
    const { agent, stored } = player();
    wire.reply({ mcp: roll }, { mcp: { ...roll, output: '4' }, text: 'Four.' }, { text: 'Welcome.' });
    await agent.generateText('Roll', options);

    const { text } = await agent.generateText(answered(await stored(), true), options);
    await agent.generateText('Thanks', options);

    expect(text).toBe('Four.');
    const approval = [
      { type: 'item_reference', id: 'mcpr_1' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    ];
    expect(approvalItems(1)).toEqual(approval);
    expect(approvalItems(2).slice(0, 2)).toEqual(approval);
    expect((await stored())[1]?.parts.slice(1)).toMatchObject([
      { state: 'approval-responded', approval: { id: 'mcpr_1', approved: true } },
      { type: 'step-start' },
      { type: 'dynamic-tool', state: 'output-available', output: { output: '4' } },
      { type: 'text', text: 'Four.' },
    ]);
  });

  it('is denied with the answer only: OpenAI has no call whose result it could be', async () => {
    const { agent, stored } = player();
    wire.reply({ mcp: roll }, { text: 'As you wish.' }, { text: 'Welcome.' });
    await agent.generateText('Roll', options);

    await agent.generateText(answered(await stored(), false), options);
    await agent.generateText('Thanks', options);

    const denial = [
      { type: 'item_reference', id: 'mcpr_1' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false },
    ];
    expect(approvalItems(1)).toEqual(denial);
    expect(approvalItems(2).slice(0, 2)).toEqual(denial);
  });

  it('is answered with a model message', async () => {
    const { agent } = player();
    wire.reply({ mcp: roll }, { mcp: { ...roll, output: '4' }, text: 'Four.' });
    await agent.generateText('Roll', options);
    const answer: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'mcpr_1', approved: true, providerExecuted: true }],
    };

    const { text } = await agent.generateText([answer], options);

    expect(text).toBe('Four.');
    expect(approvalItems(1)).toContainEqual(expect.objectContaining({ approve: true }));
  });

  it('is answered by a client that keeps the conversation', async () => {
    const { agent } = player();
    wire.reply({ mcp: { ...roll, output: '4' }, text: 'Four.' });
    const part = { type: 'dynamic-tool', toolName: 'mcp.roll', toolCallId: 'm', providerExecuted: true } as const;
    const messages: UIMessage[] = [
      { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Roll' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [{ ...part, state: 'approval-requested', input: {}, approval: { id: 'mcpr_1' } }],
      },
    ];

    const { text } = await agent.generateText(answered(messages, true), { services: { logger: silentLogger } });

    expect(text).toBe('Four.');
    expect(approvalItems(0)).toContainEqual(expect.objectContaining({ approval_request_id: 'mcpr_1', approve: true }));
  });

  it('is answered once', async () => {
    const { agent, stored } = player();
    wire.reply({ mcp: roll }, { text: 'As you wish.' });
    await agent.generateText('Roll', options);
    const answer = answered(await stored(), false);
    await agent.generateText(answer, options);

    await expect(agent.generateText(answer, options)).rejects.toMatchObject({ code: 'APPROVAL_NOT_ACCEPTED' });
  });

  it('is not answered when the person asks something else', async () => {
    const { agent } = player();
    wire.reply({ mcp: roll }, { text: 'Sunny.' });
    await agent.generateText('Roll', options);

    await agent.generateText('How is the weather?', options);

    expect(approvalItems(1)).toEqual([]);
  });

  it('is denied in the run of a sub-agent, which cannot ask a person', async () => {
    const { agent } = player();
    const call = { name: 'ask_player', input: { task: 'Roll' } };
    wire.reply({ toolCalls: [call] }, { mcp: roll }, { text: 'I may not.' }, { text: 'It may not.' });
    const openai = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' });
    const lead = new Agent({ id: 'lead', model: openai('gpt-5-mini'), subAgents: [agent] });

    const events = await collectEvents(await lead.streamText('Roll', { services: { logger: silentLogger } }));

    expect(approvalItems(2)).toContainEqual(expect.objectContaining({ approve: false }));
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-error', toolName: 'mcp.roll', denied: true }));
    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });
});
