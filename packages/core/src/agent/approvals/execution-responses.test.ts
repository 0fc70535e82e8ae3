import { Type } from '@sinclair/typebox';
import { describe, expect, it, vi } from 'vitest';
import { createMemory } from '../../memory/memory.ts';
import type { AgentInput, InputUIMessage } from '../../model/messages/message.ts';
import { scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { createWorkflow } from '../../workflow/create-workflow.ts';
import { WorkflowKit } from '../../workflow/testing/workflow-kit.ts';
import { Agent } from '../agent.ts';
import { findExecutionResponses } from './execution-responses.ts';

interface Asked {
  readonly approvalId: string;
  readonly signature: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

const whose = { userId: 'ada', conversationId: 'talk' };
const refused = { kind: 'invalid-input', code: 'APPROVAL_NOT_ACCEPTED' };

/** A workflow whose agent wants to pay, alone or through the agent that works for it. */
function setUp({ remembers = false, through }: { readonly remembers?: boolean; readonly through?: 'worker' } = {}) {
  const memory = createMemory();
  const paid: unknown[] = [];
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({ cents: Type.Number() }),
    needsApproval: true,
    execute: (input) => {
      paid.push(input);
      return 'paid';
    },
  });
  const pays = { toolCalls: [1, 2].map((cents) => ({ toolName: 'pay', toolCallId: `p${cents}`, input: { cents } })) };
  const worker = new Agent({ id: 'worker', model: scriptedModel(pays, 'Worked.'), tools: [pay] });
  const asks = { toolCalls: [{ toolName: 'ask_worker', toolCallId: 'd', input: { task: 'Pay' } }] };
  const model = scriptedModel(through === undefined ? pays : asks, 'Done.');
  const agent = new Agent({ id: 'payer', model, tools: [pay], subAgents: [worker], ...(remembers && { memory }) });
  const kit = new WorkflowKit(createWorkflow({ id: 'shop' }).andAgent({ id: 'buy', agent, prompt: 'Pay' }));
  const begin = async (): Promise<{ id: string; asked: readonly Asked[] }> => {
    const { executionId, suspensions = [] } = await kit.run(null, whose);
    return { id: executionId, asked: suspensions.map(({ suspendData }) => suspendData as unknown as Asked) };
  };
  return { agent, begin, kit, memory, model, paid };
}

