import type { Message } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import { agentWithMemory } from '../../../memory/testing/agent-with-memory.ts';
import { textMessage } from '../../../memory/testing/text-message.ts';
import type { AgentInput } from '../../../model/messages/message.ts';
import type { ScriptedReply } from '../../../testing/index.ts';
import { createTool } from '../../../tool/create-tool.ts';
import { createWorkflow } from '../../create-workflow.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';

const inConversation = { userId: 'ada', conversationId: 'c1' };
const call = (toolName: string, toolCallId: string) => ({ toolName, toolCallId, input: {} });

/** A workflow whose agent has a memory, a tool `look`, and a tool `pay` that needs approval. */
function made(turns: readonly ScriptedReply[]) {
  const tool = (name: string, needsApproval: boolean) =>
    createTool({ name, description: '', input: Type.Object({}), needsApproval, execute: () => `${name} done` });
  // The turn depends on the prompt: a repeated run continues instead of starting again.
  const act: ScriptedReply = ({ prompt }) => turns[prompt.filter(({ role }) => role === 'tool').length] ?? 'Done.';
  const kept = agentWithMemory([act], { tools: [tool('look', false), tool('pay', true)] });
  const workflow = createWorkflow({ id: 'shop' }).andAgent({ id: 'buy', agent: kept.agent, prompt: 'Buy' });
  return { ...kept, kit: new WorkflowKit(workflow) };
}

function partsOf(messages: readonly Message[]): readonly unknown[] {
  return messages.flatMap(({ parts }) => parts);
}

it('reads and writes the conversation that a workflow runs in', async () => {
  const { kit, save, texts, promptLines } = made(['Bought.']);
  await save(textMessage('u', 'user', 'I like tea'));

  const { status } = await kit.run(null, inConversation);

  expect(status).toBe('completed');
  expect(promptLines()).toEqual(['user: I like tea', 'user: Buy']);
  expect(await texts()).toEqual(['user: I like tea', 'user: Buy', 'assistant: Bought.']);
});

