import { checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import {
  begin,
  idsOf,
  messageIds,
  messagesOf,
  sampleConversation,
  sampleMessage,
  save,
  snapshotOf,
} from './sample-conversations.ts';

export const dropCases: readonly ConversationStoreCase[] = [
  {
    name: 'deletes the messages after a message before it writes, and returns their ids',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-1', 'u-2', 'a-2');
      await begin(store, 'c-2', 'u-1', 'a-1');
      const before = await messagesOf(store, 'c-1');
      const untouched = await snapshotOf(store, 'c-2');
      const saved = await save(store, 'c-1', [sampleMessage('a-3')], { dropAfter: 'u-1' });
      checkEqual(saved.isNew, false, 'Whether it is new');
      checkEqual(saved.dropped.toSorted(), ['a-1', 'a-2', 'u-2'], 'What it dropped');
      checkEqual(await messageIds(store, 'c-1'), ['u-1', 'a-3'], 'The messages');
      checkEqual((await messagesOf(store, 'c-1'))[0], before[0], 'The message before those');
      checkEqual(await snapshotOf(store, 'c-2'), untouched, 'The other conversation');
    },
  },
  {
    name: 'has the same result when the same write with a deletion is repeated',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-1', 'u-2');
      const messages = [sampleMessage('u-1', { metadata: { edited: true } }), sampleMessage('a-2')];
      const first = await save(store, 'c-1', messages, { dropAfter: 'u-1' });
      checkEqual(first.dropped.toSorted(), ['a-1', 'u-2'], 'What the first dropped');
      for (let times = 0; times < 3; times += 1) {
        const again = await save(store, 'c-1', messages, { dropAfter: 'u-1' });
        checkEqual(again.dropped, [], 'What it dropped again');
        const after = await messagesOf(store, 'c-1');
        checkEqual(idsOf(after), ['u-1', 'a-2'], 'The messages');
        checkEqual(after[0]?.metadata, { edited: true }, 'The metadata of the first answer');
      }
    },
  },
  {
    name: 'does not report a deleted message that the write contains, and moves it to its place in the write',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-1', 'a-2', 'a-3');
      const messages = [sampleMessage('a-3'), sampleMessage('a-4'), sampleMessage('a-1', { parts: [] })];
      const { dropped } = await save(store, 'c-1', messages, { dropAfter: 'u-1' });
      checkEqual(dropped, ['a-2'], 'What it dropped');
      const after = await messagesOf(store, 'c-1');
      checkEqual(idsOf(after), ['u-1', 'a-3', 'a-4', 'a-1'], 'The messages');
      checkEqual(after[3]?.parts, [], 'The parts of the last message');
      const times = after.map(({ createdAt }) => createdAt);
      checkEqual(
        times,
        [...new Set(times)].toSorted((one, other) => one - other),
        'Their times',
      );
    },
  },
  {
    name: 'deletes nothing after a message that is unknown, is only part of the write, or is the last',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-1');
      await begin(store, 'c-2', 'other');
      for (const [index, dropAfter] of ['unknown', 'new-1', 'other', ''].entries()) {
        const { dropped } = await save(store, 'c-1', [sampleMessage(`new-${index}`)], { dropAfter });
        checkEqual(dropped, [], `What it dropped after "${dropAfter}"`);
      }
      const { dropped } = await save(store, 'c-1', [sampleMessage('new-4')], { dropAfter: 'new-3' });
      checkEqual(dropped, [], 'What it dropped after the last');
      checkEqual(
        await messageIds(store, 'c-1'),
        ['u-1', 'a-1', 'new-0', 'new-1', 'new-2', 'new-3', 'new-4'],
        'The messages',
      );
    },
  },
  {
    name: 'deletes the messages after a message also in a write without messages, or with a conversation to create',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-1');
      const { dropped } = await save(store, 'c-1', [], { dropAfter: 'u-1' });
      checkEqual(dropped, ['a-1'], 'What it dropped');
      checkEqual(await messageIds(store, 'c-1'), ['u-1'], 'The messages');
      const create = sampleConversation('c-2');
      const made = { conversationId: 'c-2', messages: [sampleMessage('u-1')], create, dropAfter: 'u-1' };
      checkEqual(await store.save(ada, made), { isNew: true, dropped: [] }, 'What came of a new one');
      checkEqual(await store.save(ada, made), { isNew: false, dropped: [] }, 'What came of it again');
      checkEqual(await messageIds(store, 'c-2'), ['u-1'], 'The messages of the new one');
    },
  },
];
