import type { ApprovalStore } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { describe, expect, it, vi } from 'vitest';
import type { AgentInput, InputUIMessage, ModelMessage } from '../../model/messages/message.ts';
import {
  collectEvents,
  fixedClock,
  scriptedModel,
  type ScriptedReply,
  sequentialIds,
  silentLogger,
} from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentEvent, ToolCallEvent } from '../agent-event.ts';
import type { RunOptions } from '../agent-options.ts';
import { collectAgentTools } from '../agent-tools.ts';
import { Agent } from '../agent.ts';
import { acceptApprovalResponses, findSentResponses, verifyResponses } from './approval-responses.ts';
import { createApprovals } from './approvals.ts';

const hour = 60 * 60 * 1000;
const payment = { toolName: 'pay', input: { to: 'Ada', amount: 5 } };

/** An agent that pays when a person approves. */
function payer({
  turns = [{ toolCalls: [payment] }, 'Done.'] as readonly [ScriptedReply, ...ScriptedReply[]],
  id = 'payer',
  toolName = 'pay',
} = {}) {
  const clock = fixedClock();
  const ids = sequentialIds();
  const store = createInMemoryStorage({ clock }).approvals;
  const approvalsWith = (...secrets: string[]) => createApprovals({ secrets, store, clock, ids });
  const services = { clock, ids, logger: silentLogger, approvals: approvalsWith('secret') };
  const paid: unknown[] = [];
  const pay = createTool({
    name: toolName,
    description: 'Pays',
    input: Type.Object({ to: Type.String(), amount: Type.Number() }),
    needsApproval: true,
    execute: (input) => {
      paid.push(input);
      return 'paid';
    },
  });
  const model = scriptedModel(...turns);
  const agent = new Agent({
    id,
    model,
    tools: [pay, createTool({ name: 'pick', description: 'Asks', input: Type.Object({}) })],
  });
  const run = async (input: AgentInput, options: RunOptions = {}) =>
    collectEvents(await agent.streamText(input, { services, ...options }));
  return { agent, approvalsWith, clock, model, paid, run, services };
}

const requestsOf = (events: readonly AgentEvent[]): ToolCallEvent[] =>
  events.filter((event) => event.type === 'tool-call');

interface Answer {
  readonly approved?: boolean;
  readonly reason?: string;
}

/**
 * The request of `useChat`: the assistant's message with the approval responses in its tool parts.
 */
