import type { ConversationFilter, ConversationStore } from '@halyard/contracts';

/** What a store does wrong, the case that must find it, and how it does it. */
export type ConversationFault = readonly [
  fault: string,
  foundBy: string,
  (store: ConversationStore) => Partial<ConversationStore>,
];

/** Every conversation. */
export const all: ConversationFilter = { orderBy: 'createdAt', direction: 'asc', limit: 100_000, offset: 0 };

/** Every message. */
export const whole = { limit: 100_000 };

/** Comes between what a call reads and what it writes, where those of others come too. */
export async function pause(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}
