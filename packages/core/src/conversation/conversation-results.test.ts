import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import type { AgentInput, InputUIMessage } from '../model/messages/message.ts';
import { collectEvents } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const locate = createTool({ name: 'locate', description: 'Asks where', input: Type.Object({}) });
const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 'Rain' });
const asking = {
  text: 'One moment.',
  toolCalls: [
    { toolName: 'locate', input: {}, toolCallId: 'c1' },
    { toolName: 'look', input: {}, toolCallId: 'c2' },
  ],
};

const forms = ['useChat', 'a raw client'] as const;

/** The result of the client, as it was sent for the first time. */
async function resultOf(
  form: (typeof forms)[number],
  stored: () => Promise<readonly { readonly parts: readonly object[] }[]>,
): Promise<AgentInput> {
  const output = { type: 'text', value: 'Rome' } as const;
  if (form === 'a raw client')
    return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'locate', output }] }];
  return (await stored()).map((message) => {
    const parts = message.parts.map((part) =>
      'toolCallId' in part && part.toolCallId === 'c1' ? { ...part, state: 'output-available', output: 'Rome' } : part,
    );
    return { ...message, parts } as InputUIMessage;
  });
}

it.each(forms)('returns the stored answer to a result that %s sends twice', async (form) => {
  const { agent, model, options, stored, texts } = agentWithMemory([asking, 'You are in Rome.', 'again'], {
    tools: [locate, look],
  });
  await agent.generateText('Where?', options);
  const result = await resultOf(form, stored);

  const [first, atOnce] = await Promise.all([agent.generateText(result, options), agent.generateText(result, options)]);
  const before = await texts();
  const stream = await agent.streamText(result, options);
  const events = await collectEvents(stream);

  expect([first.text, atOnce.text]).toEqual(['You are in Rome.', 'You are in Rome.']);
  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  expect(stream.messageId).toBe((await stored())[1]?.id);
  expect(await texts()).toEqual(before);
  expect(model.calls).toHaveLength(2);
});

it.each(forms)('asks the model when %s sends a result again whose answer failed', async (form) => {
  const { agent, options, stored } = agentWithMemory([asking, { error: new Error('down') }, 'You are in Rome.'], {
    tools: [locate, look],
  });
  await agent.generateText('Where?', options);
  const result = await resultOf(form, stored);
  await expect(agent.generateText(result, options)).rejects.toMatchObject({ code: 'MODEL_FAILED' });

  expect(await agent.generateText(result, options)).toMatchObject({ text: 'You are in Rome.' });
});

it('continues an answer that the client sends as a whole', async () => {
  const { agent, model, options, stored } = agentWithMemory([asking, 'You are in Rome.', 'And it rains.'], {
    tools: [locate, look],
  });
  await agent.generateText('Where?', options);
  await agent.generateText(await resultOf('useChat', stored), options);

  expect(await agent.generateText(await resultOf('useChat', stored), options)).toMatchObject({
    text: 'And it rains.',
  });
  expect(model.calls).toHaveLength(3);
});
