import { check, checkEqual, checkFound } from '../check.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import {
  begin,
  listed,
  messagesOf,
  sampleConversation,
  sampleMessage,
  save,
  snapshotOf,
} from './sample-conversations.ts';

const minute = 60_000;

export const createCases: readonly ConversationStoreCase[] = [
  {
    name: 'creates a conversation with the given fields and its time, and finds it',
    run: async ({ store }) => {
      const given = sampleConversation('c-1', { resourceId: 'helper', metadata: { tags: ['a'] } });
      const created = checkFound(await store.create(given), 'The new conversation');
      const { createdAt, updatedAt } = created;
      checkEqual(created, { ...given, createdAt, updatedAt }, 'The new conversation');
      check(Number.isSafeInteger(createdAt) && createdAt > 0, `Its time should be milliseconds, but is ${createdAt}`);
      checkEqual(updatedAt, createdAt, 'When it was changed');
      checkEqual(await store.find('anyone', 'c-1'), created, 'The conversation');
      checkEqual(
        await store.messages('anyone', 'c-1', { limit: 9 }),
        { conversation: created, messages: [], hasMore: false },
        'All',
      );
      checkEqual(await store.find('anyone', 'c-2'), undefined, 'What another id finds');
    },
  },
  {
    name: 'creates no conversation with an id that any owner uses, and does not change the existing one',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1');
      const before = await snapshotOf(store, 'c-1');
      for (const userId of ['ada', 'ben']) {
        const again = sampleConversation('c-1', { userId, title: 'Another', metadata: { another: true } });
        checkEqual(await store.create(again), undefined, `The answer to ${userId}`);
      }
      checkEqual(await snapshotOf(store, 'c-1'), before, 'The conversation');
      checkEqual((await listed(store, 'anyone')).total, 1, 'The number of conversations');
    },
  },
  {
    name: 'creates one conversation when concurrent calls use one id',
    run: async ({ store }) => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store.create(sampleConversation('c-1', { userId: `user-${index}`, title: `Call ${index}` })),
        ),
      );
      const made = answers.filter((answer) => answer !== undefined);
      checkEqual(made.length, 1, 'The number of calls that made it');
      checkEqual(await store.find('anyone', 'c-1'), made[0], 'The conversation');
    },
  },
  {
    name: 'reports an id as taken when any owner uses it, else as free',
    run: async ({ store }) => {
      checkEqual(await store.isTaken('c-1'), false, 'Whether it is taken before');
      await begin(store, 'c-1');
      checkEqual(await store.isTaken('c-1'), true, 'Whether it is taken');
      checkEqual(await store.isTaken('c-2'), false, 'Whether another is');
      await store.delete('anyone', 'c-1');
      checkEqual(await store.isTaken('c-1'), false, 'Whether it is taken after it was deleted');
    },
  },
  {
    name: 'updates the title, the whole metadata, or both, and the time of the change',
    run: async ({ store, advance }) => {
      const created = await begin(store, 'c-1', 'm-1');
      await advance(minute);
      const titled = checkFound(await store.update('anyone', 'c-1', { title: 'New' }), 'The conversation');
      checkEqual({ ...titled, updatedAt: 0 }, { ...created, title: 'New', updatedAt: 0 }, 'It with a title');
      checkAtLeast(titled.updatedAt - created.createdAt, minute, 'The time from its beginning to the change');
      await advance(minute);
      const noted = checkFound(await store.update('anyone', 'c-1', { metadata: { b: [1] } }), 'The conversation');
      checkEqual({ ...noted, updatedAt: 0 }, { ...titled, metadata: { b: [1] }, updatedAt: 0 }, 'It with metadata');
      checkAtLeast(noted.updatedAt - titled.updatedAt, minute, 'The time between the changes');
      const both = checkFound(await store.update('anyone', 'c-1', { title: '', metadata: {} }), 'The conversation');
      checkEqual([both.title, both.metadata], ['', {}], 'It with neither');
      checkEqual(await store.find('anyone', 'c-1'), both, 'The conversation');
      checkEqual((await messagesOf(store, 'c-1')).length, 1, 'The number of its messages');
    },
  },
  {
    name: 'updates only the given conversation, and returns undefined for an unknown one',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      const untouched = await begin(store, 'c-2');
      await store.update('anyone', 'c-1', { title: 'New', metadata: { new: true } });
      checkEqual(await store.update('anyone', 'c-3', { title: 'New' }), undefined, 'The answer for an unknown one');
      checkEqual(await store.find('anyone', 'c-2'), untouched, 'The other conversation');
      checkEqual(await store.isTaken('c-3'), false, 'Whether the unknown one is there now');
    },
  },
  {
    name: 'updates the time of the last change when a message is written',
    run: async ({ store, advance }) => {
      const { createdAt } = await begin(store, 'c-1');
      const changedAt = async (): Promise<number> => checkFound(await store.find('anyone', 'c-1'), 'It').updatedAt;
      await advance(minute);
      await save(store, 'c-1', [sampleMessage('m-1')]);
      const added = await changedAt();
      checkAtLeast(added - createdAt, minute, 'The time from its beginning to its first message');
      await advance(minute);
      await save(store, 'c-1', [sampleMessage('m-1', { parts: [] })]);
      checkAtLeast((await changedAt()) - added, minute, 'The time from its first message to the change of that');
      checkEqual((await store.find('anyone', 'c-1'))?.createdAt, createdAt, 'When it began');
    },
  },
  {
    name: 'deletes a conversation with its messages and no other, and frees its id',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      await begin(store, 'c-2', 'm-1');
      const untouched = await snapshotOf(store, 'c-2');
      checkEqual(await store.delete('anyone', 'c-1'), true, 'Whether it was there');
      checkEqual(await store.delete('anyone', 'c-1'), false, 'Whether it was there again');
      checkEqual(await store.delete('anyone', 'c-3'), false, 'Whether an unknown one was there');
      checkEqual(await store.find('anyone', 'c-1'), undefined, 'What is left of it');
      checkEqual(await store.messages('anyone', 'c-1', { limit: 9 }), undefined, 'What is left of its messages');
      checkEqual(await store.findMessages('anyone', 'c-1', ['m-1']), [], 'The messages that are found');
      checkEqual(await store.save('anyone', { conversationId: 'c-1', messages: [] }), 'not-found', 'A write to it');
      checkEqual(await listed(store, 'anyone'), { ids: ['c-2'], total: 1 }, 'What is listed');
      checkEqual(await snapshotOf(store, 'c-2'), untouched, 'The other conversation');
      await begin(store, 'c-1');
      checkEqual(await messagesOf(store, 'c-1'), [], 'The messages of what has the id now');
    },
  },
  {
    name: 'reports the deletion to one of several concurrent calls',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1');
      const answers = await Promise.all(Array.from({ length: 8 }, () => store.delete('anyone', 'c-1')));
      checkEqual(answers.filter(Boolean).length, 1, 'The number of deletions');
    },
  },
];

function checkAtLeast(actual: number, least: number, what: string): void {
  check(actual >= least, `${what} should be ${least} ms at least, but is ${actual}`);
}
