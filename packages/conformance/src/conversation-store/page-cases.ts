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
    name: 'reads messages of one conversation only',
    run: async ({ store }) => {
      await begin(store, 'c-2', 'n-1');
      await begin(store, 'c-1', 'm-1');
      await begin(store, 'c-3', 'n-2');
      checkEqual(await page(store, {}), ['m-1'], 'The messages');
    },
  },
];

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
