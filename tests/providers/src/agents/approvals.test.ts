import { Agent, createTool, type ModelMessage, type UIMessage } from '@halyard/core';
import { collectEvents, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { openaiApis, openaiModel, unset } from './openai-models.ts';

let wire: OpenaiWire;
let paid: number[];
beforeEach(async () => {
  wire = await openOpenaiWire();
  paid = [];
});
afterEach(() => wire.close());

const pay = createTool({
  name: 'pay',
  description: 'Pays an amount',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: true,
  execute: ({ cents }) => {
    paid.push(cents);
    return { paid: cents };
  },
});

/** An id in OpenAI's format. */
const toolCallId = 'call_9pQ2vXr7LkT0aZbYcWdE4fGh';
const question: ModelMessage = { role: 'user', content: 'Pay 5 euros' };
const services = { logger: silentLogger };

describe.each(openaiApis)('approvals on the %s API', (api) => {
  /** The request for approval, and the conversation up to it. */
  async function askToPay() {
    wire.reply(
      { toolCalls: [{ name: 'pay', input: { cents: 500 }, id: toolCallId }] },
      { text: 'The matter is settled.' },
    );
    const agent = new Agent({ id: 'cashier', model: openaiModel(api, wire), tools: [pay], generation: unset });

    const stream = await agent.streamText([question]);
    const call = (await collectEvents(stream)).find((event) => event.type === 'tool-call');
    if (call?.type !== 'tool-call' || call.approvalId === undefined || call.signature === undefined)
      throw new Error('no approval was asked for');
    const { approvalId, signature } = call;
    expect(await stream.result).toMatchObject({ finishReason: 'tool-calls', toolCalls: [{ toolCallId, approvalId }] });
    expect(paid).toEqual([]);

    const conversation = (approved: boolean): readonly ModelMessage[] => [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId, toolName: 'pay', input: { cents: 500 } },
          { type: 'tool-approval-request', approvalId, toolCallId, signature },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
    ];
    return { agent, approvalId, signature, conversation };
  }

  it('run an approved call with the id of the provider, and send the result', async () => {
    const { agent, conversation } = await askToPay();

    const result = await agent.generateText(conversation(true));

    expect(result).toMatchObject({
      text: 'The matter is settled.',
      toolResults: [{ toolCallId, output: { paid: 500 } }],
    });
    expect(paid).toEqual([500]);
    expect(sentOutput()).toEqual({ id: toolCallId, output: '{"paid":500}' });
  });

  it('send a denial to the provider, and run nothing', async () => {
    const { agent, conversation } = await askToPay();

    const events = await collectEvents(await agent.streamText(conversation(false)));

    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-error', toolCallId, denied: true }));
    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    expect(paid).toEqual([]);
    expect(sentOutput()).toMatchObject({ id: toolCallId });
  });

  it('accept the answer that useChat sends: a UI message with the answered part', async () => {
    const { agent, approvalId, signature } = await askToPay();
    const messages: UIMessage[] = [
      { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay 5 euros' }] },
      {
        id: 'm2',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          {
            type: 'tool-pay',
            toolCallId,
            state: 'approval-responded',
            input: { cents: 500 },
            approval: { id: approvalId, approved: true, signature },
          },
        ],
      },
    ];

    expect((await agent.generateText(messages)).text).toBe('The matter is settled.');

    expect(paid).toEqual([500]);
    expect(sentOutput()).toEqual({ id: toolCallId, output: '{"paid":500}' });
  });

  it('are accepted once', async () => {
    const { agent, conversation } = await askToPay();
    await agent.generateText(conversation(true));

    await expect(agent.generateText(conversation(true), { services })).rejects.toMatchObject({
      code: 'APPROVAL_NOT_ACCEPTED',
    });

    expect(paid).toEqual([500]);
    expect(wire.requests).toHaveLength(2);
  });

  /** The result of a tool in the second request, as the API names it. */
  function sentOutput(): unknown {
    const { input, messages } = wire.requests[1]?.body ?? {};
    const items = [input, messages].flatMap((list): readonly object[] => (Array.isArray(list) ? list : []));
    return items
      .map((item): Readonly<Record<string, unknown>> => ({ ...item }))
      .flatMap((item) => {
        if (item['type'] === 'function_call_output') return [{ id: item['call_id'], output: item['output'] }];
        return item['role'] === 'tool' ? [{ id: item['tool_call_id'], output: item['content'] }] : [];
      })[0];
  }
});
