import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import type { InternalRunOptions } from '../agent/agent-options.ts';
import type { AgentJournal } from '../agent/loop/journal.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import type { InputUIMessage } from '../model/messages/message.ts';
import { collectEvents, type ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const noRetries = { retries: { maxRetries: 0 } };
const question: InputUIMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
const down: ScriptedReply = { error: new RangeError('down'), text: 'Half of', failAfterText: true };
const look = createTool({ name: 'look', description: '', input: Type.Object({}), execute: () => 'seen' });
const callLook = (toolCallId: string): ScriptedReply => ({ toolCalls: [{ toolName: 'look', input: {}, toolCallId }] });

it.each<readonly [string, readonly [ScriptedReply, ...ScriptedReply[]]]>([
  ['in its text', [down, 'Hello.']],
  ['after a tool', [callLook('one'), { error: new RangeError('down') }, 'Hello.']],
])('answers a question again whose run failed %s, and replaces what it had stored', async (_, turns) => {
  const { agent, model, options, texts } = agentWithMemory(turns, { ...noRetries, tools: [look] });
  await collectEvents(await agent.streamText(question, options));

  const again = await agent.generateText(question, options);
  const repeated = await agent.generateText(question, options);

  expect([again.text, repeated.text]).toEqual(['Hello.', 'Hello.']);
  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
  expect(model.calls).toHaveLength(turns.length);
});

it('answers a question again whose client was gone', async () => {
  const { agent, options, texts } = agentWithMemory([{ text: ['Half ', 'of'], hangs: true }, 'Hello.']);
  const stream = await agent.streamText(question, options);
  for await (const event of stream) if (event.type === 'text-delta') break;
  await stream.result.catch(() => {});

  expect((await agent.generateText(question, options)).text).toBe('Hello.');
  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
});

it('answers a question again whose process was killed', async () => {
  const { agent, options, save, texts } = agentWithMemory();
  const mark = { type: 'custom', kind: 'halyard.incomplete' } as const;
  await save(
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hel' }, mark] },
  );

  expect((await agent.generateText(question, options)).text).toBe('Hello.');
  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
});

it('marks the answer while its run writes it, also when nothing is left to write at the end', async () => {
  const { agent, options, storage, stored, texts } = agentWithMemory([callLook('one')], { tools: [look], maxSteps: 1 });
  const saves = vi.spyOn(storage.conversations, 'save');

  await collectEvents(await agent.streamText(question, options));

  const written = saves.mock.calls.map(([, { messages }]) => messages.at(-1)?.parts.at(-1)?.type);
  expect(written.slice(-2)).toEqual(['custom', 'tool-look']);
  expect(await texts()).toEqual(['user: Hi', 'assistant: [tool-look output-available]']);
  expect(await stored()).toHaveLength(2);
});

it('continues after the results of the client when the answer to them failed', async () => {
  const locate = createTool({ name: 'locate', description: '', input: Type.Object({}) });
  const { agent, model, options, promptLines, stored, texts } = agentWithMemory(
    [{ toolCalls: [{ toolName: 'locate', input: {}, toolCallId: 'one' }] }, down, 'You are here.'],
    { ...noRetries, tools: [locate] },
  );
  await agent.generateText(question, options);
  const [, asked] = await stored();
  const results: InputUIMessage[] = [
    ...question,
    {
      id: asked?.id,
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'tool-locate', toolCallId: 'one', state: 'output-available', input: {}, output: 'here' },
      ],
    },
  ];
  await collectEvents(await agent.streamText(results, options));
  expect((await texts()).at(-1)).toBe('assistant: [tool-locate output-available]Half of[custom]');

  const again = await agent.generateText(results, options);

  expect(again.text).toBe('You are here.');
  expect((await texts()).at(-1)).toBe('assistant: [tool-locate output-available]You are here.');
  expect(promptLines().join()).not.toContain('Half of');
  expect(model.calls).toHaveLength(3);
});

it.each<readonly [number, readonly [ScriptedReply, ...ScriptedReply[]], string]>([
  [1, ['Hello.'], ''],
  [2, [callLook('one'), 'Hello.'], '[tool-look output-available]'],
])(
  'writes again, at write %i, while the storage does not answer and the run has a journal',
  async (nth, turns, seen) => {
    const { agent, model, options, storage, texts } = agentWithMemory(turns, { tools: [look] });
    const real = storage.conversations.save.bind(storage.conversations);
    const save = vi.spyOn(storage.conversations, 'save');
    for (let passed = 1; passed < nth; passed += 1) save.mockImplementationOnce(real);
    save.mockRejectedValueOnce(new RangeError('the disk is full'));
    save.mockRejectedValueOnce(new RangeError('the disk is full'));
    vi.spyOn(storage.conversations, 'messages').mockRejectedValueOnce(new RangeError('the connection was lost'));
    let retries = 0;
    const journal: AgentJournal = {
      record: (_key, work) => work(),
      retryStorage: async (call) => {
        for (;;) {
          try {
            return await call();
          } catch {
            retries += 1;
          }
        }
      },
    };

    const { text } = await agent.generateText(question, { ...options, journal } as InternalRunOptions);

    expect(text).toBe('Hello.');
    expect(retries).toBe(3);
    expect(model.calls).toHaveLength(turns.length);
    expect(await texts()).toEqual(['user: Hi', `assistant: ${seen}Hello.`]);
  },
);
