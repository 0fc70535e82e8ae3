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
  ['finds the farthest first', nearest, finding((matches) => matches.toReversed())],
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
    'looks at the length of vectors',
    'compares the direction of vectors, not their length',
    finding((matches, { embedding }) =>
      matches.map((match) => ({ ...match, score: match.score * Math.hypot(...embedding) })),
    ),
  ],
  [
    'gives what points away a score below 0',
    away,
    finding((matches) => matches.map((match) => ({ ...match, score: match.score === 0 ? -1 : match.score }))),
  ],
  [
    'gives what lies across a score of a half',
    away,
    finding((matches) => matches.map((match) => ({ ...match, score: (match.score + 1) / 2 }))),
  ],
  ['does not find what points away', threshold, finding((matches) => matches.filter(({ score }) => score > 0))],
  [
    'finds only what is above the threshold',
    threshold,
    finding((matches, query) => matches.filter(({ score }) => score > query.threshold + 1e-9)),
  ],
  ['does not look at the threshold', threshold, searching((query) => ({ ...query, threshold: 0 }))],
  [
    'finds at least three',
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
    'finds zeros first',
    zeros,
    finding((matches) =>
      matches.toSorted((one, other) => Number(other.messageId === 'zero') - Number(one.messageId === 'zero')),
    ),
  ],
  ['finds for everybody', own, (store) => ({ search: (_owner, query) => store.search('anyone', query) })],
  [
    'finds for anyone only what is nobody’s',
    own,
    (store) => ({ search: async (owner, query) => (owner === 'anyone' ? [] : store.search(owner, query)) }),
  ],
  [
    'looks at the user asked for, and not at the owner',
    'finds nothing of another user or of another user’s conversation',
    (store) => ({ search: (owner, query) => store.search(query.userId === undefined ? owner : 'anyone', query) }),
  ],
  [
    'looks at the conversation asked for, and not at the owner',
    'finds nothing of another user or of another user’s conversation',
    (store) => ({
      search: (owner, query) => store.search(query.conversationId === undefined ? owner : 'anyone', query),
    }),
  ],
  ['does not look at the conversation', filters, searching(({ conversationId: _left, ...query }) => query)],
  ['does not look at the user', filters, searching(({ userId: _left, ...query }) => query)],
  [
    'looks at the user or the conversation',
    filters,
    searching(({ userId, ...query }) =>
      query.conversationId === undefined && userId !== undefined ? { ...query, userId } : query,
    ),
  ],
  [
    'takes an empty conversation for none',
    filters,
    searching(({ conversationId, ...query }) => (conversationId ? { ...query, conversationId } : query)),
  ],
  [
    'looks at owners after the limit',
    beforeLimit,
    (store) => ({
      search: async (owner, query) =>
        (await store.search('anyone', query)).filter(({ userId }) => owner === 'anyone' || userId === owner.user),
    }),
  ],
  [
    'looks at conversations among the nearest hundred',
    beforeLimit,
    (store) => ({
      search: async (owner, { conversationId, ...query }) =>
        (await store.search(owner, { ...query, limit: 100 }))
          .filter((match) => match.conversationId === (conversationId ?? match.conversationId))
          .slice(0, query.limit),
    }),
  ],
  [
    'finds something where nothing is',
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
