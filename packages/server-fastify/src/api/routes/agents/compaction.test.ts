import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, userOf } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const text = (words: string): UIMessage['parts'] => [{ type: 'text', text: words.padEnd(400, '.') }];
const model = scriptedModel(({ prompt: [first] }) =>
  first?.role === 'system' && first.content.startsWith('You take notes') ? 'Ada likes tea.' : 'Fine.'.padEnd(400, '.'),
);
const storage = createInMemoryStorage();
let server: Served;
beforeAll(async () => {
  const agent = new Agent({
    id: 'chat',
    model,
    compaction: { afterTokens: 1000, keep: 2 },
    acceptSystemMessages: false,
  });
  server = await serve([], { agents: [agent], storage, memory: createMemory({ storage }), userOf });
});
afterAll(() => server.close());

interface Stored {
  readonly messages: readonly (UIMessage & { readonly createdAt: string })[];
}

const stored = async (query = ''): Promise<Stored['messages']> => {
  const { data } = await ask(server.origin, `/conversations/tea/messages?${query}`, { as: 'ada' });
  return (data as unknown as Stored).messages;
};

/** Sends all stored messages with a new one, as `useChat` does in a page that has loaded them. */
async function chat(id: string): Promise<readonly UIMessageChunk[]> {
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${server.origin}/agents/chat/chat`,
    headers: { 'x-user': 'ada' },
  });
  const known = id === 'q1' ? [] : (await stored()).map(({ createdAt: _, ...message }) => message);
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'tea',
    messageId: undefined,
    messages: [...known, { id, role: 'user', parts: text(`Question ${id}`) }],
    abortSignal: undefined,
  });
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

it('announces a summary in a chat, lists it with the messages, and does not take it for an instruction', async () => {
  for (const id of ['q1', 'q2', 'q3', 'q4', 'q5']) await chat(id);

  const chunks = await chat('q6');
  const [summary] = await stored('roles=system');

  const { createdAt: _, ...message } = summary ?? { createdAt: '' };
  expect(chunks.find(({ type }) => type === 'data-summary')).toEqual({
    type: 'data-summary',
    data: { message },
    transient: true,
  });
  expect(message).toMatchObject({
    role: 'system',
    parts: [{ type: 'text', text: 'Ada likes tea.' }],
    metadata: { summary: { messages: 6 } },
  });
  expect((await stored()).map(({ role }) => role).slice(-3)).toEqual(['system', 'user', 'assistant']);
  expect(await stored()).toHaveLength(13);

  await chat('q7');
  const prompt = model.calls.at(-1)?.prompt ?? [];
  expect(prompt.map(({ role }) => role)).not.toContain('system');
  expect(JSON.stringify(prompt[0])).toContain('Ada likes tea.');
});

it('names with `until` the last message that a summary stands for', async () => {
  const [summary] = await stored('roles=system');
  const metadata = summary?.metadata as { summary: { until: string } } | undefined;

  const after = await stored(`after=${metadata?.summary.until}&roles=user`);

  expect(after.map(({ id }) => id)).toEqual(['q4', 'q5', 'q6', 'q7']);
});

it('is the owner’s alone', async () => {
  const [summary] = await stored('roles=system');
  const body = { conversationId: 'tea', messageIds: [summary?.id] };

  expect((await ask(server.origin, '/conversations/tea/messages', { as: 'bob' })).status).toBe(404);
  expect((await ask(server.origin, '/messages/delete', { as: 'bob', body })).status).toBe(404);
  expect(await stored('roles=system')).toHaveLength(1);
});

it('can be undone by deleting it', async () => {
  const [summary] = await stored('roles=system');
  const body = { conversationId: 'tea', messageIds: [summary?.id] };

  const { data } = await ask(server.origin, '/messages/delete', { as: 'ada', body });

  expect(data).toEqual({ deleted: 1 });
  expect(await stored('roles=system')).toEqual([]);
});

it('is deleted with a message that it repeats', async () => {
  await chat('q8');
  expect(await stored('roles=system')).toHaveLength(1);

  const body = { conversationId: 'tea', messageIds: ['q1'] };
  const { data } = await ask(server.origin, '/messages/delete', { as: 'ada', body });

  expect(data).toEqual({ deleted: 1 });
  expect(await stored('roles=system')).toEqual([]);
});
