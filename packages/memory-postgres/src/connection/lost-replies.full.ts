import { silentLogger, type StreamStore } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { assembleStorage } from '../postgres-storage.ts';
import { sampleMessage } from '../testing/conversation-workload.ts';
import { embeddedForTests } from '../testing/embedded-template.ts';
import type { OpenedPool } from './database.ts';
import { EmbeddedDatabaseError } from './embedded/embedded-database-error.ts';

it('applies a call once when it is retried because its result was lost, and returns the same result', async () => {
  const { loseNextReply, storage } = await openWithLosses();
  const { conversations, workingMemory } = storage;
  const conversation = { id: 'c', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
  await storage.executions.backlog(['order'], 1);

  loseNextReply();
  expect((await conversations.create(conversation))?.id).toBe('c');
  expect(await conversations.create(conversation)).toBeUndefined();

  loseNextReply();
  const create = { ...conversation, id: 'begun' };
  const begin = { conversationId: 'begun', messages: [sampleMessage('m-1', 'user')], create };
  expect(await conversations.save('anyone', begin)).toEqual({ isNew: true, dropped: [] });
  expect(await conversations.save('anyone', begin)).toEqual({ isNew: false, dropped: [] });

  await conversations.save('anyone', { conversationId: 'begun', messages: [sampleMessage('m-2', 'assistant')] });
  for (const place of [0, 1]) {
    loseNextReply();
    const written = { conversationId: 'begun', messageId: 'm-2', writer: 'w', length: place + 1 };
    expect(
      await conversations.saveParts?.('anyone', { ...written, parts: [{ place, part: { type: 'step-start' } }] }),
    ).toBe(true);
  }
  loseNextReply();
  const instead = { conversationId: 'begun', messages: [sampleMessage('m-3', 'assistant')], dropAfter: 'm-1' };
  expect(await conversations.save('anyone', instead)).toEqual({ isNew: false, dropped: ['m-2'] });
  const found = await conversations.messages('anyone', 'begun', { limit: 9 });
  expect(found?.messages.map(({ id }) => id)).toEqual(['m-1', 'm-3']);

  const key = { scope: 'conversation', conversationId: 'c' } as const;
  for (const note of ['one', 'two']) {
    const appended = workingMemory.update('anyone', key, (content) => {
      // The next query is the write.
      loseNextReply();
      return [...(Array.isArray(content) ? content.map(String) : []), note];
    });
    expect(await appended).toBe(true);
  }
  expect(await workingMemory.read('anyone', key)).toEqual(['one', 'two']);

  await writeStream(storage.streams, loseNextReply);

  loseNextReply();
  expect((await conversations.find('anyone', 'c'))?.id).toBe('c');
  await storage.close();
});

async function writeStream(streams: StreamStore | undefined, loseNextReply: () => void): Promise<void> {
  if (streams === undefined) expect.fail('the storage has no streams');
  const place = { agentId: 'a', conversationId: 'c' };
  loseNextReply();
  expect(await streams.begin({ id: 's', ...place, userId: 'ada' }, 60_000)).toEqual({ kind: 'begun' });
  loseNextReply();
  expect(await streams.append('s', { after: 0, chunks: ['one', 'two'] }, 60_000)).toBe('appended');
  loseNextReply();
  expect(await streams.requestStop('anyone', place)).toBe(true);
  loseNextReply();
  expect(await streams.end('s', { after: 2, chunks: ['three'] })).toBe(true);
  loseNextReply();
  const read = await streams.read('s', { after: 0, limit: 9 });
  expect(read).toEqual({ chunks: ['one', 'two', 'three'], status: 'ended' });
}

/**
 * A database whose connection can be made to fail after the next statement was executed and before
 * its result arrives.
 */
async function openWithLosses() {
  let isLosing = false;
  const { open, openTimeoutMs } = await embeddedForTests();
  const openLosing = async (signal: AbortSignal): Promise<OpenedPool> => {
    const opened = await open(signal);
    const connect = async () => {
      const client = await opened.pool.connect();
      const query = async (text: string, values: readonly unknown[]) => {
        const result = await client.query(text, values);
        if (!isLosing) return result;
        isLosing = false;
        throw new EmbeddedDatabaseError({ message: 'Connection terminated unexpectedly' });
      };
      return { query, release: () => client.release() };
    };
    return {
      ...opened,
      pool: { ...opened.pool, options: {}, connect, end: () => opened.pool.end() } as OpenedPool['pool'],
    };
  };
  const storage = assembleStorage({ open: openLosing, openTimeoutMs }, { logger: silentLogger });
  return {
    storage,
    loseNextReply: () => {
      isLosing = true;
    },
  };
}
