import type { Message } from '@halyard/contracts';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { defaultMemoryLimits } from '../memory/memory-options.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { InputUIMessage } from '../model/messages/message.ts';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import { keywordEmbedding } from '../testing/keyword-embedding.ts';

const sent = (id: string, role: 'user' | 'assistant', text: string): InputUIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
});

it('adds only new messages of a long history, and reads no more than needed', async () => {
  const { agent, options, save, stored, storage, promptLines } = agentWithMemory(['Fine.']);
  const history = Array.from({ length: 998 }, (_, index) =>
    sent(`m${index}`, index % 2 === 0 ? 'user' : 'assistant', `text ${index}`),
  );
  await save(...(history as Message[]));
  const lookups = vi.spyOn(storage.conversations, 'findMessages');

  const unstored = [sent('lost', 'assistant', 'an answer that was lost'), sent('new', 'user', 'How are you?')];
  await agent.generateText([...history, ...unstored], { ...options, contextLimit: 3 });

  expect((await stored()).slice(997).map(({ id }) => id)).toEqual(['m997', 'lost', 'new', expect.any(String)]);
  expect(promptLines()).toEqual([
    'user: text 996',
    'assistant: text 997',
    'assistant: an answer that was lost',
    'user: How are you?',
  ]);
  expect(lookups.mock.calls).toEqual([['anyone', 'c1', ['lost', 'new'], defaultMemoryLimits.pageBytes]]);
});

it('uses the stored version of known messages, and does not restore deleted ones', async () => {
  const { agent, options, save, texts } = agentWithMemory(['Fine.']);
  await save(textMessage('u1', 'user', 'Hi'), textMessage('a1', 'assistant', 'Hello.'));

  await agent.generateText(
    [
      sent('u0', 'user', 'deleted'),
      sent('u1', 'user', 'Hi'),
      sent('a1', 'assistant', 'You may pay.'),
      sent('u2', 'user', 'So?'),
    ],
    options,
  );

  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.', 'user: So?', 'assistant: Fine.']);
});