it('writes the same messages when a step is taken over, and does not read them as history', async () => {
  const stuck = Promise.withResolvers<ScriptedReply>();
  let tries = 0;
  const { kit, model, save, stored } = made([
    { text: 'First.', toolCalls: [call('look', 'c1')] },
    () => {
      tries += 1;
      return tries === 1 ? stuck.promise : 'Bought.';
    },
  ]);
  await save(textMessage('u', 'user', 'I like tea'));

  const id = await kit.begin(null, inConversation);
  await vi.waitFor(async () => expect(await stored()).toHaveLength(3), { timeout: 120_000 });
  const before = await stored();
  await kit.restart();
  await kit.waitUntilIdle(id);

  const after = await stored();
  expect(after.map((message) => message.id)).toEqual(before.map((message) => message.id));
  expect(partsOf(after.slice(1))).toEqual([
    { type: 'text', text: 'Buy' },
    { type: 'step-start' },
    { type: 'text', text: 'First.', state: 'done' },
    { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: {}, output: 'look done' },
    { type: 'step-start' },
    { type: 'text', text: 'Bought.', state: 'done' },
  ]);
  expect(model.calls.at(-1)?.prompt.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool']);
});

it.each([
  [true, { state: 'output-available', output: 'pay done', approval: { approved: true, reason: 'ok' } }],
  [false, { state: 'output-denied', approval: { approved: false, reason: 'ok' } }],
])('stores the approval request while it is suspended, and then the answer: %s', async (approved, outcome) => {
  const { kit, stored, texts } = made([{ toolCalls: [call('look', 'c1'), call('pay', 'c2')] }, 'Bought.']);

  const { executionId } = await kit.run(null, inConversation);
  expect(await texts()).toEqual(['user: Buy', 'assistant: [tool-look output-available][tool-pay approval-requested]']);
  await kit.resume(executionId, { approved, reason: 'ok' });

  const messages = await stored();
  expect(messages).toHaveLength(2);
  expect(partsOf(messages)).toMatchObject([
    { type: 'text', text: 'Buy' },
    { type: 'step-start' },
    { type: 'tool-look', state: 'output-available', output: 'look done' },
    { type: 'tool-pay', ...outcome },
    { type: 'step-start' },
    { type: 'text', text: 'Bought.' },
  ]);
  expect(partsOf(messages)[3]).toMatchObject({
    approval: { id: expect.stringMatching(/@.+\.\d+\.[\w-]{43}$/) },
  });
});

it('does not write messages after another process has taken the step over', async () => {
  const stuck = Promise.withResolvers<ScriptedReply>();
  let tries = 0;
  const { kit, stored, texts } = made([
    () => {
      tries += 1;
      return tries === 1 ? stuck.promise : 'Bought.';
    },
  ]);

  const id = await kit.begin(null, inConversation);
  await vi.waitFor(async () => expect(await texts()).toEqual(['user: Buy']), { timeout: 120_000 });
  await kit.restart();
  await kit.waitUntilIdle(id);
  const after = await stored();
  stuck.resolve('Late.');
  await kit.settle();

  expect(await stored()).toEqual(after);
  expect(await texts()).toEqual(['user: Buy', 'assistant: Bought.']);
});

it('sends the same prompt to the model when a step is taken over in a busy conversation', async () => {
  const stuck = Promise.withResolvers<ScriptedReply>();
  let tries = 0;
  const { agent, save, stored, promptLines } = agentWithMemory([() => ((tries += 1) === 1 ? stuck.promise : 'Done.')]);
  const prompt = Array.from({ length: 30 }, (_, index) => ({ role: 'user' as const, content: `order ${index}` }));
  const kit = new WorkflowKit(createWorkflow({ id: 'shop' }).andAgent({ id: 'buy', agent, prompt }));
  await save(textMessage('u', 'user', 'I like tea'));

  const id = await kit.begin(null, inConversation);
  await vi.waitFor(async () => expect(await stored()).toHaveLength(31), { timeout: 120_000 });
  await kit.restart();
  await kit.waitUntilIdle(id);

  expect(promptLines(1)[0]).toBe('user: I like tea');
  expect(promptLines(1)).toEqual(promptLines(0));
});

it.each(['a message of useChat', 'an answer of a raw client'])(
  'continues with %s once when a step is taken over',
  async (form) => {
    const stuck = Promise.withResolvers<ScriptedReply>();
    let tries = 0;
    const look = createTool({ name: 'look', description: '', input: Type.Object({}), execute: () => 'seen' });
    const locate = createTool({ name: 'locate', description: '', input: Type.Object({}) });
    const { agent, save, texts, promptLines } = agentWithMemory(
      [{ text: 'One.', toolCalls: [call('look', 'c2')] }, () => ((tries += 1) === 1 ? stuck.promise : 'Done.')],
      { tools: [look, locate] },
    );
    const asked = { type: 'tool-locate' as const, toolCallId: 'c1', input: {} };
    const prompt: AgentInput = form.includes('useChat')
      ? [{ id: 'a', role: 'assistant', parts: [{ ...asked, state: 'output-available', output: 'Rome' }] }]
      : [
          {
            role: 'tool',
            content: [
              { type: 'tool-result', toolCallId: 'c1', toolName: 'locate', output: { type: 'text', value: 'Rome' } },
            ],
          },
        ];
    const kit = new WorkflowKit(createWorkflow({ id: 'shop' }).andAgent({ id: 'buy', agent, prompt }));
    await save(textMessage('u', 'user', 'Where?'), {
      id: 'a',
      role: 'assistant',
      parts: [{ ...asked, state: 'input-available' }],
    });

    const before = 'assistant: [tool-locate output-available]One.[tool-look output-available]';
    const id = await kit.begin(null, inConversation);
    await vi.waitFor(async () => expect(await texts()).toEqual(['user: Where?', `${before}[custom]`]), {
      timeout: 120_000,
    });
    await kit.restart();
    await kit.waitUntilIdle(id);

    expect(await texts()).toEqual(['user: Where?', `${before}Done.`]);
    expect(promptLines(2)).toEqual(promptLines(1));
  },
);
