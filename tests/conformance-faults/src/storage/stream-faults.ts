import type { FaultTable } from '../faults.ts';
import { adding, all, passing, beginning, reading, returning, type StreamFault } from './stream-fault.ts';

/** Faults of beginning, appending and ending. */
export const streamFaults: FaultTable<StreamFault> = {
  'begins one live stream of a conversation, and returns it to a second caller': returning('findLive', (live) => ({
    ...live,
    startedAt: live.startedAt / 1_000 + 0.5,
  })),
  'begins the stream of one of several concurrent calls when a lease has expired': reading((read) =>
    read.status === 'lost' ? undefined : read,
  ),
  // Begins one stream of a conversation.
  'begins another stream after the first has ended': (store) => {
    const begun = new Map<string, Parameters<typeof store.begin>[0]>();
    return {
      begin: async (stream, leaseMs) => {
        const before = begun.get(stream.conversationId);
        if (before !== undefined) return { kind: 'busy', live: { ...before, startedAt: 1 } };
        begun.set(stream.conversationId, stream);
        return store.begin(stream, leaseMs);
      },
    };
  },
  // Treats a repeated call as a new one.
  'gives a repeated call the same result': (store) => ({
    begin: async (stream, leaseMs) => {
      const live = await store.findLive('anyone', stream);
      return live?.userId === stream.userId && live !== undefined
        ? { kind: 'busy', live }
        : store.begin(stream, leaseMs);
    },
  }),
  'separates streams of different conversations, of different users and without a user': beginning((stream) => ({
    ...stream,
    userId: 'ada',
  })),
  'stores chunks in order, and reads any number from any position': [
    passing('read', (id, { after }) => [id, { ...all, after }]),
    reading((read) => ({ ...read, chunks: read.chunks.toSorted() })),
  ],
  'stores thousands of chunks, many of them in one call': reading((read, { after }) => ({
    ...read,
    chunks: read.chunks.slice(0, Math.max(0, 1_000 - after)),
  })),
  'adds repeated chunks once, also when new chunks follow them': adding(({ chunks }, count) => ({
    after: count,
    chunks,
  })),
  'refuses chunks after a gap, and adds none of them': adding((append, count) => ({
    ...append,
    after: Math.min(append.after, count),
  })),
  'ends a stream with its last chunks, and does not change it afterwards': passing('end', (id) => [
    id,
    { after: 0, chunks: [] },
  ]),
  'has no data of a stream that never began': returning('end', (result) => result || true),
  // Stores the passed array.
  'returns chunks that later calls do not change': (store) => {
    const lists = new Map<string, readonly string[]>();
    return {
      append: async (id, append, leaseMs) => {
        if (append.after === 0) lists.set(id, append.chunks);
        return store.append(id, append, leaseMs);
      },
      read: async (id, range) => {
        const read = await store.read(id, range);
        const first = lists.get(id) ?? [];
        return read && { ...read, chunks: [...first, ...read.chunks.slice(first.length)] };
      },
    };
  },
  // Checks for a live stream, and begins one later.
  'begins the stream of one of several concurrent calls': (store) => ({
    begin: async (stream, leaseMs) => {
      const live = await store.findLive('anyone', stream);
      if (live !== undefined) return { kind: 'busy', live };
      await store.begin(stream, leaseMs);
      return { kind: 'begun' };
    },
  }),
};
