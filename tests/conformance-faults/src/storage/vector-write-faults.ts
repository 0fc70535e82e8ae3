import { ConfigurationError, type MessageVector } from '@halyard/contracts';
import { pause } from './conversation-fault.ts';
import type { VectorFault } from './vector-faults.ts';

const replaces = 'replaces the whole vector of a message, and no other';
const ofMessages = 'deletes the vectors of messages in their conversation only';
const ofUser = 'deletes the vectors of a user in all conversations, and of no other user';
const refused = 'refuses vectors with another number of dimensions, names both numbers, and keeps the stored ones';

/** Faults of writing, replacing, deleting and refusing. */
export const vectorWriteFaults: readonly VectorFault[] = [
  [
    'keeps the text of a replaced vector',
    replaces,
    upserting((vectors) => vectors.map((vector) => ({ ...vector, text: `Text of ${vector.messageId}` }))),
  ],
  [
    'keeps the user of a replaced vector',
    replaces,
    upserting((vectors) => vectors.map((vector) => ({ ...vector, userId: 'ada' }))),
  ],
  [
    'identifies vectors by the message id alone',
    replaces,
    (store) => {
      const places = new Map<string, string>();
      return {
        upsert: async (vectors) => {
          for (const { messageId, conversationId } of vectors) {
            const before = places.get(messageId);
            if (before !== undefined && before !== conversationId) await store.deleteMessages(before, [messageId]);
            places.set(messageId, conversationId);
          }
          await store.upsert(vectors);
        },
      };
    },
  ],
  [
    'stores the first of several vectors of one message',
    'stores the last of several vectors of one message in one call',
    upserting((vectors) => vectors.toReversed()),
  ],
  [
    'deletes the vectors of messages in all conversations',
    ofMessages,
    (store) => ({
      deleteMessages: async (_id, ids) => {
        for (const conversationId of ['c-1', 'c-2']) await store.deleteMessages(conversationId, ids);
      },
    }),
  ],
  [
    'deletes one vector at a time',
    ofMessages,
    (store) => ({ deleteMessages: (id, ids) => store.deleteMessages(id, ids.slice(0, 1)) }),
  ],
  [
    'deletes all vectors of a conversation for an empty list of messages',
    ofMessages,
    (store) => ({
      deleteMessages: (id, ids) => (ids.length === 0 ? store.deleteConversation(id) : store.deleteMessages(id, ids)),
    }),
  ],
  [
    'deletes conversations that begin alike',
    'deletes the vectors of a conversation, and of no other',
    (store) => ({
      deleteConversation: async (id) => {
        for (const other of [id, `${id}2`]) await store.deleteConversation(other);
      },
    }),
  ],
  [
    'deletes the vectors of a user in one conversation',
    ofUser,
    (store) => ({ deleteUser: (id) => store.deleteMessages('c-1', [`of ${id}`]) }),
  ],
  [
    'treats user ids as patterns',
    ofUser,
    (store) => ({
      deleteUser: async (id) => {
        for (const other of id === 'ad_' ? ['ada2', id] : [id]) await store.deleteUser(other);
      },
    }),
  ],
  [
    'writes a vector twice that is written at the same time',
    'stores all concurrent writes, and one vector of a message that several of them write, in any order',
    (store) => {
      let copies = 0;
      return {
        upsert: async (vectors) => {
          const isThere = new Set(
            (await store.search('anyone', { embedding: [1, 0], limit: 1_000, threshold: 0 })).map(
              ({ messageId }) => messageId,
            ),
          );
          await pause();
          copies += 1;
          await store.upsert(
            vectors.map((vector) =>
              vector.messageId === 's-1' && !isThere.has('s-1') ? { ...vector, messageId: `s-1 ${copies}` } : vector,
            ),
          );
        },
      };
    },
  ],
  [
    'accepts any number of dimensions',
    refused,
    upserting((vectors) =>
      vectors.map((vector) => ({ ...vector, embedding: [vector.embedding[0] ?? 0, vector.embedding[1] ?? 0] })),
    ),
  ],
  [
    'does not name the number of dimensions',
    refused,
    refusing(() => new ConfigurationError('The embedding does not fit')),
  ],
  ['throws an error of its driver', refused, refusing((message) => new TypeError(message))],
  [
    'returns nothing for another number of dimensions instead of throwing',
    'refuses to search with another number of dimensions, and names both numbers',
    (store) => ({ search: (owner, query) => store.search(owner, query).catch(() => []) }),
  ],
  [
    'writes the vectors before the one that it refuses',
    'refuses vectors with different numbers of dimensions in one call, and writes none of them',
    (store) => ({
      upsert: async (vectors) => {
        for (const vector of vectors) await store.upsert([vector]);
      },
    }),
  ],
  [
    'does not throw when it refuses vectors',
    'accepts one number of dimensions when concurrent first writes differ',
    (store) => ({ upsert: (vectors) => store.upsert(vectors).catch(() => {}) }),
  ],
  ...[1, 384, 1_536, 3_072].map((dimensions): VectorFault => [
    `cannot hold ${dimensions} dimensions`,
    `finds vectors of ${dimensions} dimensions`,
    upserting((vectors) => vectors.filter(({ embedding }) => embedding.length !== dimensions)),
  ]),
  [
    'treats an empty text as absent',
    texts('an empty text'),
    upserting((vectors) => vectors.filter(({ text }) => text !== '')),
  ],
  [
    'cuts texts',
    texts('a text of a megabyte'),
    upserting((vectors) => vectors.map((vector) => ({ ...vector, text: vector.text.slice(0, 65_535) }))),
  ],
  [
    'composes characters',
    texts('other scripts and controls'),
    upserting((vectors) => vectors.map((vector) => ({ ...vector, text: vector.text.normalize() }))),
  ],
  [
    'removes NUL',
    texts('values that many databases refuse'),
    upserting((vectors) => vectors.map((vector) => ({ ...vector, text: vector.text.replaceAll('\0', '') }))),
  ],
  [
    'doubles quotes',
    texts('text that looks like a query'),
    upserting((vectors) => vectors.map((vector) => ({ ...vector, text: vector.text.replaceAll("'", "''") }))),
  ],
  [
    'stores times in seconds',
    texts('an empty text'),
    upserting((vectors) =>
      vectors.map((vector) => ({ ...vector, createdAt: Math.floor(vector.createdAt / 1_000) * 1_000 })),
    ),
  ],
  [
    'stores only the roles user and assistant',
    texts('an empty text'),
    upserting((vectors) =>
      vectors.map((vector) => ({ ...vector, role: vector.role === 'user' ? 'user' : 'assistant' })),
    ),
  ],
  [
    'trims ids',
    'accepts ids with any characters',
    upserting((vectors) => vectors.map((vector) => ({ ...vector, messageId: vector.messageId.trim() }))),
  ],
  [
    'stores the passed objects',
    'is not affected by later changes of passed objects',
    (store) => {
      const given: MessageVector[] = [];
      return {
        upsert: async (vectors) => void given.push(...vectors),
        search: async (owner, query) => {
          await store.upsert(given);
          return store.search(owner, query);
        },
      };
    },
  ],
];

function texts(which: string): string {
  return `returns the fields of a vector as they were written: ${which}`;
}

function upserting(change: (vectors: readonly MessageVector[]) => readonly MessageVector[]): VectorFault[2] {
  return (store) => ({ upsert: (vectors) => store.upsert(change(vectors)) });
}

/** Refuses with a different error. */
function refusing(toError: (message: string) => Error): VectorFault[2] {
  return (store) => ({
    upsert: (vectors) =>
      store.upsert(vectors).catch((error: unknown) => {
        throw toError(error instanceof Error ? error.message : '');
      }),
  });
}