function uiResponse(requests: readonly ToolCallEvent[], answers: readonly (Answer | undefined)[]): InputUIMessage[] {
  return [
    { role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
    {
      role: 'assistant',
      parts: requests.map(({ toolCallId, toolName, input, approvalId = '', signature = '' }, index) => {
        const answer = answers[index];
        const tool = { type: `tool-${toolName}` as const, toolCallId, input };
        if (answer === undefined)
          return { ...tool, state: 'approval-requested' as const, approval: { id: approvalId, signature } };
        const { approved = true, reason } = answer;
        return {
          ...tool,
          state: 'approval-responded' as const,
          approval: { id: approvalId, signature, approved, ...(reason !== undefined && { reason }) },
        };
      }),
    },
  ];
}

/**
 * The request of raw clients: the approval responses as a message of role `tool`, without the
 * approval requests.
 */
function modelResponse(requests: readonly ToolCallEvent[], answers: readonly (Answer | undefined)[]): AgentInput {
  return [
    { role: 'user', content: 'Pay' },
    {
      role: 'assistant',
      content: requests.map(({ toolCallId, toolName, input }) => ({ type: 'tool-call', toolCallId, toolName, input })),
    },
    {
      role: 'tool',
      content: requests.flatMap(({ approvalId = '', signature = '' }, index) => {
        const answer = answers[index];
        if (answer === undefined) return [];
        const { approved = true, reason } = answer;
        return [
          {
            type: 'tool-approval-response' as const,
            approvalId,
            signature,
            approved,
            ...(reason !== undefined && { reason }),
          },
        ];
      }),
    },
  ];
}

const forms = [
  ['UI messages', uiResponse],
  ['model messages', modelResponse],
] as const;

const refused = { kind: 'invalid-input', code: 'APPROVAL_NOT_ACCEPTED' };

/** A run of the agent. */
function responding(agent: Agent) {
  const tools = collectAgentTools(agent.id, agent.tools, []);
  return { id: 'run-1', agent, tools, logger: silentLogger, signal: AbortSignal.any([]), isRepeated: false };
}

/** A signature that differs in its first character, whatever that was. */
function changed(signature: string): string {
  return signature.replace(/(?<=\.)./, (first) => (first === 'A' ? 'B' : 'A'));
}

it('requests approval and ends its step without a result', async () => {
  const { paid, run } = payer();

  const events = await run('Pay');

  expect(events.slice(-3)).toEqual([
    {
      type: 'tool-call',
      toolCallId: 'call-1',
      ...payment,
      approvalId: 'id-2',
      signature: expect.stringMatching(/^\d+\.[\w-]{43}$/),
    },
    expect.objectContaining({ type: 'finish-step', finishReason: 'tool-calls' }),
    expect.objectContaining({ type: 'finish', finishReason: 'tool-calls' }),
  ]);
  expect(paid).toEqual([]);
});

it.each(forms)('runs the call when it is approved in %s', async (_form, answer) => {
  const { model, paid, run } = payer();
  const requests = requestsOf(await run('Pay'));

  const events = await run(answer(requests, [{}]));

  expect(paid).toEqual([payment.input]);
  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'tool-result',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  expect(model.calls[1]?.prompt.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call-1', ...payment }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'call-1', toolName: 'pay', output: { type: 'text', value: 'paid' } },
      ],
    },
  ]);
});

it.each(forms)('reports a denial in %s to the model, and runs nothing', async (_form, answer) => {
  const { model, paid, run } = payer();
  const requests = requestsOf(await run('Pay'));

  const events = await run(answer(requests, [{ approved: false, reason: 'too much' }]));

  expect(paid).toEqual([]);
  expect(events[1]).toEqual({
    type: 'tool-error',
    toolCallId: 'call-1',
    ...payment,
    error: 'Denied: too much',
    denied: true,
  });
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ output: { type: 'execution-denied', reason: 'too much' } }],
  });
  expect(model.calls[1]?.prompt.at(-1)?.content).toHaveLength(1);
});

it('needs the message that contains the call, without a memory', async () => {
  const { paid, run } = payer();
  const requests = requestsOf(await run('Pay'));
  const [question, call, answer] = modelResponse(requests, [{}]) as ModelMessage[];

  await expect(run([answer] as ModelMessage[])).rejects.toMatchObject({ kind: 'invalid-input' });
  expect(paid).toEqual([]);
  await run([question, call, answer] as ModelMessage[]);
  expect(paid).toHaveLength(1);
});

it.each(forms)('accepts each answer once, in %s', async (_form, answer) => {
  const { paid, run } = payer();
  const requests = requestsOf(await run('Pay'));
  await run(answer(requests, [{}]));

  await expect(run(answer(requests, [{}]))).rejects.toMatchObject(refused);
  await expect(run(answer(requests, [{ approved: false }]))).rejects.toMatchObject(refused);
  expect(paid).toHaveLength(1);
});

it('runs a call once when two answers arrive at the same time', async () => {
  const { paid, run } = payer();
  const requests = requestsOf(await run('Pay'));

  const results = await Promise.allSettled([run(uiResponse(requests, [{}])), run(modelResponse(requests, [{}]))]);

  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(paid).toHaveLength(1);
});

it.each(forms)('refuses two answers to one request without using it, in %s', async (_form, answer) => {
  const { paid, run } = payer();
  const requests = requestsOf(await run('Pay'));

  await expect(run(answer([...requests, ...requests], [{}, {}]))).rejects.toMatchObject(refused);
  await run(answer(requests, [{}]));
  expect(paid).toHaveLength(1);
});

