import type { VectorMatch, VectorQuery, VectorStore } from '@halyard/contracts';

/** The fault of a store, the case that must find it, and its implementation. */
export type VectorFault = readonly [fault: string, foundBy: string, (store: VectorStore) => Partial<VectorStore>];

const nearest = 'finds the best matches first, with the cosine as score';
const away = 'returns scores from 0 to 1, with 0 for negative cosines';
const threshold = 'finds all vectors that reach the threshold, and none below it';
const zeros = 'accepts vectors of zeros';
const own = 'finds only vectors of the owner, and for anyone all';
const filters = 'filters by conversation, by user and by both';
const beforeLimit = 'finds matches of the filter although many other vectors are nearer';

/** Faults of searches. */
export const vectorFaults: readonly VectorFault[] = [
  ['returns the worst matches first', nearest, finding((matches) => matches.toReversed())],
  [
    'has the distance for a score',
    nearest,
    finding((matches) => matches.map((match) => ({ ...match, score: 1 - match.score }))),
  ],
  [
    'has the angle for a score',
    nearest,
    finding((matches) =>
      matches.map((match) => ({ ...match, score: 1 - Math.acos(Math.min(1, match.score)) / Math.PI })),
    ),
  ],
  [
    'depends on the length of vectors',
    'compares the direction of vectors, not their length',
    finding((matches, { embedding }) =>
      matches.map((match) => ({ ...match, score: match.score * Math.hypot(...embedding) })),
    ),
  ],
  [
    'returns negative scores',
    away,
    finding((matches) => matches.map((match) => ({ ...match, score: match.score === 0 ? -1 : match.score }))),
  ],
  [
    'returns a score of 0.5 for orthogonal vectors',
    away,
    finding((matches) => matches.map((match) => ({ ...match, score: (match.score + 1) / 2 }))),
  ],
  ['does not find what points away', threshold, finding((matches) => matches.filter(({ score }) => score > 0))],
  [
    'excludes scores equal to the threshold',
    threshold,
    finding((matches, query) => matches.filter(({ score }) => score > query.threshold + 1e-9)),
  ],
  ['ignores the threshold', threshold, searching((query) => ({ ...query, threshold: 0 }))],
  [
    'returns at least three matches',
    'finds at most as many vectors as requested, and nothing in an empty store',
    searching((query) => ({ ...query, limit: Math.max(3, query.limit) })),
  ],
  [
    'has no number for the score of zeros',
    zeros,
    finding((matches) =>
      matches.map((match) =>
        match.messageId === 'zero' && match.score === 0 ? { ...match, score: Number.NaN } : match,
      ),
    ),
  ],
  [
    'returns vectors of zeros first',
    zeros,
    finding((matches) =>
      matches.toSorted((one, other) => Number(other.messageId === 'zero') - Number(one.messageId === 'zero')),
    ),
  ],
  ['ignores the owner when it finds', own, (store) => ({ search: (_owner, query) => store.search('anyone', query) })],
  [
    'finds for anyone only vectors without a user',
    own,
    (store) => ({ search: async (owner, query) => (owner === 'anyone' ? [] : store.search(owner, query)) }),
  ],
  [
    'applies the requested user instead of the owner',
    'finds nothing of another user or of another user’s conversation',
    (store) => ({ search: (owner, query) => store.search(query.userId === undefined ? owner : 'anyone', query) }),
  ],
  [
    'applies the requested conversation without the owner',
    'finds nothing of another user or of another user’s conversation',
    (store) => ({
      search: (owner, query) => store.search(query.conversationId === undefined ? owner : 'anyone', query),
    }),
  ],
  ['ignores the conversation', filters, searching(({ conversationId: _left, ...query }) => query)],
  ['ignores the user', filters, searching(({ userId: _left, ...query }) => query)],
  [
    'matches the user or the conversation',
    filters,
    searching(({ userId, ...query }) =>
      query.conversationId === undefined && userId !== undefined ? { ...query, userId } : query,
    ),
  ],
  [
    'treats an empty conversation id as absent',
    filters,
    searching(({ conversationId, ...query }) => (conversationId ? { ...query, conversationId } : query)),
  ],
  [
    'applies the owner after the limit',
    beforeLimit,
    (store) => ({
      search: async (owner, query) =>
        (await store.search('anyone', query)).filter(({ userId }) => owner === 'anyone' || userId === owner.user),
    }),
  ],
  [
    'filters by conversation among the best hundred matches only',
    beforeLimit,
    (store) => ({
      search: async (owner, { conversationId, ...query }) =>
        (await store.search(owner, { ...query, limit: 100 }))
          .filter((match) => match.conversationId === (conversationId ?? match.conversationId))
          .slice(0, query.limit),
    }),
  ],
  [
    'finds vectors in an empty store',
    'is available, and does nothing for empty inputs and unknown ids',
    () => ({
      search: async () => [
        { conversationId: '', messageId: '', userId: '', role: 'user', text: '', createdAt: 0, score: 0 },
      ],
    }),
  ],
];

function finding(
  change: (matches: readonly VectorMatch[], query: VectorQuery) => readonly VectorMatch[],
): VectorFault[2] {
  return (store) => ({ search: async (owner, query) => change(await store.search(owner, query), query) });
}

function searching(change: (query: VectorQuery) => VectorQuery): VectorFault[2] {
  return (store) => ({ search: (owner, query) => store.search(owner, change(query)) });
}
