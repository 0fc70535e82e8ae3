import type { VectorMatch, VectorQuery } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, ownerless, returning, type VectorFault } from './vector-fault.ts';

/** Faults of searches. */
export const vectorFaults: FaultTable<VectorFault> = {
  'finds the best matches first, with the cosine as score': finding((matches) => matches.toReversed()),
  'compares the direction of vectors, not their length': finding((matches, { embedding }) =>
    matches.map((match) => ({ ...match, score: match.score * Math.hypot(...embedding) })),
  ),
  'returns scores from 0 to 1, with 0 for negative cosines': finding((matches) =>
    matches.map((match) => ({ ...match, score: (match.score + 1) / 2 })),
  ),
  'finds all vectors that reach the threshold, and none below it': [
    finding((matches) => matches.filter(({ score }) => score > 0)),
    searching((query) => ({ ...query, threshold: 0 })),
  ],
  'finds at most as many vectors as requested, and nothing in an empty store': searching((query) => ({
    ...query,
    limit: Math.max(3, query.limit),
  })),
  'accepts vectors of zeros': finding((matches) =>
    matches.toSorted((one, other) => Number(other.messageId === 'zero') - Number(one.messageId === 'zero')),
  ),
  'finds only vectors of the owner, and for anyone all': ownerless('search'),
  'finds nothing of another user or of another user’s conversation': passing('search', (owner, query) => [
    query.userId === undefined ? owner : 'anyone',
    query,
  ]),
  'filters by conversation, by user and by both': [
    searching(({ conversationId: _left, ...query }) => query),
    searching(({ userId: _left, ...query }) => query),
  ],
  'finds matches of the filter although many other vectors are nearer': (store) => ({
    search: async (owner, query) =>
      (await store.search('anyone', query)).filter(({ userId }) => owner === 'anyone' || userId === owner.user),
  }),
  // Finds vectors in an empty store.
  'is available, and does nothing for empty inputs and unknown ids': () => ({
    search: async () => [
      { conversationId: '', messageId: '', userId: '', role: 'user', text: '', createdAt: 0, score: 0 },
    ],
  }),
};

function finding(change: (matches: readonly VectorMatch[], query: VectorQuery) => readonly VectorMatch[]): VectorFault {
  return returning('search', (matches, _owner, query) => change(matches, query));
}

function searching(change: (query: VectorQuery) => VectorQuery): VectorFault {
  return passing('search', (owner, query) => [owner, change(query)]);
}