it.each(forms)('refuses requests that it did not sign, in %s', async (_form, answer) => {
  const { approvalsWith, clock, paid, run, services } = payer();
  const [request] = requestsOf(await run('Pay'));
  if (request === undefined) throw new Error('no request');
  const { signature = '' } = request;
  const later = `${clock.now() + 1000 * hour}${signature.slice(signature.indexOf('.'))}`;

  for (const forged of [
    { ...request, signature: changed(signature) },
    { ...request, signature: later },
    { ...request, signature: '' },
    { ...request, signature: 'no signature' },
    { ...request, approvalId: 'id-99' },
    { ...request, toolCallId: 'call-2' },
    { ...request, toolName: 'pick' },
    { ...request, input: { ...payment.input, amount: 5000 } },
    { ...request, input: { ...payment.input, also: 'this' } },
  ]) {
    await expect(run(answer([forged], [{}]))).rejects.toMatchObject(refused);
    await expect(run(answer([forged], [{ approved: false }]))).rejects.toMatchObject(refused);
  }
  const others = { ...services, approvals: approvalsWith('another secret') };
  await expect(run(answer([request], [{}]), { services: others })).rejects.toMatchObject(refused);
  expect(paid).toEqual([]);
});

it('accepts the same input with its keys in another order', async () => {
  const { paid, run } = payer();
  const [request] = requestsOf(await run('Pay'));
  if (request === undefined) throw new Error('no request');

  await run(uiResponse([{ ...request, input: { amount: 5, to: 'Ada' } }], [{}]));

  expect(paid).toEqual([payment.input]);
});

it('refuses an approval in another conversation, of another user, and for another agent', async () => {
  const { paid, run, services } = payer();
  const options = { userId: 'ada', conversationId: 'c1' };
  const requests = requestsOf(await run('Pay', options));
  const input = uiResponse(requests, [{}]);

  await expect(run(input, { ...options, conversationId: 'c2' })).rejects.toMatchObject(refused);
  await expect(run(input, { ...options, userId: 'bob' })).rejects.toMatchObject(refused);
  await expect(run(input)).rejects.toMatchObject(refused);
  await expect(payer({ id: 'other' }).run(input, { ...options, services })).rejects.toMatchObject(refused);
  await run(input, options);
  expect(paid).toHaveLength(1);
});

it('refuses an answer after the request has expired', async () => {
  const { clock, paid, run } = payer();
  const requests = requestsOf(await run('Pay'));

  clock.advance(24 * hour + 1);
  await expect(run(uiResponse(requests, [{}]))).rejects.toMatchObject(refused);
  clock.advance(-1);
  await run(uiResponse(requests, [{}]));
  expect(paid).toHaveLength(1);
});

it('accepts a request once, also when the clock of the store is almost a day ahead', async () => {
  const { clock, paid, run, services } = payer();
  const ahead = { now: () => clock.now() + 24 * hour - 1 };
  const { approvals: store } = createInMemoryStorage({ clock: ahead });
  const approvals = createApprovals({ secrets: ['secret'], store, clock, ids: sequentialIds() });
  const options = { services: { ...services, approvals } };
  const requests = requestsOf(await run('Pay', options));
  clock.advance(24 * hour);

  await run(uiResponse(requests, [{}]), options);
  await store.purge(10);
  await expect(run(uiResponse(requests, [{}]), options)).rejects.toMatchObject(refused);

  expect(paid).toHaveLength(1);
});

it('accepts requests that an older secret of the list signed', async () => {
  const { approvalsWith, paid, run, services } = payer();
  const requests = requestsOf(await run('Pay'));

  await expect(
    run(uiResponse(requests, [{}]), { services: { ...services, approvals: approvalsWith('new') } }),
  ).rejects.toMatchObject(refused);
  await run(uiResponse(requests, [{}]), { services: { ...services, approvals: approvalsWith('new', 'secret') } });
  expect(paid).toHaveLength(1);
  expect(() => approvalsWith()).toThrow('at least one secret');
  expect(() => approvalsWith('a', '')).toThrow('not empty');
});

