import type { MessageFilter } from '@halyard/contracts';
import { type ConversationFault, whole } from './conversation-fault.ts';
import { reading } from './message-faults.ts';

const newest = 'reads the newest messages, oldest first, with their conversation';
const bySize = 'reads as many of the newest messages as have `maxBytes`, and at least one';
const byTime = 'reads messages before and after a time, excluding that time';

const counting = 'counts the messages before a time, excluding that time';

/** Faults of reading pages of messages. */
export const pageFaults: readonly ConversationFault[] = [
  [
    'reads the oldest messages',
    newest,
    (store) => ({
      messages: async (owner, id, filter) => {
        const answer = await store.messages(owner, id, { ...filter, ...whole });
        return answer && { ...answer, messages: answer.messages.slice(0, filter.limit) };
      },
    }),
  ],
  ['reads the newest message first', newest, reading((messages) => messages.toReversed())],
  ['treats a limit of 0 as absent', newest, filtering((filter) => ({ ...filter, limit: filter.limit || 100_000 }))],
  [
    'includes messages with the time `before`',
    byTime,
    filtering(({ before, ...filter }) => ({ ...filter, ...(before !== undefined && { before: before + 1 }) })),
  ],
  [
    'includes messages with the time `after`',
    byTime,
    filtering(({ after, ...filter }) => ({ ...filter, ...(after !== undefined && { after: after - 1 }) })),
  ],
  [
    'ignores one of two times',
    byTime,
    filtering(({ after, ...filter }) => ({
      ...filter,
      ...(after !== undefined && filter.before === undefined && { after }),
    })),
  ],
  [
    'treats the time 0 as absent',
    byTime,
    filtering(({ before, ...filter }) => ({ ...filter, ...(before && { before }) })),
  ],
  [
    'counts the message with the time `before`',
    counting,
    (store) => ({ countMessages: (owner, id, before) => store.countMessages(owner, id, before + 1) }),
  ],
  [
    'counts only what prompts contain',
    counting,
    (store) => ({
      countMessages: async (owner, id, before) => {
        const answer = await store.messages(owner, id, { ...whole, before, roles: ['user', 'assistant'] });
        return answer?.messages.length ?? 0;
      },
    }),
  ],
  [
    'applies the limit before the roles',
    'reads messages of the requested roles, and applies the limit to them',
    (store) => ({
      messages: async (owner, id, { roles, ...filter }) => {
        const answer = await store.messages(owner, id, filter);
        return answer && { ...answer, messages: answer.messages.filter(({ role }) => roles?.includes(role) ?? true) };
      },
    }),
  ],
  [
    'says that there are more when the page is full',
    'says whether older messages match',
    (store) => ({
      messages: async (owner, id, filter) => {
        const answer = await store.messages(owner, id, filter);
        return answer && { ...answer, hasMore: answer.messages.length === filter.limit };
      },
    }),
  ],
  ['ignores the limit of bytes', bySize, filtering(({ maxBytes: _, ...filter }) => filter)],
  [
    'reads no message that is larger than a page',
    bySize,
    reading((messages, { maxBytes = Infinity }) =>
      JSON.stringify(messages).length > maxBytes ? messages.slice(1) : messages,
    ),
  ],
  [
    'ignores the limit of bytes for messages with given ids',
    'finds the newest of some messages, as many as have `maxBytes`, and at least one',
    (store) => ({ findMessages: (owner, id, ids) => store.findMessages(owner, id, ids) }),
  ],
  [
    'reads the messages of all conversations',
    'reads messages of one conversation only',
    (store) => {
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
  ],
];

function filtering(change: (filter: MessageFilter) => MessageFilter): ConversationFault[2] {
  return (store) => ({ messages: (owner, id, filter) => store.messages(owner, id, change(filter)) });
}
