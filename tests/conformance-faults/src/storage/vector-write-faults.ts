import type { MessageVector } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import { passing, type VectorFault } from './vector-fault.ts';

/** Faults of writing, replacing, deleting and refusing. */
export const vectorWriteFaults: FaultTable<VectorFault> = {
  'replaces the whole vector of a message, and no other': upserting((vectors) =>
    vectors.map((vector) => ({ ...vector, userId: 'ada' })),
  ),
  'stores the last of several vectors of one message in one call': upserting((vectors) => vectors.toReversed()),
  'deletes the vectors of messages in their conversation only': passing('deleteMessages', (id, ids) => [
    id,
    ids.slice(0, 1),
  ]),
  // Deletes conversations that begin alike.
  'deletes the vectors of a conversation, and of no other': (store) => ({
    deleteConversation: async (id) => {
      for (const other of [id, `${id}2`]) await store.deleteConversation(other);
    },
  }),
  'deletes the vectors of a user in all conversations, and of no other user': (store) => ({
    deleteUser: (id) => store.deleteMessages('c-1', [`of ${id}`]),
  }),
  // Writes a vector twice that is written at the same time.
  'stores all concurrent writes, and one vector of a message that several of them write, in any order': (store) => {
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
  'refuses vectors with another number of dimensions, names both numbers, and keeps the stored ones': refusing(
    (message) => new TypeError(message),
  ),
  'refuses to search with another number of dimensions, and names both numbers': (store) => ({
    search: (owner, query) => store.search(owner, query).catch(() => []),
  }),
  // Writes the vectors before the one that it refuses.
  'refuses vectors with different numbers of dimensions in one call, and writes none of them': (store) => ({
    upsert: async (vectors) => {
      for (const vector of vectors) await store.upsert([vector]);
    },
  }),
  'accepts one number of dimensions when concurrent first writes differ': (store) => ({
    upsert: (vectors) => store.upsert(vectors).catch(() => {}),
  }),
  [texts('an empty text')]: upserting((vectors) => vectors.filter(({ text }) => text !== '')),
  [texts('a text of a megabyte')]: upserting((vectors) =>
    vectors.map((vector) => ({ ...vector, text: vector.text.slice(0, 65_535) })),
  ),
  [texts('other scripts and controls')]: upserting((vectors) =>
    vectors.map((vector) => ({ ...vector, text: vector.text.normalize() })),
  ),
  [texts('values that many databases refuse')]: upserting((vectors) =>
    vectors.map((vector) => ({ ...vector, text: vector.text.replaceAll('\0', '') })),
  ),
  [texts('text that looks like a query')]: upserting((vectors) =>
    vectors.map((vector) => ({ ...vector, text: vector.text.replaceAll("'", "''") })),
  ),
  'accepts ids with any characters': upserting((vectors) =>
    vectors.map((vector) => ({ ...vector, messageId: vector.messageId.trim() })),
  ),
  // Stores the passed objects.
  'is not affected by later changes of passed objects': (store) => {
    const given: MessageVector[] = [];
    return {
      upsert: async (vectors) => void given.push(...vectors),
      search: async (owner, query) => {
        await store.upsert(given);
        return store.search(owner, query);
      },
    };
  },
  ...Object.fromEntries(
    [1, 384, 1_536, 3_072].map((dimensions) => [
      `finds vectors of ${dimensions} dimensions`,
      upserting((vectors) => vectors.filter(({ embedding }) => embedding.length !== dimensions)),
    ]),
  ),
};

function texts(which: string): string {
  return `returns the fields of a vector as they were written: ${which}`;
}

function upserting(change: (vectors: readonly MessageVector[]) => readonly MessageVector[]): VectorFault {
  return passing('upsert', (vectors) => [change(vectors)]);
}

/** Refuses with a different error. */
function refusing(toError: (message: string) => Error): VectorFault {
  return (store) => ({
    upsert: (vectors) =>
      store.upsert(vectors).catch((error: unknown) => {
        throw toError(error instanceof Error ? error.message : '');
      }),
  });
}