/** The messages of `useChat`. */
function uiMessages(asked: readonly Asked[], approved = true): InputUIMessage[] {
  return [
    { role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
    {
      role: 'assistant',
      parts: asked.map(({ approvalId, input, signature, toolCallId, toolName }) => ({
        type: `tool-${toolName}` as const,
        toolCallId,
        input,
        state: 'approval-responded' as const,
        approval: { id: approvalId, signature, approved, ...(!approved && { reason: 'too much' }) },
      })),
    },
  ];
}

/** As raw clients send them: each response is a message. */
function modelMessages(asked: readonly Asked[], approved = true): AgentInput {
  return [
    { role: 'user', content: 'Pay' },
    {
      role: 'assistant',
      content: asked.map(({ input, toolCallId, toolName }) => ({ type: 'tool-call', toolCallId, toolName, input })),
    },
    ...asked.map(({ approvalId, signature }) => ({
      role: 'tool' as const,
      content: [
        {
          type: 'tool-approval-response' as const,
          approvalId,
          signature,
          approved,
          ...(!approved && { reason: 'too much' }),
        },
      ],
    })),
  ];
}

describe.each([
  ['UI messages', uiMessages],
  ['model messages', modelMessages],
])('in %s', (_name, messages) => {
  it('returns execution, path and answer', async () => {
    const { agent, begin, kit } = setUp();
    const { asked, id } = await begin();
    const [first] = asked;
    expect(await findExecutionResponses(messages(asked), agent, kit.services, whose)).toEqual(
      asked.map(({ approvalId, toolCallId }) => ({
        executionId: id,
        path: `buy#step-0/approval/${toolCallId}`,
        approvalId,
        approved: true,
        reason: undefined,
      })),
    );
    const denied = first === undefined ? [] : messages([first], false);
    expect(await findExecutionResponses(denied, agent, kit.services, whose)).toMatchObject([
      { approved: false, reason: 'too much' },
    ]);
  });

  it('returns the suspensions of the answers', async () => {
    const { agent, begin, kit, paid } = setUp();
    const { asked, id } = await begin();
    const answers = await findExecutionResponses(messages(asked), agent, kit.services, whose);
    const { suspensions } = await kit.row(id);
    expect(answers.map(({ path }) => path)).toEqual(suspensions.map(({ path }) => path));
    for (const { approved, path } of answers.toReversed())
      await kit.resume(id, { approved }, suspensions.find((each) => each.path === path)?.id);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'Done.' });
    expect(paid).toEqual([{ cents: 2 }, { cents: 1 }]);
  });

  it('finds the answer to a sub-agent of the chat’s agent', async () => {
    const { agent, begin, kit } = setUp({ through: 'worker' });
    const { asked, id } = await begin();
    expect(await findExecutionResponses(messages(asked.slice(0, 1)), agent, kit.services, whose)).toMatchObject([
      { executionId: id, path: 'buy#step-0/tool/d/step-0/approval/p1', approved: true },
    ]);
  });

  it('refuses answers that are forged, expired, given twice, for another call, or of another user', async () => {
    const { agent, begin, kit } = setUp();
    const { asked } = await begin();
    const [first, second] = asked as [Asked, Asked];
    const answers = (wrong: readonly Asked[], by = whose, other: Agent = agent) =>
      findExecutionResponses(messages(wrong), other, kit.services, by);

    await expect(answers([{ ...first, signature: `${first.signature}x` }])).rejects.toMatchObject(refused);
    await expect(answers([{ ...first, input: { cents: 100 } }])).rejects.toMatchObject(refused);
    await expect(answers([{ ...first, approvalId: `${first.approvalId}x` }])).rejects.toMatchObject(refused);
    await expect(answers([{ ...first, signature: second.signature }])).rejects.toMatchObject(refused);
    await expect(answers([first], { ...whose, userId: 'bob' })).rejects.toMatchObject(refused);
    await expect(answers([first], { ...whose, conversationId: 'other' })).rejects.toMatchObject(refused);
    const stranger = new Agent({ id: 'stranger', model: agent.model, tools: agent.tools });
    await expect(answers([first], whose, stranger)).rejects.toMatchObject(refused);
    await expect(answers([first, first])).rejects.toMatchObject(refused);
    kit.clock.advance(24 * 60 * 60 * 1_000 + 1);
    await expect(answers([first])).rejects.toMatchObject(refused);
  });

  it('refuses an answer next to one that belongs to no execution', async () => {
    const { agent, begin, kit } = setUp();
    const { asked } = await begin();
    const call = { toolName: 'pay', toolCallId: 'x', input: { cents: 9 } };
    const plain = kit.services.approvals.request({ ...call, ...whose, agentId: 'payer' });
    const both = messages([...asked, { ...call, ...plain }]);
    await expect(findExecutionResponses(both, agent, kit.services, whose)).rejects.toMatchObject(refused);
    expect(await findExecutionResponses(messages([{ ...call, ...plain }]), agent, kit.services, whose)).toEqual([]);
  });

  it('is not accepted in a run of the agent itself', async () => {
    const { agent, begin, kit, model, paid } = setUp();
    const { asked } = await begin();
    const services = { ...kit.services, logger: silentLogger };
    await expect(agent.generateText(messages(asked), { services, ...whose })).rejects.toMatchObject(refused);
    expect([paid.length, model.calls.length]).toEqual([0, 1]);
  });
});

