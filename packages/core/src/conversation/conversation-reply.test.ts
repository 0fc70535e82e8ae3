import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import { collectEvents } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const noRetries = { retries: { maxRetries: 0 } };
const callLook = { toolCalls: [{ toolName: 'look', input: {}, toolCallId: 'c' }] };

function looker(execute: () => unknown = () => 'seen') {
  return createTool({ name: 'look', description: '', input: Type.Object({}), execute });
}

it('stores the question when the model fails before its first token, and the text so far when it fails later', async () => {
  const down = { error: new RangeError('down') };
  const { agent, options, texts } = agentWithMemory(
    [down, { ...down, text: 'Half of', failAfterText: true }],
    noRetries,
  );

  await expect(agent.generateText('One', options)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect(await texts()).toEqual(['user: One']);
  const events = await collectEvents(await agent.streamText('Two', options));

  expect(events.at(-1)).toMatchObject({ type: 'error' });
  expect(await texts()).toEqual(['user: One', 'user: Two', 'assistant: Half of[custom]']);
});

it('stores the text that was generated before the client disconnected', async () => {
  const { agent, options, texts } = agentWithMemory([{ text: ['Once ', 'upon '], hangs: true }, 'Hello.']);

  const stream = await agent.streamText('Tell', options);
  for await (const event of stream) if (event.type === 'text-delta' && event.delta === 'upon ') break;
  await stream.result.catch(() => {});
  await agent.generateText('Go on', options);

  expect(await texts()).toEqual(['user: Tell', 'assistant: Once upon [custom]', 'user: Go on', 'assistant: Hello.']);
});

it('writes the question while the model works, and tool results as they arrive', async () => {
  const thinking = Promise.withResolvers<void>();
  const acting = Promise.withResolvers<void>();
  const { agent, options, texts } = agentWithMemory(
    [
      async () => {
        await thinking.promise;
        return callLook;
      },
      async () => {
        await acting.promise;
        return 'Done.';
      },
    ],
    { tools: [looker()] },
  );

  const answer = agent.generateText('Look', options);
  await vi.waitFor(async () => expect(await texts()).toEqual(['user: Look']), { timeout: 120_000 });
  thinking.resolve();
  await vi.waitFor(
    async () => expect(await texts()).toEqual(['user: Look', 'assistant: [tool-look output-available][custom]']),
    { timeout: 120_000 },
  );
  acting.resolve();
  await answer;

  expect(await texts()).toEqual(['user: Look', 'assistant: [tool-look output-available]Done.']);
});

it('writes a step after the debounce time when tool results are not flushed, and not more often', async () => {
  const acting = Promise.withResolvers<void>();
  const { agent, options, storage, texts } = agentWithMemory(
    [
      callLook,
      async () => {
        await acting.promise;
        return 'Done.';
      },
    ],
    { tools: [looker()] },
    { persistence: { flushOnToolResult: false, debounceMs: 1 } },
  );
  const saves = vi.spyOn(storage.conversations, 'save');

  const answer = agent.generateText('Look', options);
  await vi.waitFor(
    async () => expect(await texts()).toEqual(['user: Look', 'assistant: [tool-look output-available][custom]']),
    { timeout: 120_000 },
  );
  acting.resolve();
  await answer;

  expect(saves).toHaveBeenCalledTimes(2);
});

it('writes everything once, at the end, in the mode finish', async () => {
  const { agent, options, storage, texts } = agentWithMemory(
    [callLook, 'Done.'],
    { tools: [looker()] },
    { persistence: { mode: 'finish' } },
  );
  const saves = vi.spyOn(storage.conversations, 'save');

  await agent.generateText('Look', options);

  expect(saves).toHaveBeenCalledTimes(1);
  expect(await texts()).toEqual(['user: Look', 'assistant: [tool-look output-available]Done.']);
});

it.each(['step', 'finish'] as const)(
  'does not write to a conversation that is deleted during the run, and answers (%s)',
  async (mode) => {
    const gate = Promise.withResolvers<void>();
    const { agent, model, options, save, storage, texts } = agentWithMemory(
      [
        async () => {
          await gate.promise;
          return 'Hello.';
        },
      ],
      {},
      { persistence: { mode } },
    );
    await save(textMessage('u', 'user', 'old'));

    const answer = agent.generateText('Hi', options);
    await vi.waitFor(() => expect(model.calls).toHaveLength(1), { timeout: 120_000 });
    if (mode === 'step') await vi.waitFor(async () => expect(await texts()).toHaveLength(2), { timeout: 120_000 });
    await storage.conversations.delete('anyone', 'c1');
    gate.resolve();

    await expect(answer).resolves.toMatchObject({ text: 'Hello.' });
    expect(await storage.conversations.isTaken('c1')).toBe(false);
  },
);

it('does not create a conversation again that it created and that was deleted', async () => {
  const gate = Promise.withResolvers<void>();
  const { agent, options, storage, texts } = agentWithMemory([
    async () => {
      await gate.promise;
      return 'Hello.';
    },
  ]);

  const answer = agent.generateText('Hi', options);
  await vi.waitFor(async () => expect(await texts()).toHaveLength(1), { timeout: 120_000 });
  await storage.conversations.delete('anyone', 'c1');
  gate.resolve();
  await answer;

  expect(await storage.conversations.isTaken('c1')).toBe(false);
});

it('fails when another user takes the id of a new conversation before the first write', async () => {
  const { agent, model, options, storage } = agentWithMemory(['Hello.'], {}, { persistence: { mode: 'finish' } });
  const bobs = { id: 'c1', userId: 'bob', resourceId: 'a', title: '', metadata: {} };
  const asBob = new Agent({
    id: 'b',
    memory: agent.memory ?? false,
    model: async () => {
      await storage.conversations.create(bobs);
      return model;
    },
  });

  await expect(asBob.generateText('Hi', { ...options, user: { id: 'ada' } })).rejects.toMatchObject({
    code: 'CONVERSATION_NOT_FOUND',
  });
});

it.each([
  ['read', 'messages', 0],
  ['written first', 'save', 0],
  ['written last', 'save', 1],
] as const)('fails when the conversation cannot be %s', async (_when, method, after) => {
  const gate = Promise.withResolvers<void>();
  const { agent, model, options, storage } = agentWithMemory([
    async () => {
      await gate.promise;
      return 'Hello.';
    },
  ]);
  const real = storage.conversations.save.bind(storage.conversations);
  const broken = vi.spyOn(storage.conversations, method);
  for (let passed = 0; passed < after; passed += 1) broken.mockImplementationOnce(real);
  broken.mockRejectedValue(new RangeError('connection refused'));

  const answer = agent.generateText('Hi', options);
  if (method === 'save') await vi.waitFor(() => expect(broken).toHaveBeenCalledTimes(1), { timeout: 120_000 });
  gate.resolve();

  await expect(answer).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'STORAGE_UNAVAILABLE',
    cause: expect.objectContaining({ message: 'connection refused' }),
  });
  expect(model.calls).toHaveLength(method === 'messages' ? 0 : 1);
});