it('refuses requests from before a restart of a store that loses used approvals', async () => {
  const { clock, paid, run, services } = payer();
  const requests = requestsOf(await run('Pay'));
  const ids = sequentialIds();
  const after = (store: ApprovalStore) => ({
    services: { ...services, approvals: createApprovals({ secrets: ['secret'], store, clock, ids }) },
  });
  const used = new Set<string>();
  const durable: ApprovalStore = {
    decide: async () => [],
    decisions: async () => [],
    find: async () => undefined,
    listOpen: async () => [],
    open: async () => {},
    consume: async (id) => !used.has(id) && used.add(id).has(id),
    purge: async () => 0,
  };

  await expect(
    run(uiResponse(requests, [{}]), after(createInMemoryStorage({ clock }).approvals)),
  ).rejects.toMatchObject(refused);
  await expect(run(uiResponse(requests, [{}]), after(durable))).rejects.toMatchObject(refused);
  expect(paid).toEqual([]);

  const kept = requestsOf(await payer().run('Pay', after(durable)));
  await run(uiResponse(kept, [{}]), after(durable));
  await expect(run(uiResponse(kept, [{}]), after(durable))).rejects.toMatchObject(refused);
  expect(paid).toHaveLength(1);
});

const twoPayments: ScriptedReply = { toolCalls: [payment, { ...payment, input: { to: 'Bob', amount: 7 } }] };

it.each(forms)('runs the answered one of two calls, and waits for the other, in %s', async (_form, answer) => {
  const { model, paid, run } = payer({ turns: [twoPayments, 'Done.'] });
  const requests = requestsOf(await run('Pay'));

  const events = await run(answer(requests, [{}, undefined]));

  expect(events.map(({ type }) => type)).toEqual(['start', 'tool-result', 'finish']);
  expect(events.at(-1)).toMatchObject({ finishReason: 'tool-calls' });
  expect(paid).toHaveLength(1);
  expect(model.calls).toHaveLength(1);
});

it('continues when the second answer arrives with the result of the first', async () => {
  const { model, paid, run } = payer({ turns: [twoPayments, 'Done.'] });
  const [first, second] = requestsOf(await run('Pay'));
  if (first === undefined || second === undefined) throw new Error('two requests expected');
  await run(uiResponse([first, second], [{}, undefined]));

  const { toolCallId, input, approvalId = '', signature = '' } = first;
  const [question, answer] = uiResponse([second], [{}]);
  if (question === undefined || answer === undefined) throw new Error('two messages expected');
  const settled = {
    type: 'tool-pay' as const,
    toolCallId,
    input,
    state: 'output-available' as const,
    output: 'paid',
    approval: { id: approvalId, approved: true as const, signature },
  };
  const events = await run([question, { ...answer, parts: [settled, ...answer.parts] }]);

  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  expect(paid).toEqual([payment.input, { to: 'Bob', amount: 7 }]);
  expect(model.calls[1]?.prompt.slice(1)).toMatchObject([
    { role: 'assistant', content: [{ toolCallId: 'call-1' }, { toolCallId: 'call-2' }] },
    { role: 'tool', content: [{ toolCallId: 'call-1' }, { toolCallId: 'call-2' }] },
  ]);
});

it('waits for the client to run its tool as well', async () => {
  const { model, run } = payer({ turns: [{ toolCalls: [payment, { toolName: 'pick', input: {} }] }, 'Done.'] });
  const [request, pick] = requestsOf(await run('Pay'));
  if (request === undefined || pick === undefined) throw new Error('two calls expected');

  const events = await run(modelResponse([request, pick], [{}, undefined]));

  expect(events.map(({ type }) => type)).toEqual(['start', 'tool-result', 'finish']);
  expect(model.calls).toHaveLength(1);
});

