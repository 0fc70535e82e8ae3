import type { FaultTable } from '../faults.ts';
import { all, passing, beginning, changingTexts, returning, type StreamFault } from './stream-fault.ts';

/** Faults of leases, stop requests, deletion and texts. */
export const streamLifeFaults: FaultTable<StreamFault> = {
  'deletes a discarded stream, and no other': () => ({ discard: async () => {} }),
  'keeps a stream live until its lease expires': [
    passing('begin', (stream, leaseMs) => [stream, leaseMs + 1]),
    passing('begin', (stream) => [stream, 1]),
  ],
  'renews the lease with and without chunks': passing('append', (id, append, leaseMs) => [
    id,
    append,
    Math.max(leaseMs, 60_000),
  ]),
  'treats a stream as lost after its lease has expired, whether another has begun or not': returning(
    'append',
    (outcome) => (outcome === 'lost' ? 'appended' : outcome),
  ),
  // Treats every late stream as lost.
  'keeps an ended stream ended after its lease has expired': (store, now) => {
    const begunAt = new Map<string, number>();
    return {
      begin: (stream, leaseMs) => {
        begunAt.set(stream.id, now());
        return store.begin(stream, leaseMs);
      },
      read: async (id, range) => {
        const read = await store.read(id, range);
        return read && now() - (begunAt.get(id) ?? 0) >= 120_000 ? { ...read, status: 'lost' } : read;
      },
    };
  },
  // Drops the chunks of an append that reports a stop request.
  'reports a stop request to the writer with each append after it': (store) => ({
    append: async (id, append, leaseMs) => {
      const outcome = await store.append(id, { ...append, chunks: [] }, leaseMs);
      return outcome === 'appended' ? store.append(id, append, leaseMs) : outcome;
    },
  }),
  'stops only the live stream of a conversation, not an ended or a later one': (store) => ({
    requestStop: async (owner, place) =>
      (await store.requestStop(owner, { ...place, agentId: 'writer' })) || store.requestStop(owner, place),
  }),
  'purges streams that ended long enough ago, and no live ones': [
    passing('purge', (_olderThanMs, limit) => [0, limit]),
    () => ({ purge: async () => 0 }),
  ],
  'ends lost streams, and purges them later': (store) => ({
    purge: async (olderThanMs, limit) =>
      (await store.read('lost', all)) === undefined ? store.purge(olderThanMs, limit) : 0,
  }),
  'purges at most as many streams as requested': passing('purge', (olderThanMs) => [olderThanMs, 1_000]),
  'deletes the streams of a user, live ones too, and of no other user': returning(
    'deleteUser',
    (result) => result && 0,
  ),
  'returns chunks as they were written': changingTexts((text) => text.trim()),
  'accepts any ids, that look like a query': beginning((stream) => ({
    ...stream,
    id: stream.id.replaceAll("'", "''"),
  })),
  'accepts any ids, that many databases refuse': beginning((stream) => ({
    ...stream,
    userId: stream.userId?.toWellFormed(),
  })),
  'accepts any ids, that are names of Object.prototype': (store) => ({
    deleteUser: async (userId) => (userId in {} ? 0 : store.deleteUser(userId)),
  }),
};
