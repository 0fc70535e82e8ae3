import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { AgentInput, InputUIMessage } from '../model/messages/message.ts';
import { collectEvents, keywordEmbedding, type ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const locate = createTool({ name: 'locate', description: '', input: Type.Object({}) });
const asking: ScriptedReply = { toolCalls: [{ toolName: 'locate', input: {}, toolCallId: 'c1' }] };
const resultOf = (toolCallId: string): AgentInput => [
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'locate', output: { type: 'text', value: 'Rome' } }],
  },
];
const located = resultOf('c1');

it('reads a full window before the last message when that is answered again', async () => {
  const { agent, options, save, promptLines } = agentWithMemory(['New.']);
  await save(...['a', 'b', 'c'].map((id, index) => textMessage(id, index % 2 === 0 ? 'user' : 'assistant', id)));

  const again: AgentInput = [{ id: 'c', role: 'user', parts: [{ type: 'text', text: 'c' }] }];
  await agent.generateText(again, { ...options, contextLimit: 2 });

  expect(promptLines()).toEqual(['user: a', 'assistant: b', 'user: c']);
});

it.each([0, 1])('reads the question when an answer continues, with a limit of %s', async (contextLimit) => {
  const { agent, options, promptLines } = agentWithMemory([asking, 'There.'], { tools: [locate] });

  await agent.generateText('Where?', { ...options, contextLimit });
  await agent.generateText(located, { ...options, contextLimit });

  expect(promptLines()).toEqual(['user: Where?', 'assistant: [tool-call]', 'tool: [tool-result]']);
});

it.each(['useChat', 'a raw client'])('tells calls apart for %s where the model repeats their id', async (form) => {
  const { agent, options, stored, texts } = agentWithMemory([asking, asking, 'There.'], { tools: [locate] });
  const answer = async (toolCallId: string): Promise<AgentInput> =>
    form === 'useChat'
      ? (await stored()).map((message): InputUIMessage => {
          const parts = message.parts.map((part) =>
            'toolCallId' in part && part.state === 'input-available'
              ? { ...part, state: 'output-available', output: 'Rome' }
              : part,
          );
          return { ...message, parts } as InputUIMessage;
        })
      : resultOf(toolCallId);

  await agent.generateText('Where?', options);
  await agent.generateText(await answer('c1'), options);
  await agent.generateText(await answer('c1_2'), options);

  expect(await texts()).toEqual([
    'user: Where?',
    'assistant: [tool-locate output-available][tool-locate output-available]There.',
  ]);
});

it('reports a call as not answered even if an earlier call with its id has a result', async () => {
  const { agent, options, save, promptLines } = agentWithMemory();
  const call = { type: 'tool-look' as const, toolCallId: 'c1', input: {} };
  await save(
    textMessage('u1', 'user', 'One'),
    { id: 'a1', role: 'assistant', parts: [{ ...call, state: 'output-available', output: 1 }] },
    textMessage('u2', 'user', 'Two'),
    {
      id: 'a2',
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Hm.' },
        { ...call, state: 'input-available' },
      ],
    },
  );

  await agent.generateText('Three', options);

  expect(promptLines()).toEqual([
    'user: One',
    'assistant: [tool-call]',
    'tool: [tool-result]',
    'user: Two',
    'assistant: Hm.[tool-call]',
    'tool: [tool-result]',
    'user: Three',
  ]);
});

it('does not send messages without content to models', async () => {
  const { agent, options, save, promptLines } = agentWithMemory();
  await save(textMessage('u1', 'user', ''), textMessage('a1', 'assistant', 'Hello.'));

  await agent.generateText('So?', options);
  await save({
    id: 'u1',
    role: 'user',
    parts: [
      { type: 'text', text: '' },
      { type: 'data-note', data: 1 },
    ],
  });
  await agent.generateText('So?', { ...options, contextLimit: 2 });

  expect([promptLines(0)[1], promptLines(1)[1]]).toEqual(['assistant: Hello.', 'assistant: Hello.']);
});

it('stores the results of two calls that were approved at the same time', async () => {
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({}),
    needsApproval: true,
    execute: () => 'paid',
  });
  const calls = ['c1', 'c2'].map((toolCallId) => ({ toolName: 'pay', toolCallId, input: {} }));
  const { agent, options, texts } = agentWithMemory([{ toolCalls: calls }, 'Done.'], { tools: [pay] });
  const events = await collectEvents(await agent.streamText('Pay', options));
  const requests = events.filter((event) => event.type === 'tool-call');

  await Promise.all(
    requests.map(async ({ approvalId = '', signature }) => {
      const response = { type: 'tool-approval-response' as const, approvalId, approved: true, signature };
      await agent.generateText([{ role: 'tool', content: [response] }], options);
    }),
  );

  expect(await texts()).toEqual([
    'user: Pay',
    'assistant: [tool-pay output-available][tool-pay output-available]Done.',
  ]);
});

it('indexes messages that were written before a write failed', async () => {
  const look = createTool({ name: 'look', description: '', input: Type.Object({}), execute: () => 'seen' });
  const { agent, memory, options, storage } = agentWithMemory(
    [{ toolCalls: [{ toolName: 'look', input: {} }] }, 'Done.'],
    { tools: [look] },
    { vectors: createInMemoryVectorStore(), embedding: keywordEmbedding(['tea']) },
  );
  const save = storage.conversations.save.bind(storage.conversations);
  const saves = vi.spyOn(storage.conversations, 'save').mockImplementation(save);
  saves.mockImplementationOnce(save).mockRejectedValueOnce(new RangeError('the disk is full'));

  await expect(agent.generateText('I like tea', options)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await memory.flush();

  expect(await memory.search('anyone', { query: 'tea', limit: 3, threshold: 0.5 })).toHaveLength(1);
});