it('does not use an approval when the request is refused for another reason', async () => {
  const { agent, paid, run, services } = payer();
  const requests = requestsOf(await run('Pay'));
  const strict = new Agent({
    id: agent.id,
    model: agent.model,
    tools: agent.tools,
    inputGuardrails: [{ name: 'none', check: () => ({ action: 'block', reason: 'never' }) }],
  });

  await expect(strict.generateText(uiResponse(requests, [{}]), { services })).rejects.toMatchObject({
    code: 'INPUT_BLOCKED',
  });
  await expect(run(uiResponse(requests, [{}]), { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'ABORTED',
  });
  await run(uiResponse(requests, [{}]));
  expect(paid).toHaveLength(1);
});

it('requests approval only for the calls that the tool decides on', async () => {
  const seen: unknown[] = [];
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({ amount: Type.Number() }),
    needsApproval: async ({ amount }, { userId }) => {
      seen.push([amount, userId]);
      return amount > 10;
    },
    execute: ({ amount }) => `paid ${amount}`,
  });
  const model = scriptedModel({
    toolCalls: [5, 50].map((amount) => ({ toolName: 'pay', input: { amount }, toolCallId: `c${amount}` })),
  });
  const stream = await new Agent({ id: 'a', model, tools: [pay] }).streamText('Pay', { userId: 'ada' });

  const events = await collectEvents(stream);

  expect(seen).toEqual([
    [5, 'ada'],
    [50, 'ada'],
  ]);
  expect(requestsOf(events).map(({ toolCallId, approvalId }) => [toolCallId, approvalId !== undefined])).toEqual([
    ['c5', false],
    ['c50', true],
  ]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', toolCallId: 'c5', output: 'paid 5' }));
  expect(events.at(-1)).toMatchObject({ finishReason: 'tool-calls' });
  expect((await stream.result).toolCalls[1]).toMatchObject({
    toolCallId: 'c50',
    approvalId: expect.any(String),
    signature: expect.any(String),
  });
});

it('reports to the model that a tool failed to decide on approval', async () => {
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({}),
    needsApproval: () => {
      throw new Error('limits unknown');
    },
    execute: () => 'paid',
  });
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ toolCalls: [{ toolName: 'pay', input: {} }] }, 'Sorry.'),
    tools: [pay],
  });

  const events = await collectEvents(await agent.streamText('Pay', { services: { logger: silentLogger } }));

  expect(events).toContainEqual(expect.objectContaining({ type: 'tool-error', error: 'limits unknown' }));
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
});

it('ignores approvals of earlier turns', async () => {
  const { model, paid, run } = payer({ turns: ['Hello again.'] });

  const events = await run([
    { role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        {
          type: 'tool-pay',
          toolCallId: 'a',
          input: payment.input,
          state: 'output-available',
          output: 'paid',
          approval: { id: 'x1', approved: true },
        },
        {
          type: 'tool-pay',
          toolCallId: 'b',
          input: payment.input,
          state: 'output-denied',
          approval: { id: 'x2', approved: false, reason: 'no' },
        },
        {
          type: 'tool-pay',
          toolCallId: 'c',
          input: payment.input,
          state: 'approval-responded',
          approval: { id: 'x3', approved: true },
        },
        { type: 'step-start' },
        { type: 'text', text: 'Paid one.' },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
  ]);

  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  expect(paid).toEqual([]);
  expect(model.calls[0]?.prompt.slice(1, 3)).toMatchObject([
    { role: 'assistant', content: [{ toolCallId: 'a' }, { toolCallId: 'b' }, { toolCallId: 'c' }] },
    {
      role: 'tool',
      content: [
        { toolCallId: 'a', output: { value: 'paid' } },
        { toolCallId: 'b', output: { value: 'no' } },
        { toolCallId: 'c', output: { type: 'error-text' } },
      ],
    },
  ]);
});

it('does not run an approved call whose input no longer fits the tool', async () => {
  const { agent, run, services } = payer();
  const requests = requestsOf(await run('Pay'));
  const stricter = new Agent({
    id: agent.id,
    model: scriptedModel('Sorry.'),
    tools: [
      createTool({
        name: 'pay',
        description: 'Pays',
        input: Type.Object({ to: Type.Number() }),
        needsApproval: true,
        execute: () => 'paid',
      }),
    ],
  });

  const events = await collectEvents(await stricter.streamText(uiResponse(requests, [{}]), { services }));

  expect(events[1]).toMatchObject({ type: 'tool-error', error: 'Tool "pay" can no longer run this call' });
});

describe('answers to many calls of one step', () => {
  async function requestMany(count: number) {
    const toolCalls = Array.from({ length: count }, (_, index) => ({ ...payment, toolCallId: `call-${index}` }));
    const { paid, run, services } = payer({ turns: [{ toolCalls }, 'Done.'] });
    const requests = requestsOf(await run('Pay'));
    let compared = 0;
    const approvals: typeof services.approvals = {
      ...services.approvals,
      verify: (...given) => {
        compared += 1;
        return services.approvals.verify(...given);
      },
    };
    const answer = async (input: AgentInput) => run(input, { services: { ...services, approvals } });
    return { answer, compared: () => compared, paid, requests };
  }

  it('are each compared with the call of their request', async () => {
    const { answer, compared, paid, requests } = await requestMany(150);
    await answer(
      uiResponse(
        requests,
        requests.map(() => ({})),
      ),
    );
    expect(paid).toHaveLength(150);
    expect(compared()).toBe(150);
  });

  it('are compared with up to 100 calls where their requests are not repeated', async () => {
    const { answer, paid, requests } = await requestMany(100);
    await answer(
      modelResponse(
        requests,
        requests.map(() => ({})),
      ),
    );
    expect(paid).toHaveLength(100);
  });

  it('need their requests where there are more than 100 calls', async () => {
    const { answer, compared, paid, requests } = await requestMany(101);
    await expect(
      answer(
        modelResponse(
          requests,
          requests.map(() => ({})),
        ),
      ),
    ).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('send its approval request, too'),
    });
    expect(paid).toEqual([]);
    expect(compared()).toBe(0);
  });
});

