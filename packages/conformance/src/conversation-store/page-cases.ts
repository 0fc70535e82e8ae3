import type { ConversationStore, Message, MessageFilter, MessageRole } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import { begin, idsOf, messagesOf, sampleMessage, sampleMessages, save } from './sample-conversations.ts';

const roles: readonly MessageRole[] = ['system', 'user', 'assistant', 'tool'];

export const pageCases: readonly ConversationStoreCase[] = [
  {
    name: 'reads the newest messages, oldest first, with their conversation',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2', 'm-3', 'm-4');
      const found = checkFound(await store.messages('anyone', 'c-1', { limit: 2 }), 'The conversation');
      checkEqual(found.conversation, await store.find('anyone', 'c-1'), 'The conversation');
      checkEqual(idsOf(found.messages), ['m-3', 'm-4'], 'The messages');
      checkEqual(await page(store, { limit: 4 }), ['m-1', 'm-2', 'm-3', 'm-4'], 'As many as there are');
      checkEqual(await page(store, { limit: 99 }), ['m-1', 'm-2', 'm-3', 'm-4'], 'More than there are');
      checkEqual(await page(store, { limit: 0 }), [], 'None of them');
      checkEqual(await store.messages('anyone', 'c-2', { limit: 2 }), undefined, 'Those of an unknown conversation');
    },
  },
  {
    name: 'reads messages before and after a time, excluding that time',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', sampleMessages('m', 6));
      const times = (await messagesOf(store, 'c-1')).map(({ createdAt }) => createdAt);
      const [first = 0, second = 0, third = 0, , fifth = 0, last = 0] = times;
      const pages: readonly (readonly [Partial<MessageFilter>, readonly string[]])[] = [
        [{ before: third }, ['m-0', 'm-1']],
        [{ before: first }, []],
        [{ before: last + 1 }, ['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5']],
        [{ after: third }, ['m-3', 'm-4', 'm-5']],
        [{ after: last }, []],
        [{ after: first - 1 }, ['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5']],
        [{ after: first, before: fifth }, ['m-1', 'm-2', 'm-3']],
        [{ after: second, before: third }, []],
        [{ after: fifth, before: second }, []],
        [{ before: fifth, limit: 2 }, ['m-2', 'm-3']],
        [{ after: first, limit: 2 }, ['m-4', 'm-5']],
        [{ after: first, before: fifth, limit: 2 }, ['m-2', 'm-3']],
        [{ after: 0 }, ['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5']],
        [{ before: 0 }, []],
      ];
      for (const [filter, expected] of pages) {
        checkEqual(await page(store, filter), expected, `Those with ${JSON.stringify(filter)}`);
      }
    },
  },
  {
    name: 'counts the messages before a time, excluding that time',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await begin(store, 'c-2', 'other');
      await save(store, 'c-1', ofAllRoles(2));
      const times = (await messagesOf(store, 'c-1')).map(({ createdAt }) => createdAt);
      for (const [place, time] of times.entries()) {
        checkEqual(await store.countMessages('anyone', 'c-1', time), place, `Those before the one in place ${place}`);
      }
      checkEqual(await store.countMessages('anyone', 'c-1', Infinity), times.length, 'All');
      checkEqual(await store.countMessages('anyone', 'c-1', 0), 0, 'Those before the epoch');
      checkEqual(await store.countMessages('anyone', 'unknown', Infinity), 0, 'Those of an unknown conversation');
    },
  },
  {
    name: 'reads messages of the requested roles, and applies the limit to them',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', ofAllRoles(3));
      const pages: readonly (readonly [Partial<MessageFilter>, readonly string[]])[] = [
        [{ roles: ['user'] }, ['user-0', 'user-1', 'user-2']],
        [{ roles: ['tool'], limit: 2 }, ['tool-1', 'tool-2']],
        [{ roles: ['assistant', 'user'], limit: 3 }, ['assistant-1', 'user-2', 'assistant-2']],
        [{ roles, limit: 4 }, ['system-2', 'user-2', 'assistant-2', 'tool-2']],
        [{ roles: ['system', 'system'] }, ['system-0', 'system-1', 'system-2']],
      ];
      for (const [filter, expected] of pages) {
        checkEqual(await page(store, filter), expected, `Those with ${JSON.stringify(filter)}`);
      }
      const [, user] = await messagesOf(store, 'c-1');
      const later = { after: user?.createdAt ?? 0, roles: ['user', 'tool'], limit: 4 } as const;
      checkEqual(await page(store, later), ['user-1', 'tool-1', 'user-2', 'tool-2'], 'Those of two roles after a time');
    },
  },
  {
    name: 'returns each message once when pages are read by the time of the oldest message',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', sampleMessages('all', 23));
      for (let index = 0; index < 4; index += 1) await save(store, 'c-1', [sampleMessage(`one-${index}`)]);
      const all = await messagesOf(store, 'c-1');
      const read: string[] = [];
      let before = Number.MAX_SAFE_INTEGER;
      for (let pages = 0; pages < 10; pages += 1) {
        const found = checkFound(await store.messages('anyone', 'c-1', { limit: 5, before }), 'The conversation');
        read.unshift(...idsOf(found.messages));
        before = found.messages[0]?.createdAt ?? 0;
      }
      checkEqual(read, idsOf(all), 'What the pages have');
    },
  },
  {
    name: 'says whether older messages match',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', ofAllRoles(2));
      const pages: readonly (readonly [Partial<MessageFilter>, boolean])[] = [
        [{ limit: 7 }, true],
        [{ limit: 8 }, false],
        [{ limit: 9 }, false],
        [{ limit: 0 }, true],
        [{ limit: 1, roles: ['tool'] }, true],
        [{ limit: 2, roles: ['tool'] }, false],
        [{ limit: 1, before: 0 }, false],
      ];
      for (const [filter, expected] of pages) {
        const found = checkFound(await store.messages('anyone', 'c-1', { limit: 99, ...filter }), 'The conversation');
        checkEqual(found.hasMore, expected, `More than those with ${JSON.stringify(filter)}`);
      }
      await begin(store, 'c-2');
      const none = checkFound(await store.messages('anyone', 'c-2', { limit: 2 }), 'The conversation');
      checkEqual(none, { conversation: none.conversation, messages: [], hasMore: false }, 'A conversation without any');
    },
  },
  {
    name: 'reads as many of the newest messages as have `maxBytes`, and at least one',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', [
        sampleMessage('m-1'),
        sampleMessage('m-2', { parts: largeText }),
        sampleMessage('m-3', { metadata: { notes: 'm'.repeat(largeSize) } }),
        sampleMessage('m-4'),
      ]);
      const pages: readonly (readonly [Partial<MessageFilter>, readonly string[], boolean])[] = [
        [{ maxBytes: 1 }, ['m-4'], true],
        [{ maxBytes: largeSize / 2 }, ['m-4'], true],
        [{ maxBytes: 1.5 * largeSize }, ['m-3', 'm-4'], true],
        [{ maxBytes: 1.5 * largeSize, limit: 1 }, ['m-4'], true],
        [{ maxBytes: 10 * largeSize }, ['m-1', 'm-2', 'm-3', 'm-4'], false],
        [{ maxBytes: 10 * largeSize, limit: 3 }, ['m-2', 'm-3', 'm-4'], true],
      ];
      for (const [filter, expected, hasMore] of pages) {
        const found = checkFound(await store.messages('anyone', 'c-1', { limit: 99, ...filter }), 'The conversation');
        checkEqual(idsOf(found.messages), expected, `Those with ${JSON.stringify(filter)}`);
        checkEqual(found.hasMore, hasMore, `More than those with ${JSON.stringify(filter)}`);
      }
      const [, , third] = await messagesOf(store, 'c-1');
      const before = { before: third?.createdAt ?? 0, maxBytes: 1 };
      checkEqual(await page(store, before), ['m-2'], 'One before a time that is larger');
    },
  },
  {
    name: 'finds the newest of some messages, as many as have `maxBytes`, and at least one',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      const ids = ['m-1', 'm-2', 'm-3'];
      await save(
        store,
        'c-1',
        ids.map((id) => sampleMessage(id, { parts: largeText })),
      );
      const found = async (maxBytes?: number): Promise<readonly string[]> =>
        idsOf(await store.findMessages('anyone', 'c-1', ids.toReversed(), maxBytes));
      checkEqual(await found(1), ['m-3'], 'At least one');
      checkEqual(await found(2.9 * largeSize), ['m-2', 'm-3'], 'Two');
      checkEqual(await found(10 * largeSize), ids, 'All');
      checkEqual(await found(), ids, 'All without a limit');
    },
  },
  {
    name: 'reads messages of one conversation only',
    run: async ({ store }) => {
      await begin(store, 'c-2', 'n-1');
      await begin(store, 'c-1', 'm-1');
      await begin(store, 'c-3', 'n-2');
      checkEqual(await page(store, {}), ['m-1'], 'The messages');
    },
  },
];

/** Far more than the overhead that a store counts in addition to the contents. */
const largeSize = 20_000;
const largeText: Message['parts'] = [{ type: 'text', text: 'x'.repeat(largeSize) }];

async function page(store: ConversationStore, filter: Partial<MessageFilter>): Promise<readonly string[]> {
  const found = await store.messages('anyone', 'c-1', { limit: 99, ...filter });
  return idsOf(checkFound(found, 'The conversation').messages);
}

/** One message of each role, `rounds` times. */
function ofAllRoles(rounds: number): readonly Message[] {
  return Array.from({ length: rounds }, (_, round) =>
    roles.map((role) => sampleMessage(`${role}-${round}`, { role })),
  ).flat();
}