it('adds all messages without ids', async () => {
  const { agent, options, texts } = agentWithMemory(['Fine.']);

  await agent.generateText('Hi', options);
  await agent.generateText(
    [
      { role: 'user', parts: [{ type: 'text', text: 'One' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Two' }] },
    ],
    options,
  );
  await agent.generateText([{ role: 'user', content: 'Three' }], options);

  expect(await texts()).toEqual([
    'user: Hi',
    'assistant: Fine.',
    'user: One',
    'user: Two',
    'assistant: Fine.',
    'user: Three',
    'assistant: Fine.',
  ]);
});

it('replaces the answer of a user message that is edited', async () => {
  const { agent, options, save, stored, texts, promptLines } = agentWithMemory(['Better.']);
  await save(
    textMessage('u1', 'user', 'Hi'),
    textMessage('a1', 'assistant', 'Hello.'),
    textMessage('u2', 'user', 'And?'),
    textMessage('a2', 'assistant', 'Bad.'),
  );

  await agent.generateText(
    [sent('u1', 'user', 'Hi'), sent('a1', 'assistant', 'Hello.'), sent('u2', 'user', 'And you?')],
    { ...options, messageId: 'a3', resend: 'edit' },
  );

  expect(promptLines()).toEqual(['user: Hi', 'assistant: Hello.', 'user: And you?']);
  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.', 'user: And you?', 'assistant: Better.']);
  expect((await stored()).map(({ id }) => id)).toEqual(['u1', 'a1', 'u2', 'a3']);
});

it('reads a full window before a message that is answered again', async () => {
  const { agent, options, save, promptLines } = agentWithMemory(['New.']);
  await save(
    ...['a', 'b', 'c', 'd', 'e'].map((id, index) => textMessage(id, index % 2 === 0 ? 'user' : 'assistant', id)),
  );

  await agent.generateText([sent('c', 'user', 'c')], { ...options, contextLimit: 2, resend: 'regenerate' });

  expect(promptLines()).toEqual(['user: a', 'assistant: b', 'user: c']);
});

it('keeps the old answer when no new one was generated', async () => {
  const { agent, options, save, texts } = agentWithMemory([{ error: new RangeError('down') }], {
    retries: { maxRetries: 0 },
  });
  await save(textMessage('u1', 'user', 'Hi'), textMessage('a1', 'assistant', 'Hello.'));

  const edit = agent.generateText([sent('u1', 'user', 'Hi!')], { ...options, resend: 'edit' });
  await expect(edit).rejects.toMatchObject({ code: 'MODEL_FAILED' });

  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
});

it('answers a question again that failed before', async () => {
  const { agent, options, texts } = agentWithMemory([{ error: new RangeError('down') }, 'Hello.'], {
    retries: { maxRetries: 0 },
  });

  await expect(agent.generateText([sent('u1', 'user', 'Hi')], options)).rejects.toThrow();
  expect(await texts()).toEqual(['user: Hi']);
  await agent.generateText([sent('u1', 'user', 'Hi')], options);

  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
});

it('uses the last of two messages with the same id', async () => {
  const { agent, options, texts } = agentWithMemory(['Fine.']);

  await agent.generateText([sent('u', 'user', 'One'), sent('u', 'user', 'Two')], options);

  expect(await texts()).toEqual(['user: Two', 'assistant: Fine.']);
});

it('refuses the id of a message with another role', async () => {
  const { agent, options, save } = agentWithMemory();
  await save(textMessage('a1', 'assistant', 'Hello.'));

  await expect(agent.generateText([sent('a1', 'user', 'Hi')], options)).rejects.toMatchObject({
    kind: 'invalid-input',
  });
});

it('neither sends nor counts stored messages of the roles system and tool', async () => {
  const { agent, options, save, promptLines } = agentWithMemory();
  await save(textMessage('u1', 'user', 'Hi'), textMessage('s', 'system', 'Obey Bob'), textMessage('t', 'tool', 'raw'));

  await agent.generateText('So?', { ...options, contextLimit: 1 });

  expect(promptLines()).toEqual(['user: Hi', 'user: So?']);
});

it('adds system messages to the instructions, and does not store them', async () => {
  const { agent, options, texts, promptLines } = agentWithMemory(['Fine.'], { instructions: 'Be brief.' });

  await agent.generateText(
    [
      { role: 'system', content: 'Speak Latin.' },
      { role: 'user', content: 'Hi' },
    ],
    options,
  );
  await agent.generateText(
    [{ role: 'system', parts: [{ type: 'text', text: 'Now Greek.' }] }, sent('u', 'user', 'So?')],
    options,
  );

  expect(promptLines()).toEqual(['system: Be brief.\n\nNow Greek.', 'user: Hi', 'assistant: Fine.', 'user: So?']);
  expect(await texts()).toEqual(['user: Hi', 'assistant: Fine.', 'user: So?', 'assistant: Fine.']);
});

it('continues a conversation whose files are lost, and refuses a new file that cannot be fetched', async () => {
  const downloadFile = async (url: string) => {
    if (url.includes('gone')) throw new RangeError('404');
    return { data: new Uint8Array([1]), mediaType: 'image/png' };
  };
  const { agent, model, options, save } = agentWithMemory();
  const file = (url: string, filename?: string) => ({
    type: 'file' as const,
    mediaType: 'image/png',
    url,
    ...(filename !== undefined && { filename }),
  });
  await save(
    {
      id: 'u1',
      role: 'user',
      parts: [file('https://x.test/gone', 'a.png'), file('https://x.test/here'), file('no url')],
    },
    { id: 'a1', role: 'assistant', parts: [file('https://x.test/gone'), { type: 'text', text: 'Nice.' }] },
  );
  const services = { logger: silentLogger, downloadFile };

  await agent.generateText('So?', { ...options, services });

  expect(model.calls[0]?.prompt.slice(0, 2)).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: '[The file "a.png" can no longer be read.]' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1]) } },
        { type: 'text', text: '[The file can no longer be read.]' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Nice.' }] },
  ]);
  await expect(
    agent.generateText([{ role: 'user', parts: [file('https://x.test/gone')] }], { ...options, services }),
  ).rejects.toThrow('404');
});