it('does not tell a client to send requests that it has sent', async () => {
  const toolCalls = Array.from({ length: 101 }, (_, index) => ({ ...payment, toolCallId: `call-${index}` }));
  const { run } = payer({ turns: [{ toolCalls }, 'Done.'] });
  const [first, ...others] = requestsOf(await run('Pay'));
  if (first === undefined) throw new Error('no request');
  const forged = { ...first, signature: changed(first.signature ?? '') };

  await expect(run(uiResponse([forged, ...others], [{}]))).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('is unknown, expired, already used or for another call'),
  });
});

const unknownApproval = 'is unknown, expired, already used or for another call';

it.each(forms)('says of a forged answer to a few calls that it is unknown, in %s', async (_form, answer) => {
  const { run } = payer({ turns: [twoPayments, 'Done.'] });
  const forged = requestsOf(await run('Pay')).map((request) => ({ ...request, approvalId: `${request.approvalId}x` }));

  await expect(run(answer(forged, [{}]))).rejects.toMatchObject({ message: expect.stringContaining(unknownApproval) });
});

it('refuses an answer without a signature', async () => {
  const { run } = payer();
  const [question, call] = modelResponse(requestsOf(await run('Pay')), [{}]) as ModelMessage[];
  const content = [{ type: 'tool-approval-response' as const, approvalId: 'id-2', approved: true }];

  await expect(run([question, call, { role: 'tool', content }] as ModelMessage[])).rejects.toMatchObject(refused);
});

it('refuses an answer after a text of the assistant', async () => {
  const { run } = payer();
  const answer = (modelResponse(requestsOf(await run('Pay')), [{}]) as ModelMessage[])[2];

  await expect(
    run([{ role: 'user', content: 'Pay' }, { role: 'assistant', content: 'Now?' }, answer] as ModelMessage[]),
  ).rejects.toMatchObject(refused);
});

const picked: InputUIMessage['parts'][number] = {
  type: 'tool-pick',
  toolCallId: 'picked',
  input: {},
  state: 'output-available',
  output: 'blue',
};