it('finds none in any other input', async () => {
  const { agent, begin, kit } = setUp();
  const { asked } = await begin();
  const over: InputUIMessage[] = [
    ...uiMessages(asked),
    { role: 'assistant', parts: [{ type: 'text', text: 'Paid.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'Thanks' }] },
  ];
  for (const input of ['me@example.com', [], [null], [{ role: 'user', content: 'me@example.com' }], over])
    expect(await findExecutionResponses(input as AgentInput, agent, kit.services, whose)).toEqual([]);
});

it('reads the request from the stored conversation when a client sends only the answers', async () => {
  const { agent, begin, kit, memory } = setUp({ remembers: true });
  const { asked, id } = await begin();
  const answers = (given: readonly Asked[], by = whose) =>
    findExecutionResponses(modelMessages(given).slice(2), agent, kit.services, by);

  expect(await answers(asked.slice(1))).toMatchObject([
    { executionId: id, path: 'buy#step-0/approval/p2', approved: true },
  ]);
  expect(await answers(asked)).toHaveLength(2);
  const [first] = asked as [Asked];
  await expect(answers([{ ...first, signature: `${first.signature}x` }])).rejects.toMatchObject(refused);
  await expect(answers([{ ...first, signature: '' }])).rejects.toMatchObject(refused);
  const [{ signature: _, ...unsigned }] = asked as [Asked];
  await expect(answers([unsigned as Asked])).rejects.toMatchObject(refused);
  const bob = { ...whose, user: { id: 'bob' } };
  expect(await answers(asked, bob)).toEqual([]);
  await memory.storage.conversations.delete('anyone', 'talk');
  expect(await answers(asked)).toEqual([]);
});

it('leaves input without answers to executions to the run, which refuses it if it is wrong', async () => {
  const { agent, begin, kit } = setUp();
  const { asked } = await begin();
  const wrong = { role: 'nobody', parts: [] };
  const plain = uiMessages(asked.map((one) => ({ ...one, approvalId: 'plain' })));
  const over: InputUIMessage[] = [
    ...uiMessages(asked),
    { role: 'assistant', parts: [{ type: 'text', text: 'Paid.' }] },
  ];
  const odd = { role: 'user', content: [null, undefined, 'me@example.com', { approval: null }, { approvalId: 7 }] };

  for (const input of [[...plain, wrong], [...over, wrong], ['me@example.com'], [odd, wrong], [undefined, wrong]])
    expect(await findExecutionResponses(input as AgentInput, agent, kit.services, whose)).toEqual([]);
});

it('finds none where an execution still waits for its answer, or has it, and the answers are of the agent’s own run', async () => {
  const { agent, begin, kit } = setUp();
  const { asked } = await begin();
  const [question, answered] = uiMessages(asked);
  const call = { toolName: 'pay', toolCallId: 'x', input: { cents: 9 } };
  const plain = kit.services.approvals.request({ ...call, ...whose, agentId: 'payer' });
  const own = uiMessages([{ ...call, ...plain }])[1];
  if (question === undefined || answered === undefined || own === undefined) throw new Error('messages expected');
  const waiting = asked.map(
    ({ approvalId: id, input, signature, toolCallId }) =>
      ({ type: 'tool-pay', toolCallId, input, state: 'approval-requested', approval: { id, signature } }) as const,
  );
  const done = answered.parts.map(
    (part) => ({ ...part, state: 'output-available', output: 'paid' }) as (typeof own.parts)[number],
  );

  for (const parts of [waiting, [...done, ...own.parts]])
    expect(await findExecutionResponses([question, { role: 'assistant', parts }], agent, kit.services, whose)).toEqual(
      [],
    );
});

it('finds answers after system messages', async () => {
  const { agent, begin, kit } = setUp();
  const { asked } = await begin();
  const messages: InputUIMessage[] = [
    { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    ...uiMessages(asked),
  ];

  expect(await findExecutionResponses(messages, agent, kit.services, whose)).toHaveLength(2);
});

it('finds the answer to a sub-agent of a sub-agent, and of none that is no sub-agent', async () => {
  const { agent, kit } = setUp();
  const boss = new Agent({ id: 'boss', model: agent.model, subAgents: [agent] });
  const call = { toolName: 'pay', toolCallId: 'x', input: { cents: 9 } };
  const asked = (agentId: string, place: string): Asked => ({
    ...call,
    ...kit.services.approvals.request({ ...call, agentId, userId: 'ada', conversationId: undefined }, place),
  });
  const answers = (given: Asked) => findExecutionResponses(uiMessages([given]), boss, kit.services, whose);

  expect(await answers(asked('worker', 'e1/buy#step-0/approval/x'))).toMatchObject([
    { executionId: 'e1', path: 'buy#step-0/approval/x' },
  ]);
  await expect(answers(asked('stranger', 'e1/buy'))).rejects.toMatchObject(refused);
  for (const place of ['e1', 'e1/', '/e1/buy', ''])
    await expect(answers(asked('worker', place))).rejects.toMatchObject(refused);
});

describe('the stored conversation', () => {
  it('is read only when a client sends only the answers, of an agent with a memory, in a conversation', async () => {
    const { agent, begin, kit, memory } = setUp({ remembers: true });
    const { asked } = await begin();
    const read = vi.spyOn(memory.storage.conversations, 'messages');
    const only = modelMessages(asked).slice(2) as AgentInput;
    const forgetful = new Agent({ id: 'payer', model: agent.model, tools: agent.tools });

    expect(await findExecutionResponses(modelMessages(asked), agent, kit.services, whose)).toHaveLength(2);
    const { memory: _, ...services } = kit.services;
    expect(await findExecutionResponses(only, forgetful, services, whose)).toEqual([]);
    expect(await findExecutionResponses(only, agent, kit.services, { ...whose, conversationId: undefined })).toEqual(
      [],
    );
    expect(read).not.toHaveBeenCalled();
    expect(await findExecutionResponses(only, agent, kit.services, whose)).toHaveLength(2);
  });

  it('has the request in its newest answer, whatever system messages follow it', async () => {
    const { agent, begin, kit, memory } = setUp({ remembers: true });
    const { asked } = await begin();
    await memory.save('anyone', 'talk', [{ id: 's', role: 'system', parts: [{ type: 'text', text: 'A summary.' }] }]);

    expect(
      await findExecutionResponses(modelMessages(asked).slice(2) as AgentInput, agent, kit.services, whose),
    ).toHaveLength(2);
  });

  it('that cannot be read makes the request fail as unavailable', async () => {
    const { agent, begin, kit, memory } = setUp({ remembers: true });
    const { asked } = await begin();
    vi.spyOn(memory.storage.conversations, 'messages').mockRejectedValue(new Error('connection lost'));

    await expect(
      findExecutionResponses(modelMessages(asked).slice(2) as AgentInput, agent, kit.services, whose),
    ).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });
});
