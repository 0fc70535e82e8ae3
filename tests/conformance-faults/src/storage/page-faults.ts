import type { MessageFilter } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, type ConversationFault, returning } from './conversation-fault.ts';
import { reading } from './message-faults.ts';

/** Faults of reading pages of messages. */
export const pageFaults: FaultTable<ConversationFault> = {
  'reads the newest messages, oldest first, with their conversation': [
    reading((messages) => messages.toReversed()),
    filtering((filter) => ({ ...filter, limit: filter.limit || 100_000 })),
  ],
  'reads messages before and after a time, excluding that time': filtering(({ before, ...filter }) => ({
    ...filter,
    ...(before && { before }),
  })),
  'counts the messages before a time, excluding that time': passing('countMessages', (owner, id, before) => [
    owner,
    id,
    before + 1,
  ]),
  // Applies the limit before the roles.
  'reads messages of the requested roles, and applies the limit to them': (store) => ({
    messages: async (owner, id, { roles, ...filter }) => {
      const answer = await store.messages(owner, id, filter);
      return answer && { ...answer, messages: answer.messages.filter(({ role }) => roles?.includes(role) ?? true) };
    },
  }),
  'says whether older messages match': returning('messages', (answer, owner, id, filter) => ({
    ...answer,
    hasMore: answer.messages.length === filter.limit,
  })),
  'reads as many of the newest messages as have `maxBytes`, and at least one': filtering(
    ({ maxBytes: _, ...filter }) => filter,
  ),
  // Ignores the limit of bytes for messages with given ids.
  'finds the newest of some messages, as many as have `maxBytes`, and at least one': passing(
    'findMessages',
    (owner, id, ids) => [owner, id, ids],
  ),
  // Reads the messages of all conversations.
  'reads messages of one conversation only': (store) => {
    const ids: string[] = [];
    return {
      create: (conversation) => {
        ids.push(conversation.id);
        return store.create(conversation);
      },
      messages: async (owner, id, filter) => {
        const [answer, ...others] = await Promise.all(
          [id, ...ids.filter((other) => other !== id)].map((one) => store.messages(owner, one, filter)),
        );
        return answer && { ...answer, messages: [answer, ...others].flatMap((one) => one?.messages ?? []) };
      },
    };
  },
};

function filtering(change: (filter: MessageFilter) => MessageFilter): ConversationFault {
  return (store) => ({ messages: (owner, id, filter) => store.messages(owner, id, change(filter)) });
}