/** The response of the client's tool, in a message with these parts before it. */
function pickedAfter(...parts: InputUIMessage['parts']): AgentInput {
  return [
    { role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
    { role: 'assistant', parts: [...parts, picked] },
  ];
}

describe('a request with the result of the client’s tool', () => {
  it('waits for a requested approval that is not answered', async () => {
    const { model, run } = payer();
    const requests = requestsOf(await run('Pay'));
    const [question, asked] = uiResponse(requests, [undefined]);
    if (question === undefined || asked === undefined) throw new Error('two messages expected');

    const events = await run([question, { ...asked, parts: [...asked.parts, picked] }]);

    expect(events.map(({ type }) => type)).toEqual(['start', 'finish']);
    expect(model.calls).toHaveLength(1);
  });

  it('continues after a call that was denied before', async () => {
    const { model, run } = payer({ turns: ['Done.'] });
    const denied = {
      type: 'tool-pay' as const,
      toolCallId: 'call-1',
      input: payment.input,
      state: 'output-denied' as const,
      approval: { id: 'id-2', approved: false as const, reason: 'too much' },
    };

    expect((await run(pickedAfter(denied))).at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    expect(model.calls[0]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'call-1', output: { value: 'too much' } },
        { toolCallId: 'picked', output: { value: 'blue' } },
      ],
    });
  });

  it('does not wait for a call without an approval request, where nothing is answered', async () => {
    const { model, run } = payer({ turns: ['Done.'] });
    const call = { type: 'tool-call' as const, ...payment };
    const output = { type: 'text' as const, value: 'paid' };

    const events = await run([
      { role: 'user', content: 'Pay' },
      {
        role: 'assistant',
        content: [
          { ...call, toolCallId: 'call-1' },
          { ...call, toolCallId: 'call-2' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call-1', toolName: 'pay', output }] },
    ]);

    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    expect(model.calls).toHaveLength(1);
  });
});

it.each(['gone', 'look'])('does not wait for a call of the tool "%s", which no person approves', async (toolName) => {
  const { agent, model, paid, run, services } = payer();
  const requests = requestsOf(await run('Pay'));
  const [question, call, answer] = modelResponse(requests, [{}]) as ModelMessage[];
  const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 'seen' });
  const looking = new Agent({ id: agent.id, model, tools: [...agent.tools, look] });
  const content = [
    ...((call?.content ?? []) as []),
    { type: 'tool-call' as const, toolCallId: 'other', toolName, input: {} },
  ];

  const events = await collectEvents(
    await looking.streamText([question, { role: 'assistant', content }, answer] as ModelMessage[], { services }),
  );

  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  expect(paid).toHaveLength(1);
});

describe('the messages of a request', () => {
  const call = { type: 'tool-call' as const, toolName: 'pay', input: payment.input };
  const asks = { type: 'tool-approval-request' as const, approvalId: 'a1', toolCallId: 'c1', signature: 's1' };
  const assistant: ModelMessage = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Shall I pay?' },
      { ...call, toolCallId: 'c1' },
      { ...call, toolCallId: 'c2' },
      { ...call, toolCallId: 'web', providerExecuted: true },
      asks,
    ],
  };
  const response = { type: 'tool-approval-response' as const, approvalId: 'a1', approved: true };
  const result = (toolCallId: string, output: object) =>
    ({ type: 'tool-result', toolCallId, toolName: 'pay', output }) as const;
  const denial = result('c1', { type: 'execution-denied', reason: 'no' });
  const done = result('c2', { type: 'text', value: 'paid' });

  it('contain no answers where they end with the assistant’s or the user’s', async () => {
    const { agent, services } = payer();
    const who = { context: {}, userId: undefined, conversationId: undefined };
    for (const messages of [[assistant], [assistant, { role: 'user', content: 'Hi' }]] as ModelMessage[][]) {
      expect(findSentResponses(messages)).toBeUndefined();
      expect(await acceptApprovalResponses(messages, responding(agent), services, who)).toEqual({
        responses: [],
        delegations: [],
        requests: [],
        isWaiting: false,
        messages,
      });
    }
  });

  it('contain the open calls, the requests, and the responses', () => {
    const unasked = { ...response, approvalId: 'a2', approved: false, reason: 'no' };
    const ofProvider = { ...response, providerExecuted: true };
    const content = [done, response, unasked, ofProvider] as Extract<ModelMessage, { role: 'tool' }>['content'];
    expect(findSentResponses([{ role: 'user', content: 'Pay' }, assistant, { role: 'tool', content }])).toStrictEqual({
      end: 2,
      open: [{ ...call, toolCallId: 'c1' }],
      asked: new Set(['c1']),
      responses: [
        { request: { approvalId: 'a1', signature: 's1' }, toolCallId: 'c1', approved: true, reason: undefined },
        { request: { approvalId: 'a2' }, toolCallId: undefined, approved: false, reason: 'no' },
      ],
    });
  });

  it('contain no open call that was denied before, where nothing else is answered', () => {
    const { open, responses } =
      findSentResponses([assistant, { role: 'tool', content: [denial] } as ModelMessage]) ?? {};
    expect([open, responses]).toEqual([[{ ...call, toolCallId: 'c2' }], []]);
  });

  it('lose the denial of a call that this run denies itself, and no other result', async () => {
    const { agent, services } = payer();
    const approvals = {
      ...services.approvals,
      verify: (_: unknown, { toolCallId }: { toolCallId: string }) => toolCallId === 'c1',
    };
    const given = (...content: object[]): ModelMessage => ({ role: 'tool', content: content as [] });
    const no = { ...response, approved: false };
    const accepted = async (...messages: ModelMessage[]) =>
      acceptApprovalResponses(
        messages,
        responding(agent),
        { approvals },
        { context: {}, userId: undefined, conversationId: undefined },
      );

    expect((await accepted(assistant, given(denial, done, no))).messages).toEqual([assistant, given(done, no)]);
    expect((await accepted(assistant, given(denial), given(no))).messages).toEqual([assistant, given(no)]);
  });
});

