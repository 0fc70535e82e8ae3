import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Message, MessageVector } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryStorage } from './in-memory-storage.ts';
import { createInMemoryVectorStore } from './in-memory-vector-store.ts';

it('holds no more after 30 000 conversations than after 10 000', { timeout: 60_000 }, async () => {
  const { conversations } = createInMemoryStorage({ conversations: { maxConversations: 500 } });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      const [id, text] = [`c-${index}`, `Message of ${index}`];
      const create = { id, userId: `user-${index}`, resourceId: 'helper', title: '', metadata: {} };
      const messages = Array.from({ length: 5 }, (_, place): Message => {
        return { id: `m-${place}`, role: 'user', parts: [{ type: 'text', text }] };
      });
      await conversations.save('anyone', { conversationId: id, messages, create });
      if (index % 3 === 0) await conversations.delete('anyone', `c-${index - 1}`);
    }
  };
  await writeMany(0, 10_000);
  const before = heapUsed();
  await writeMany(10_000, 30_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
  const list = { orderBy: 'title', direction: 'asc', limit: 1, offset: 0 } as const;
  expect((await conversations.list('anyone', list)).total).toBe(500);
});

it('holds no more after the working memory of 30 000 users than after that of 10 000', async () => {
  const { workingMemory } = createInMemoryStorage({ workingMemory: { maxUsers: 500 } });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      await workingMemory.update('anyone', { scope: 'user', userId: `user-${index}` }, () => ({
        index: `is ${index}`,
      }));
    }
  };
  await writeMany(0, 10_000);
  const before = heapUsed();
  await writeMany(10_000, 30_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
});

it('holds no more after 30 000 vectors than after 10 000', { timeout: 60_000 }, async () => {
  const vectors = createInMemoryVectorStore({ maxVectors: 500 });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) await vectors.upsert([vector(index), vector(index, 'again')]);
  };
  await writeMany(0, 10_000);
  const before = heapUsed();
  await writeMany(10_000, 30_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
});

function vector(index: number, text = 'Text'): MessageVector {
  return {
    conversationId: `c-${Math.floor(index / 5)}`,
    messageId: `m-${index}`,
    userId: `user-${Math.floor(index / 2)}`,
    role: 'user',
    text: `${text} of ${index}`,
    createdAt: index,
    embedding: Array.from({ length: 64 }, (_, dimension) => Math.sin(index * dimension)),
  };
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
