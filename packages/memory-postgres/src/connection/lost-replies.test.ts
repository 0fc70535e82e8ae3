import type { StreamStore } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { assembleStorage } from '../postgres-storage.ts';
import { sampleMessage } from '../testing/conversation-workload.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import type { OpenedPool } from './database.ts';
import { EmbeddedDatabaseError } from './embedded/embedded-pool.ts';
import { inMemoryOpener } from './embedded/open-embedded.ts';

it('does once what is sent again because the answer was lost, and answers like the first time', async () => {
  const { loseNextAnswer, storage } = openWithLosses();
  const { conversations, workingMemory } = storage;
  const conversation = { id: 'c', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
  await storage.executions.nextDue();

  loseNextAnswer();
  expect((await conversations.create(conversation))?.id).toBe('c');
  expect(await conversations.create(conversation)).toBeUndefined();

  loseNextAnswer();
  const create = { ...conversation, id: 'begun' };
  const begin = { conversationId: 'begun', messages: [sampleMessage('m-1', 'user')], create };
  expect(await conversations.save('anyone', begin)).toEqual({ isNew: true, dropped: [] });
  expect(await conversations.save('anyone', begin)).toEqual({ isNew: false, dropped: [] });

  await conversations.save('anyone', { conversationId: 'begun', messages: [sampleMessage('m-2', 'assistant')] });
  loseNextAnswer();
  const instead = { conversationId: 'begun', messages: [sampleMessage('m-3', 'assistant')], dropAfter: 'm-1' };
  expect(await conversations.save('anyone', instead)).toEqual({ isNew: false, dropped: ['m-2'] });
  const found = await conversations.messages('anyone', 'begun', { limit: 9 });
  expect(found?.messages.map(({ id }) => id)).toEqual(['m-1', 'm-3']);

  const key = { scope: 'conversation', conversationId: 'c' } as const;
  for (const note of ['one', 'two']) {
    const appended = workingMemory.update('anyone', key, (content) => {
      // What is sent next is the write.
      loseNextAnswer();
      return [...(Array.isArray(content) ? content.map(String) : []), note];
    });
    expect(await appended).toBe(true);
  }
  expect(await workingMemory.read('anyone', key)).toEqual(['one', 'two']);

  await writeStream(storage.streams, loseNextAnswer);

  loseNextAnswer();
  expect((await conversations.find('anyone', 'c'))?.id).toBe('c');
  await storage.close();
});

async function writeStream(streams: StreamStore | undefined, loseNextAnswer: () => void): Promise<void> {
  if (streams === undefined) expect.fail('it keeps no streams');
  const place = { agentId: 'a', conversationId: 'c' };
  loseNextAnswer();
  expect(await streams.begin({ id: 's', ...place, userId: 'ada' }, 60_000)).toEqual({ kind: 'begun' });
  loseNextAnswer();
  expect(await streams.append('s', { after: 0, chunks: ['one', 'two'] }, 60_000)).toBe('appended');
  loseNextAnswer();
  expect(await streams.requestStop('anyone', place)).toBe(true);
  loseNextAnswer();
  expect(await streams.end('s', { after: 2, chunks: ['three'] })).toBe(true);
  loseNextAnswer();
  const read = await streams.read('s', { after: 0, limit: 9 });
  expect(read).toEqual({ chunks: ['one', 'two', 'three'], status: 'ended' });
}

/** A database whose connection breaks off, when it is told to, after a statement was run and before its answer has come. */
function openWithLosses() {
  let isLosing = false;
  const { open, openTimeoutMs } = inMemoryOpener();
  const openLosing = async (signal: AbortSignal): Promise<OpenedPool> => {
    const opened = await open(signal);
    const connect = async () => {
      const client = await opened.pool.connect();
      const query = async (text: string, values: readonly unknown[]) => {
        const answer = await client.query(text, values);
        if (!isLosing) return answer;
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
    loseNextAnswer: () => {
      isLosing = true;
    },
  };
}