it('serves other requests between the answers of one', async () => {
  const calls = ['c1', 'c2'].map((toolCallId) => ({ toolCallId, toolName: 'pay', input: {} }));
  const responses = calls.map(({ toolCallId }) => ({
    request: { approvalId: toolCallId, signature: 's' },
    toolCallId,
    approved: true,
    reason: undefined,
  }));
  const order: string[] = [];
  const verified = verifyResponses({ end: 1, open: calls, asked: new Set(), responses }, (_, { toolCallId }) => {
    order.push(toolCallId);
    if (toolCallId === 'c1') setImmediate(() => order.push('another request'));
    return true;
  });

  expect((await verified).map(({ call }) => call)).toEqual(calls);
  expect(order).toEqual(['c1', 'another request', 'c2']);
});

it('accepts no answer without a signature, whatever fits its request', async () => {
  const open = [{ toolCallId: 'c1', toolName: 'pay', input: {} }];
  const responses = [{ request: { approvalId: 'a1' }, toolCallId: 'c1', approved: true, reason: undefined }];
  await expect(verifyResponses({ end: 1, open, asked: new Set(), responses }, () => true)).rejects.toMatchObject(
    refused,
  );
});

it('does not check changed arguments again when the run is repeated from its journal', async () => {
  const { agent, paid, run } = payer();
  const requests = requestsOf(await run('Pay'));
  const pay = agent.findTool('pay');
  if (pay === undefined) throw new Error('no tool');
  const asked = vi.spyOn(pay, 'needsApproval');
  const recorded = new Map<string, unknown>();
  const journal = {
    isDelivered: (key: string) => recorded.has(key),
    record: async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
      if (!recorded.has(key)) recorded.set(key, await work());
      return recorded.get(key) as Value;
    },
  };
  const [question, calls, responses] = modelResponse(requests, [{}]) as [ModelMessage, ModelMessage, ModelMessage];
  const given = (responses.content as object[]).map((part) => ({ ...part, input: { to: 'Ada', amount: 3 } }));
  const input = [question, calls, { role: 'tool', content: given }] as ModelMessage[];

  for (const attempt of [1, 2]) await run(input, { journal, operation: `attempt ${attempt}` } as RunOptions);

  expect(paid).toEqual([{ to: 'Ada', amount: 3 }]);
  expect(asked).toHaveBeenCalledTimes(1);
});
