import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const refusal = Object.assign(new Error('Could not process image'), { statusCode: 400 });
const model = scriptedModel(({ prompt }) =>
  JSON.stringify(prompt).includes('"type":"file"') ? { error: refusal } : 'Fine.',
);
const storage = createInMemoryStorage();
let server: Served;
beforeAll(async () => {
  server = await serve([], { agents: [new Agent({ id: 'a', model })], storage, memory: createMemory({ storage }) });
});
afterAll(() => server.close());

const file = {
  type: 'file',
  mediaType: 'image/png',
  url: 'data:image/png;base64,AAAA',
  filename: 'photo.png',
} as const;

it.each([
  ['plain', {}],
  ['resumable', { resumable: true }],
  ['durable', { durable: true }],
])('a %s chat goes on after a file that the model has refused', async (id, options) => {
  const chat = async (messages: readonly UIMessage[]): Promise<string> => {
    const response = await fetch(`${server.origin}/agents/a/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, messages, options: { ...options, userId: 'ada' } }),
    });
    return response.text();
  };
  const first: UIMessage = { id: `${id}-1`, role: 'user', parts: [file, { type: 'text', text: 'What is it?' }] };
  const second: UIMessage = { id: `${id}-2`, role: 'user', parts: [{ type: 'text', text: 'Never mind.' }] };

  expect(await chat([first])).toContain('"type":"error"');
  // As `useChat` does, with all messages.
  expect(await chat([first, second])).toContain('Fine.');

  const { data } = await ask(server.origin, `/conversations/${id}/messages?userId=ada`);
  expect(data['messages']).toMatchObject([{ parts: [file, {}] }, {}, { role: 'assistant' }]);
});
