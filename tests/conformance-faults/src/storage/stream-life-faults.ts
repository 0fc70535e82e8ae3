import { all, beginning, reading, changingTexts, type StreamFault } from './stream-fault.ts';

const holds = 'keeps a stream live until its lease expires';
const prolongs = 'renews the lease with and without chunks';
const lost = 'treats a stream as lost after its lease has expired, whether another has begun or not';
const tellsWriter = 'reports a stop request to the writer with each append after it';
const stopsOne = 'stops only the live stream of a conversation, not an ended or a later one';
const discards = 'deletes a discarded stream, and no other';
const empty = { after: 0, chunks: [] };
const forgets = 'purges streams that ended long enough ago, and no live ones';
const forgetsLost = 'ends lost streams, and purges them later';
const few = 'purges at most as many streams as requested';
const ofUser = 'deletes the streams of a user, live ones too, and of no other user';
const values = 'returns chunks as they were written';
const ids = (which: string): string => `accepts any ids, ${which}`;

/** Faults of leases, stop requests, deletion and texts. */
export const streamLifeFaults: readonly StreamFault[] = [
  ['discards nothing', discards, () => ({ discard: async () => {} })],
  ['ends a discarded stream', discards, (store) => ({ discard: async (id) => void (await store.end(id, empty)) })],
  [
    'keeps a stream live longer than its lease',
    holds,
    (store) => ({ begin: (stream, leaseMs) => store.begin(stream, leaseMs + 1) }),
  ],
  ['keeps no stream live', holds, (store) => ({ begin: (stream) => store.begin(stream, 1) })],
  [
    'does not renew a lease without chunks',
    prolongs,
    (store) => ({
      append: async (id, append, leaseMs) =>
        append.chunks.length === 0 ? 'appended' : store.append(id, append, leaseMs),
    }),
  ],
  [
    'does not renew a lease for repeated chunks',
    prolongs,
    (store) => ({
      append: async (id, append, leaseMs) => {
        const count = (await store.read(id, all))?.chunks.length ?? 0;
        return append.chunks.length > 0 && append.after < count ? 'appended' : store.append(id, append, leaseMs);
      },
    }),
  ],
  [
    'never shortens a lease',
    prolongs,
    (store) => ({ append: (id, append, leaseMs) => store.append(id, append, Math.max(leaseMs, 60_000)) }),
  ],
  [
    'shows a stream as live until another begins',
    lost,
    reading((read) => (read.status === 'lost' ? { ...read, status: 'live' } : read)),
  ],
  [
    'returns no chunks of a lost stream',
    lost,
    reading((read) => (read.status === 'lost' ? { ...read, chunks: [] } : read)),
  ],
  [
    'ends a lost stream as if its writer were alive',
    lost,
    (store) => ({
      end: async (id, append) => (await store.end(id, append)) || (await store.read(id, all)) !== undefined,
    }),
  ],
  [
    'appends chunks to a lost stream',
    lost,
    (store) => ({
      append: async (id, append, leaseMs) => {
        const outcome = await store.append(id, append, leaseMs);
        return outcome === 'lost' ? 'appended' : outcome;
      },
    }),
  ],
  [
    'treats every late stream as lost',
    'keeps an ended stream ended after its lease has expired',
    (store, now) => {
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
  ],
  [
    'reports a stop request only once',
    tellsWriter,
    (store) => {
      const known = new Set<string>();
      return {
        append: async (id, append, leaseMs) => {
          const outcome = await store.append(id, append, leaseMs);
          if (outcome !== 'stop-requested') return outcome;
          if (known.has(id)) return 'appended';
          known.add(id);
          return outcome;
        },
      };
    },
  ],
  [
    'drops the chunks of an append that reports a stop request',
    tellsWriter,
    (store) => ({
      append: async (id, append, leaseMs) => {
        const outcome = await store.append(id, { ...append, chunks: [] }, leaseMs);
        return outcome === 'appended' ? store.append(id, append, leaseMs) : outcome;
      },
    }),
  ],
  [
    'ignores the agent of a stop request',
    stopsOne,
    (store) => ({
      requestStop: async (owner, place) =>
        (await store.requestStop(owner, { ...place, agentId: 'writer' })) || store.requestStop(owner, place),
    }),
  ],
  [
    'stops the next stream, too',
    stopsOne,
    (store) => {
      const places = new Set<string>();
      return {
        requestStop: async (owner, place) => {
          places.add(place.conversationId);
          return store.requestStop(owner, place);
        },
        begin: async (stream, leaseMs) => {
          const outcome = await store.begin(stream, leaseMs);
          if (places.has(stream.conversationId)) await store.requestStop('anyone', stream);
          return outcome;
        },
      };
    },
  ],
  ['purges all ended streams', forgets, (store) => ({ purge: (_olderThanMs, limit) => store.purge(0, limit) })],
  [
    'finds no live stream after a purge',
    forgets,
    (store) => {
      let hasPurged = false;
      return {
        purge: async (olderThanMs, limit) => {
          const purged = await store.purge(olderThanMs, limit);
          hasPurged ||= purged > 0;
          return purged;
        },
        findLive: async (owner, place) => (hasPurged ? undefined : store.findLive(owner, place)),
      };
    },
  ],
  ['purges nothing', forgets, () => ({ purge: async () => 0 })],
  [
    'never purges lost streams',
    forgetsLost,
    (store) => ({
      purge: async (olderThanMs, limit) =>
        (await store.read('lost', all)) === undefined ? store.purge(olderThanMs, limit) : 0,
    }),
  ],
  ['ignores the limit of a purge', few, (store) => ({ purge: (olderThanMs) => store.purge(olderThanMs, 1_000) })],
  [
    'deletes only the ended streams of a user',
    ofUser,
    (store) => ({
      deleteUser: async (userId) => {
        const live = await store.findLive({ user: userId }, { agentId: 'writer', conversationId: 'talk' });
        const read = live && (await store.read(live.id, all));
        const deleted = await store.deleteUser(userId);
        if (live === undefined || read === undefined) return deleted;
        await store.begin(live, 60_000);
        await store.append(live.id, { after: 0, chunks: read.chunks }, 60_000);
        return deleted - 1;
      },
    }),
  ],
  [
    'deletes the streams of users with the same prefix',
    ofUser,
    (store) => ({
      deleteUser: async (userId) => {
        if (userId === 'ada') await store.deleteUser('ada2');
        return store.deleteUser(userId);
      },
    }),
  ],
  [
    'does not count the deleted streams',
    ofUser,
    (store) => ({ deleteUser: async (id) => (await store.deleteUser(id)) && 0 }),
  ],
  ['removes NUL', values, changingTexts((text) => text.replaceAll('\0', ''))],
  ['replaces unpaired surrogates', values, changingTexts((text) => text.toWellFormed())],
  ['trims chunks', values, changingTexts((text) => text.trim())],
  ['cuts long chunks', values, changingTexts((text) => text.slice(0, 65_535))],
  ['drops empty chunks', values, reading((read) => ({ ...read, chunks: read.chunks.filter((chunk) => chunk !== '') }))],
  [
    'inserts ids into queries',
    ids('that look like a query'),
    beginning((stream) => ({ ...stream, id: stream.id.replaceAll("'", "''") })),
  ],
  [
    'removes characters from ids that databases refuse',
    ids('that many databases refuse'),
    beginning((stream) => ({ ...stream, userId: stream.userId?.toWellFormed() })),
  ],
  [
    'uses user ids as keys of an object',
    ids('that are names of Object.prototype'),
    (store) => ({ deleteUser: async (userId) => (userId in {} ? 0 : store.deleteUser(userId)) }),
  ],
];
