import type { Conversation, ConversationFilter, ConversationStore } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { all, passing, type ConversationFault, returning, setting } from './conversation-fault.ts';

/** Faults of the list of conversations. */
export const listFaults: FaultTable<ConversationFault> = {
  'lists the same records as it finds': returning('list', ({ conversations, total }) => ({
    conversations: conversations.map((conversation) => ({ ...conversation, metadata: {} })),
    total,
  })),
  'orders by creation, by last change and by title, in both directions': [
    setting('list', { orderBy: 'createdAt' }),
    setting('list', { direction: 'asc' }),
  ],
  'orders titles by code point, whatever the locale of the machine': (store) => ({
    list: ordered(store, plain, plain),
  }),
  'orders equal values by id, by code point and in the requested direction': [
    (store) => ({ list: ordered(store, plain, () => 0) }),
    (store) => ({ list: ordered(store, plain, dictionary) }),
  ],
  // Orders conversations of the same time by creation.
  'orders conversations of the same time by id': (store) => {
    const made: string[] = [];
    return {
      create: (conversation) => {
        made.push(conversation.id);
        return store.create(conversation);
      },
      list: ordered(store, plain, (one, other) => made.indexOf(one) - made.indexOf(other)),
    };
  },
  'returns pages of the matches in order, and counts all matches on each page': setting('list', { offset: 0 }),
  'filters by resource, by user and by both, comparing all characters': passing(
    'list',
    (owner, { resourceId, ...filter }) => [owner, resourceId ? { ...filter, resourceId } : filter],
  ),
  'moves a changed conversation in the order': passing('list', (owner, filter) => [
    owner,
    { ...filter, orderBy: filter.orderBy === 'updatedAt' ? 'createdAt' : filter.orderBy },
  ]),
};

type Order = (one: string, other: string) => number;

/** Sorts lists by another comparison. */
function ordered(store: ConversationStore, byTitle: Order, byId: Order): ConversationStore['list'] {
  return async (owner, filter) => {
    const { limit, offset, orderBy, direction } = filter;
    const { conversations, total } = await store.list(owner, { ...filter, ...all });
    const sign = direction === 'asc' ? 1 : -1;
    const order = (one: Conversation, other: Conversation): number =>
      sign * (keyOrder(one, other, orderBy, byTitle) || byId(one.id, other.id));
    return { conversations: conversations.toSorted(order).slice(offset, offset + limit), total };
  };
}

function keyOrder(
  one: Conversation,
  other: Conversation,
  orderBy: ConversationFilter['orderBy'],
  byTitle: Order,
): number {
  return orderBy === 'title' ? byTitle(one.title, other.title) : one[orderBy] - other[orderBy];
}

/** The order of JavaScript. */
function plain(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function dictionary(one: string, other: string): number {
  return one.localeCompare(other, 'en');
}
