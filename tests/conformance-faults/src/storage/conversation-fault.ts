import type { ConversationFilter, ConversationStore } from '@halyard/contracts';
import { type Fault, wrappersOf } from '../faults.ts';

export type ConversationFault = Fault<ConversationStore>;

export const { ownerless, passing, returning, setting } = wrappersOf<ConversationStore>();

/** A filter for every conversation. */
export const all: ConversationFilter = { orderBy: 'createdAt', direction: 'asc', limit: 100_000, offset: 0 };

/** A filter for every message. */
export const whole = { limit: 100_000 };
