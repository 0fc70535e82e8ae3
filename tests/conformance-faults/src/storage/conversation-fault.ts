import type { ConversationFilter, ConversationStore } from '@halyard/contracts';

/** The fault of a store, the case that must find it, and its implementation. */
export type ConversationFault = readonly [
  fault: string,
  foundBy: string,
  (store: ConversationStore) => Partial<ConversationStore>,
];

/** A filter for every conversation. */
export const all: ConversationFilter = { orderBy: 'createdAt', direction: 'asc', limit: 100_000, offset: 0 };

/** A filter for every message. */
export const whole = { limit: 100_000 };

/** Separates reading and writing in a call, so that concurrent calls can interleave. */
export async function pause(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}
