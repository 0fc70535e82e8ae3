import { adding, all, beginning, reading, type StreamFault } from './stream-fault.ts';

const one = 'begins one live stream of a conversation, and returns it to a second caller';
const parallel = 'begins the stream of one of several concurrent calls';
const afterLease = 'begins the stream of one of several concurrent calls when a lease has expired';
const apart = 'separates streams of different conversations, of different users and without a user';
const inOrder = 'stores chunks in order, and reads any number from any position';
const thousands = 'stores thousands of chunks, many of them in one call';
const once = 'adds repeated chunks once, also when new chunks follow them';
const gap = 'refuses chunks after a gap, and adds none of them';
const ends = 'ends a stream with its last chunks, and does not change it afterwards';
const never = 'has no data of a stream that never began';

/** Faults of beginning, appending and ending. */
export const streamFaults: readonly StreamFault[] = [
  [
    'allows one live stream per agent',
    one,
    beginning((stream) => ({ ...stream, conversationId: `${stream.agentId} ${stream.conversationId}` })),
  ],
  [
    'returns the second stream as the live one',
    one,
    (store) => ({
      begin: async (stream, leaseMs) => {
        const outcome = await store.begin(stream, leaseMs);
        return outcome.kind === 'busy' ? { ...outcome, live: { ...outcome.live, id: stream.id } } : outcome;
      },
    }),
  ],
  [
    'stores the start time in seconds',
    one,
    (store) => ({
      findLive: async (owner, place) => {
        const live = await store.findLive(owner, place);
        return live && { ...live, startedAt: live.startedAt / 1_000 + 0.5 };
      },
    }),
  ],
  [
    'stores the second stream as well',
    one,
    (store) => ({
      begin: async (stream, leaseMs) => {
        const outcome = await store.begin(stream, leaseMs);
        if (outcome.kind === 'busy') await store.begin({ ...stream, conversationId: stream.id }, leaseMs);
        return outcome;
      },
    }),
  ],
  ...([parallel, afterLease] as const).map((foundBy): StreamFault => [
    `checks for a live stream, and begins one later: ${foundBy === parallel ? 'at first' : 'after a lease'}`,
    foundBy,
    (store) => ({
      begin: async (stream, leaseMs) => {
        const live = await store.findLive('anyone', stream);
        if (live !== undefined) return { kind: 'busy', live };
        await store.begin(stream, leaseMs);
        return { kind: 'begun' };
      },
    }),
  ]),
  ['returns nothing for a lost stream', afterLease, reading((read) => (read.status === 'lost' ? undefined : read))],
  [
    'begins one stream of a conversation',
    'begins another stream after the first has ended',
    (store) => {
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
  ],
  [
    'treats a repeated call as a new one',
    'gives a repeated call the same result',
    (store) => ({
      begin: async (stream, leaseMs) => {
        const live = await store.findLive('anyone', stream);
        return live?.userId === stream.userId && live !== undefined
          ? { kind: 'busy', live }
          : store.begin(stream, leaseMs);
      },
    }),
  ],
  ['allows one live stream for all users', apart, beginning((stream) => ({ ...stream, userId: 'ada' }))],
  [
    'treats an absent user as a user with an empty id',
    apart,
    beginning((stream) => ({ ...stream, userId: stream.userId ?? '' })),
  ],
  [
    'ignores the case of conversation ids',
    apart,
    beginning((stream) => ({ ...stream, conversationId: stream.conversationId.toLowerCase() })),
  ],
  [
    'allows only one live stream of a conversation id for all users',
    apart,
    (store) => ({
      begin: (stream, leaseMs) =>
        store.begin(stream.userId === undefined ? { ...stream, conversationId: stream.id } : stream, leaseMs),
    }),
  ],
  [
    'reads from a chunk too early',
    inOrder,
    (store) => ({ read: (id, { after, limit }) => store.read(id, { after: Math.max(0, after - 1), limit }) }),
  ],
  ['ignores the limit of a read', inOrder, (store) => ({ read: (id, { after }) => store.read(id, { ...all, after }) })],
  [
    'returns only chunks of one call',
    inOrder,
    (store) => ({ read: (id, { after, limit }) => store.read(id, { after, limit: Math.min(limit, 6) }) }),
  ],
  ['orders chunks by their texts', inOrder, reading((read) => ({ ...read, chunks: read.chunks.toSorted() }))],
  [
    'stores only a thousand chunks',
    thousands,
    reading((read, { after }) => ({ ...read, chunks: read.chunks.slice(0, Math.max(0, 1_000 - after)) })),
  ],
  ['adds repeated chunks again', once, adding(({ chunks }, count) => ({ after: count, chunks }))],
  [
    'treats overlapping chunks as repeated',
    once,
    adding((append, count) => (append.after < count ? { after: append.after, chunks: [] } : append)),
  ],
  [
    'adds overlapping chunks as a whole',
    once,
    adding((append, count) =>
      append.after < count && append.after + append.chunks.length > count ? { ...append, after: count } : append,
    ),
  ],
  ['adds chunks after a gap', gap, adding((append, count) => ({ ...append, after: Math.min(append.after, count) }))],
  [
    'reports a gap as a lost stream',
    gap,
    (store) => ({ append: (id, append, leaseMs) => store.append(id, append, leaseMs).catch(() => 'lost') }),
  ],
  [
    'ends a stream after a gap',
    gap,
    (store) => ({ end: (id, append) => store.end(id, append).catch(() => store.end(id, { after: 0, chunks: [] })) }),
  ],
  [
    'ends a stream without its last chunks',
    ends,
    (store) => ({ end: (id) => store.end(id, { after: 0, chunks: [] }) }),
  ],
  [
    'reports an ended stream as lost when it ends again',
    ends,
    (store) => ({
      end: async (id, append) => (await store.read(id, all))?.status === 'live' && store.end(id, append),
    }),
  ],
  [
    'shows the end only with the last chunk',
    ends,
    reading((read, { after, limit }) => (after + limit < 4 ? { ...read, status: 'live' } : read)),
  ],
  [
    'finds a stream for every id',
    never,
    (store) => ({ read: async (id, range) => (await store.read(id, range)) ?? { chunks: [], status: 'lost' } }),
  ],
  [
    'throws an error for chunks of an unknown stream',
    never,
    (store) => ({
      append: async (id, append, leaseMs) =>
        (await store.read(id, all)) === undefined
          ? Promise.reject(new ReferenceError('not there'))
          : store.append(id, append, leaseMs),
    }),
  ],
  [
    'reports that an unknown stream has ended',
    never,
    (store) => ({ end: async (id, append) => (await store.end(id, append)) || true }),
  ],
  [
    'stores the passed array',
    'returns chunks that later calls do not change',
    (store) => {
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
  ],
];