it('runs no tool when the question could not be written', async () => {
  const look = vi.fn<() => string>(() => 'seen');
  const { agent, options, storage } = agentWithMemory(
    [async () => new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(callLook)))), 'Done.'],
    { tools: [looker(look)] },
  );
  vi.spyOn(storage.conversations, 'save').mockRejectedValue(new RangeError('full'));

  const events = await collectEvents(await agent.streamText('Look', options));

  expect(events.at(-1)).toEqual({ type: 'error', error: 'The storage of the conversation does not answer' });
  expect(look).not.toHaveBeenCalled();
});

it('creates one conversation for two parallel first questions', async () => {
  const { agent, options, texts } = agentWithMemory();

  await Promise.all([agent.generateText('One', options), agent.generateText('Two', options)]);

  expect((await texts()).toSorted()).toEqual(['assistant: Hello.', 'assistant: Hello.', 'user: One', 'user: Two']);
});

it('stores the text as output guardrails returned it', async () => {
  const { agent, options, texts } = agentWithMemory(['It is 4711.', 'A bomb.'], {
    outputGuardrails: [
      {
        name: 'secrets',
        check: (text) =>
          text.includes('bomb')
            ? { action: 'block', reason: 'no' }
            : { action: 'modify', text: text.replace('4711', '[secret]') },
      },
    ],
  });

  await agent.generateText('What?', options);
  await expect(agent.generateText('Say it', options)).rejects.toMatchObject({ code: 'OUTPUT_BLOCKED' });

  expect(await texts()).toEqual(['user: What?', 'assistant: It is [secret].', 'user: Say it']);
});

it('does not store events of sub-agents', async () => {
  const inner = agentWithMemory(['The inner truth.']);
  const { agent, options, stored } = agentWithMemory(
    [{ toolCalls: [{ toolName: 'ask_a', input: { task: 'Think' }, toolCallId: 'c' }] }, 'Thought.'],
    { subAgents: [inner.agent] },
  );

  await collectEvents(await agent.streamText('Ask', options));

  expect(await inner.storage.conversations.isTaken('c1')).toBe(false);
  const messages = await stored();
  expect(messages).toHaveLength(2);
  expect(messages[1]?.parts.map(({ type }) => type)).toEqual(['step-start', 'tool-ask_a', 'step-start', 'text']);
});

it('passes the written messages to the memory after they are written', async () => {
  const { agent, memory, options } = agentWithMemory(['Hello.']);
  const turns = vi.spyOn(memory, 'afterWrite');

  await agent.generateText('Hi', { ...options, messageId: 'm' });
  await agent.generateText([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'So?' }] }], options);
  await agent.generateText([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'So!' }] }], {
    ...options,
    resend: 'edit',
  });

  expect(
    turns.mock.calls.map(([{ dropped, isFirst, messages }]) => [isFirst, messages.length, dropped.length]),
  ).toEqual([
    [true, 2, 0],
    [false, 2, 0],
    [false, 2, 1],
  ]);
});

it('writes working memory to a new conversation after creating it', async () => {
  const storage = createInMemoryStorage();
  const note = {
    toolCalls: [{ toolName: 'updateWorkingMemory', input: { content: 'Ada', mode: 'replace' }, toolCallId: 'c' }],
  };
  const { agent, memory, model, options } = agentWithMemory(
    [note, 'Noted.'],
    {},
    { storage, workingMemory: {}, persistence: { mode: 'finish' } },
  );

  const { toolResults } = await agent.generateText('I am Ada', options);

  expect(toolResults).toEqual([expect.objectContaining({ output: { updated: true } })]);
  expect(await memory.readWorkingMemory('anyone', { conversationId: 'c1' })).toMatchObject({ content: 'Ada' });
  expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['getWorkingMemory', 'updateWorkingMemory']);
  await agent.generateText('Who?', { ...options, memory: { options: { readOnly: true } } });
  expect(model.calls.at(-1)?.tools?.map(({ name }) => name)).toEqual(['getWorkingMemory']);
  expect(JSON.stringify(model.calls.at(-1)?.prompt.at(-2))).toContain('Ada');
});