it('never separates a call from its result, and adds a result to a call without one', async () => {
  const { agent, model, options, save } = agentWithMemory();
  const call = { toolCallId: 'c', input: {} };
  await save(textMessage('u0', 'user', 'old'), {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'tool-look', ...call, state: 'output-available', output: 1 },
      { type: 'tool-look', toolCallId: 'd', input: {}, state: 'input-available' },
      { type: 'step-start' },
      { type: 'text', text: 'Seen.' },
    ],
  });

  await agent.generateText('So?', { ...options, contextLimit: 2 });

  expect(model.calls[0]?.prompt.map(({ role, content }) => [role, Array.isArray(content) && content.length])).toEqual([
    ['user', 1],
    ['assistant', 2],
    ['tool', 2],
    ['assistant', 1],
    ['user', 1],
  ]);
});

it('stores complete model messages: files, reasoning, calls and their results in one message', async () => {
  const { agent, model, options, stored } = agentWithMemory();

  await agent.generateText(
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2]), filename: 'a.png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { p: { signature: 's' } } },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { at: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'json', value: [1] } }],
      },
      { role: 'assistant', content: 'Seen.' },
      { role: 'user', content: 'So?' },
    ],
    options,
  );

  expect((await stored()).slice(0, -1).map(({ parts }) => parts)).toEqual([
    [
      { type: 'text', text: 'See' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQI=', filename: 'a.png' },
    ],
    [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm.', providerMetadata: { p: { signature: 's' } } },
      { type: 'tool-look', toolCallId: 'c', state: 'output-available', input: { at: 1 }, output: [1] },
      { type: 'step-start' },
      { type: 'text', text: 'Seen.' },
    ],
    [{ type: 'text', text: 'So?' }],
  ]);
  const [first] = model.calls;
  await agent.generateText('And?', { ...options, contextLimit: 4 });
  expect(model.calls[1]?.prompt.slice(1, 4)).toEqual(first?.prompt.slice(1, 4));
});

it('does not read messages of another conversation', async () => {
  const { agent, options, promptLines } = agentWithMemory();

  await agent.generateText('Secret', options);
  await agent.generateText('Hi', { ...options, conversationId: 'c2' });

  expect(promptLines()).toEqual(['user: Hi']);
});

it('stores the text as a guardrail changed it, and no blocked text', async () => {
  const { agent, options, storage, texts } = agentWithMemory(['Fine.'], {
    inputGuardrails: [
      {
        name: 'secrets',
        check: (text) =>
          text.includes('bomb')
            ? { action: 'block', reason: 'no' }
            : { action: 'modify', text: text.replace('4711', '[secret]') },
      },
    ],
  });

  await expect(agent.generateText('A bomb', options)).rejects.toMatchObject({ code: 'INPUT_BLOCKED' });
  expect(await storage.conversations.isTaken('c1')).toBe(false);
  await agent.generateText('I am 4711', options);
  await agent.generateText([sent('u', 'user', 'Still 4711')], options);
  await agent.generateText([sent('u', 'user', 'Again 4711')], { ...options, resend: 'edit' });

  expect(await texts()).toEqual([
    'user: I am [secret]',
    'assistant: Fine.',
    'user: Again [secret]',
    'assistant: Fine.',
  ]);
});

it('supports functions for model and instructions in a conversation', async () => {
  const chosen = scriptedModel('Hi');
  const { agent, options } = agentWithMemory(['no'], {
    model: async () => chosen,
    instructions: async ({ conversationId }) => `In ${conversationId}`,
  });

  await agent.generateText('Hi', options);

  expect(chosen.calls[0]?.prompt[0]).toEqual({ role: 'system', content: 'In c1' });
});

it('does not recall messages that are answered again', async () => {
  const { agent, memory, options, save } = agentWithMemory(
    ['Fine.'],
    {},
    {
      vectors: createInMemoryVectorStore(),
      embedding: keywordEmbedding(['tea']),
      contextLimit: 2,
    },
  );
  const recall = vi.spyOn(memory, 'recall');
  await save(
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) => textMessage(id, index % 2 === 0 ? 'user' : 'assistant', id)),
  );

  await agent.generateText('tea', options);
  await agent.generateText([sent('c', 'user', 'tea')], { ...options, resend: 'edit' });

  expect(
    recall.mock.calls.map(([, { exclude, hasOlder, text, window }]) => [text, hasOlder, window.length, exclude]),
  ).toEqual([
    ['tea', true, 2, []],
    ['tea', true, 2, [expect.stringMatching(/-0$/), expect.any(String), 'c']],
  ]);
  await memory.flush();
});
