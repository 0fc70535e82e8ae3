import type { Conversation, ConversationFilter, ConversationStore } from '@halyard/contracts';
import { all, type ConversationFault } from './conversation-fault.ts';

const byCodePoint = 'orders titles by code point, whatever the locale of the machine';
const filters = 'filters by resource, by user and by both, comparing all characters';
const pages = 'returns pages of the matches in order, and counts all matches on each page';

/** Faults of the list of conversations. */
export const listFaults: readonly ConversationFault[] = [
  [
    'lists conversations without their metadata',
    'lists the same records as it finds',
    (store) => ({
      list: async (owner, filter) => {
        const { conversations, total } = await store.list(owner, filter);
        return { conversations: conversations.map((conversation) => ({ ...conversation, metadata: {} })), total };
      },
    }),
  ],
  [
    'ignores the requested field',
    'orders by creation, by last change and by title, in both directions',
    (store) => ({ list: (owner, filter) => store.list(owner, { ...filter, orderBy: 'createdAt' }) }),
  ],
  [
    'ignores the requested direction',
    'orders by creation, by last change and by title, in both directions',
    (store) => ({ list: (owner, filter) => store.list(owner, { ...filter, direction: 'asc' }) }),
  ],
  ['orders titles like a dictionary', byCodePoint, (store) => ({ list: ordered(store, dictionary, plain) })],
  ['orders titles by UTF-16', byCodePoint, (store) => ({ list: ordered(store, plain, plain) })],
  [
    'orders titles without regard to case',
    byCodePoint,
    (store) => ({ list: ordered(store, (one, other) => plain(one.toLowerCase(), other.toLowerCase()), plain) }),
  ],
  [
    'does not order equal values',
    'orders equal values by id, by code point and in the requested direction',
    (store) => ({ list: ordered(store, plain, () => 0) }),
  ],
  [
    'orders equal values by id like a dictionary',
    'orders equal values by id, by code point and in the requested direction',
    (store) => ({ list: ordered(store, plain, dictionary) }),
  ],
  [
    'orders equal values by id in one direction only',
    'orders equal values by id, by code point and in the requested direction',
    (store) => ({
      list: (owner, filter) =>
        ordered(store, plain, (one, other) => (filter.direction === 'asc' ? 1 : -1) * plain(one, other))(owner, filter),
    }),
  ],
  [
    'orders conversations of the same time by creation',
    'orders conversations of the same time by id',
    (store) => {
      const made: string[] = [];
      return {
        create: (conversation) => {
          made.push(conversation.id);
          return store.create(conversation);
        },
        list: ordered(store, plain, (one, other) => made.indexOf(one) - made.indexOf(other)),
      };
    },
  ],
  [
    'returns the size of the page as the total',
    pages,
    (store) => ({
      list: async (owner, filter) => {
        const { conversations } = await store.list(owner, filter);
        return { conversations, total: conversations.length };
      },
    }),
  ],
  [
    'begins every page at the start',
    pages,
    (store) => ({ list: (owner, filter) => store.list(owner, { ...filter, offset: 0 }) }),
  ],
  [
    'cuts pages before it filters',
    pages,
    (store) => ({
      list: async (owner, { resourceId, ...filter }) => {
        const { conversations, total } = await store.list(owner, filter);
        const matches = (conversation: Conversation): boolean =>
          conversation.resourceId === (resourceId ?? conversation.resourceId);
        return { conversations: conversations.filter(matches), total };
      },
    }),
  ],
  ...(['resourceId', 'userId'] as const).map((key): ConversationFault => [
    `does not filter by ${key}`,
    filters,
    (store) => ({
      list: (owner, filter) => {
        const { [key]: _left, ...rest } = filter;
        return store.list(owner, rest);
      },
    }),
  ]),
  [
    'treats a resource as a pattern',
    filters,
    (store) => ({
      list: (owner, { resourceId, ...filter }) =>
        store.list(owner, resourceId === '%' || resourceId === undefined ? filter : { ...filter, resourceId }),
    }),
  ],
  [
    'treats an empty resource as absent',
    filters,
    (store) => ({
      list: (owner, { resourceId, ...filter }) => store.list(owner, resourceId ? { ...filter, resourceId } : filter),
    }),
  ],
  [
    'does not move a changed conversation in the order',
    'moves a changed conversation in the order',
    (store) => ({
      list: (owner, filter) =>
        store.list(owner, { ...filter, orderBy: filter.orderBy === 'updatedAt' ? 'createdAt' : filter.orderBy }),
    }),
  ],
];

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
