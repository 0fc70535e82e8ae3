import type { ConversationClone, ConversationStore } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { ben } from '../sample-owners.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import {
  begin,
  idsOf,
  listed,
  messagesOf,
  sampleConversation,
  sampleMessage,
  sampleMessages,
  save,
  snapshotOf,
} from './sample-conversations.ts';

const minute = 60_000;

export const cloneCases: readonly ConversationStoreCase[] = [
  {
    name: 'copies a conversation with its messages, which get new ids and keep order and times',
    run: async ({ store, advance }) => {
      const original = sampleConversation('c-1', { resourceId: 'helper', metadata: { a: [1] } });
      await store.create(original);
      await save(store, 'c-1', [
        sampleMessage('z', { metadata: { b: 2 } }),
        sampleMessage('a', { role: 'assistant', parts: [{ type: 'step-start' }] }),
        sampleMessage('m'),
      ]);
      const before = await snapshotOf(store, 'c-1');
      await advance(minute);
      const answer = await cloned(store, { id: 'c-1', newId: 'c-2', includeMessages: true });
      const copy = await snapshotOf(store, 'c-2');
      checkEqual(answer, { conversation: copy.conversation, messageCount: 3 }, 'The answer');
      const { createdAt = 0, updatedAt = 0 } = copy.conversation ?? {};
      checkEqual(copy.conversation, { ...original, id: 'c-2', createdAt, updatedAt }, 'The copy');
      check(createdAt - (before.conversation?.createdAt ?? 0) >= minute, 'The copy should have begun when it was made');
      check(updatedAt >= createdAt, 'The copy should not have been changed before it began');
      const unnamed = (messages: typeof copy.messages): unknown => messages.map(({ id: _id, ...rest }) => rest);
      checkEqual(unnamed(copy.messages), unnamed(before.messages), 'Its messages');
      const ids = new Set([...idsOf(copy.messages), ...idsOf(before.messages)]);
      checkEqual(ids.size, 6, 'The number of different ids');
      checkEqual(await snapshotOf(store, 'c-1'), before, 'The original');
    },
  },
  {
    name: 'copies a conversation without its messages, or with another title',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      const without = await cloned(store, { id: 'c-1', newId: 'c-2', includeMessages: false });
      checkEqual([without.messageCount, without.conversation.title], [0, 'About c-1'], 'The one without messages');
      checkEqual(await messagesOf(store, 'c-2'), [], 'Its messages');
      const titled = await cloned(store, { id: 'c-1', newId: 'c-3', title: 'Copy', includeMessages: true });
      checkEqual([titled.messageCount, titled.conversation.title], [2, 'Copy'], 'The one with a title');
      const untitled = await cloned(store, { id: 'c-1', newId: 'c-4', title: '', includeMessages: false });
      checkEqual(untitled.conversation.title, '', 'The title of one that shall have none');
    },
  },
  {
    name: 'copies nothing of a conversation with more messages than `maxMessages`, or more bytes than `maxBytes`',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', [
        sampleMessage('m-1', { parts: [{ type: 'text', text: 'x'.repeat(20_000) }] }),
        sampleMessage('m-2', { metadata: { notes: 'x'.repeat(20_000) } }),
        sampleMessage('m-3'),
      ]);
      const copy = { id: 'c-1', newId: 'c-2', includeMessages: true };
      for (const limit of [{ maxMessages: 2 }, { maxBytes: 30_000 }, { maxMessages: 3, maxBytes: 30_000 }]) {
        checkEqual(await store.clone('anyone', { ...copy, ...limit }), 'too-large', JSON.stringify(limit));
        checkEqual(await store.isTaken('c-2'), false, `Whether a copy was made with ${JSON.stringify(limit)}`);
      }
      const enough = { maxMessages: 3, maxBytes: 200_000 };
      checkEqual((await cloned(store, { ...copy, ...enough })).messageCount, 3, 'The number within the limits');
      const without = { id: 'c-1', newId: 'c-3', includeMessages: false, maxMessages: 0, maxBytes: 0 };
      checkEqual((await cloned(store, without)).messageCount, 0, 'The number without messages');
    },
  },
  {
    name: 'copies neither to an id that any owner uses nor from an unknown conversation',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1');
      await begin(store, 'c-2', 'n-1');
      await store.create(sampleConversation('of-ben', { userId: 'ben' }));
      const before = await snapshotOf(store, 'c-2');
      for (const newId of ['c-1', 'c-2', 'of-ben']) {
        const answer = await store.clone('anyone', { id: 'c-1', newId, includeMessages: true });
        checkEqual(answer, 'taken', `The answer for ${newId}`);
      }
      checkEqual(
        await store.clone(ben, { id: 'of-ben', newId: 'c-1', includeMessages: true }),
        'taken',
        'The answer to Ben',
      );
      const unknown = await store.clone('anyone', { id: 'unknown', newId: 'c-3', includeMessages: true });
      checkEqual(unknown, 'not-found', 'The answer for an unknown one');
      checkEqual(await store.isTaken('c-3'), false, 'Whether a copy of that was made');
      checkEqual(await snapshotOf(store, 'c-2'), before, 'What has the id');
      const foreign = await store.clone(ben, { id: 'c-1', newId: 'c-2', includeMessages: true });
      const missing = await store.clone(ben, { id: 'unknown', newId: 'c-2', includeMessages: true });
      checkEqual(foreign, missing, 'The answer for another person’s to an id in use, which is that for an unknown one');
    },
  },
  {
    name: 'makes a copy that is independent of the original',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      await cloned(store, { id: 'c-1', newId: 'c-2', includeMessages: true });
      const original = await snapshotOf(store, 'c-1');
      const [first, second] = (await messagesOf(store, 'c-2')).map(({ id }) => id);
      await save(store, 'c-2', [sampleMessage(first ?? '', { parts: [] }), sampleMessage('m-1'), sampleMessage('m-9')]);
      await store.deleteMessages('anyone', 'c-2', [second ?? '']);
      await store.update('anyone', 'c-2', { title: 'Copy', metadata: {} });
      checkEqual(await snapshotOf(store, 'c-1'), original, 'The original');
      const copy = await messagesOf(store, 'c-2');
      checkEqual(idsOf(copy), [first, 'm-1', 'm-9'], 'The messages of the copy');
      const times = copy.map(({ createdAt }) => createdAt);
      checkEqual(
        times,
        [...new Set(times)].toSorted((one, other) => one - other),
        'Their times',
      );

      const changed = await snapshotOf(store, 'c-2');
      await save(store, 'c-1', [sampleMessage('m-1', { parts: [] })], { dropAfter: 'm-1' });
      await store.delete('anyone', 'c-1');
      checkEqual(await snapshotOf(store, 'c-2'), changed, 'The copy');
    },
  },
  {
    name: 'copies copies, and makes several copies of one conversation, all with distinct ids',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', sampleMessages('m', 200));
      await cloned(store, { id: 'c-1', newId: 'c-2', includeMessages: true });
      await cloned(store, { id: 'c-1', newId: 'c-3', includeMessages: true });
      await cloned(store, { id: 'c-2', newId: 'c-4', includeMessages: true });
      const ids = new Set<string>();
      for (const id of ['c-1', 'c-2', 'c-3', 'c-4']) {
        for (const message of await messagesOf(store, id)) ids.add(message.id);
      }
      checkEqual(ids.size, 800, 'The number of different ids');
    },
  },
  {
    name: 'makes one copy when concurrent calls use one id',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.clone('anyone', { id: 'c-1', newId: 'c-2', title: `Copy ${index}`, includeMessages: true }),
        ),
      );
      const made = answers.filter((answer) => typeof answer === 'object');
      checkEqual(
        [made.length, answers.includes('not-found')],
        [1, false],
        'The number of copies, and whether none was found',
      );
      checkEqual((await messagesOf(store, 'c-2')).length, 2, 'The number of its messages');
      checkEqual(await store.find('anyone', 'c-2'), made[0]?.conversation, 'The copy');
      checkEqual((await listed(store, 'anyone')).total, 2, 'The number of conversations');
    },
  },
];

async function cloned(
  store: ConversationStore,
  clone: ConversationClone,
): Promise<Exclude<Awaited<ReturnType<ConversationStore['clone']>>, string>> {
  const answer = await store.clone('anyone', clone);
  check(typeof answer === 'object', `A copy of ${clone.id} should be made, but is ${JSON.stringify(answer)}`);
  return answer;
}
