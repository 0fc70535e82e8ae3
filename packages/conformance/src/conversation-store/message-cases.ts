import { check, checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import {
  begin,
  idsOf,
  messageIds,
  messagesOf,
  sampleConversation,
  sampleMessage,
  sampleMessages,
  save,
  snapshotOf,
} from './sample-conversations.ts';

const minute = 60_000;

export const messageCases: readonly ConversationStoreCase[] = [
  {
    name: 'returns messages in the order of their first write; those of one call in the given order',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'z');
      checkEqual(
        await save(store, 'c-1', [sampleMessage('10'), sampleMessage('9'), sampleMessage('a')]),
        { isNew: false, dropped: [] },
        'What came of it',
      );
      await save(store, 'c-1', [sampleMessage('B'), sampleMessage('_')]);
      const messages = await messagesOf(store, 'c-1');
      checkEqual(idsOf(messages), ['z', '10', '9', 'a', 'B', '_'], 'The messages');
      const [first] = messages;
      checkEqual(first, { ...sampleMessage('z'), createdAt: first?.createdAt }, 'The first of them');
    },
  },
  {
    name: 'gives each message a later time than the one before, in one call, at one moment, and after the clock was set back',
    run: async ({ store, advance }) => {
      const { createdAt } = await begin(store, 'c-1');
      await save(store, 'c-1', sampleMessages('first', 50));
      for (let index = 0; index < 5; index += 1) await save(store, 'c-1', [sampleMessage(`one-${index}`)]);
      await advance(-minute);
      await save(store, 'c-1', sampleMessages('back', 3));
      await advance(2 * minute);
      await save(store, 'c-1', [sampleMessage('late')]);
      const times = (await messagesOf(store, 'c-1')).map((message) => message.createdAt);
      checkEqual(times.length, 59, 'The number of messages');
      for (const [index, time] of times.entries()) {
        const before = times[index - 1] ?? createdAt - 1;
        check(Number.isSafeInteger(time) && time > before, `A message at ${time} should be later than ${before}`);
      }
      const [last = 0, late = 0] = times.slice(-2);
      check(
        late - last > minute / 2,
        `A message written a minute later should have that time, but is ${late - last} ms later`,
      );
    },
  },
  {
    name: 'replaces a stored message in its place, with its time, and adds others after the last',
    run: async ({ store, advance }) => {
      await begin(store, 'c-1', 'm-1', 'm-2', 'm-3');
      const before = await messagesOf(store, 'c-1');
      await advance(minute);
      const changed = sampleMessage('m-2', {
        role: 'assistant',
        parts: [{ type: 'step-start' }],
        metadata: { new: 1 },
      });
      await save(store, 'c-1', [sampleMessage('m-5'), changed, sampleMessage('m-4')]);
      const after = await messagesOf(store, 'c-1');
      checkEqual(idsOf(after), ['m-1', 'm-2', 'm-3', 'm-5', 'm-4'], 'The messages');
      checkEqual(
        after.slice(0, 3),
        [before[0], { ...changed, createdAt: before[1]?.createdAt }, before[2]],
        'The first three',
      );
    },
  },
  {
    name: 'replaces the whole message: absent fields are removed',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', [sampleMessage('m-1', { metadata: { a: 1 } })]);
      const [{ metadata: _left, ...plain } = sampleMessage('m-1')] = await messagesOf(store, 'c-1');
      await save(store, 'c-1', [sampleMessage('m-1')]);
      const [message] = await messagesOf(store, 'c-1');
      checkEqual(message, plain, 'The message');
      checkEqual(message?.metadata === undefined, true, 'Whether its metadata is gone');
    },
  },
  {
    name: 'stores a message once when it is written again',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-0');
      const messages = sampleMessages('m', 4);
      await save(store, 'c-1', messages);
      const before = await messagesOf(store, 'c-1');
      checkEqual(await save(store, 'c-1', messages), { isNew: false, dropped: [] }, 'What came of it');
      checkEqual(await messagesOf(store, 'c-1'), before, 'The messages');
    },
  },
  {
    name: 'writes messages with the same id in one call like consecutive writes',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1');
      const changed = (id: string): unknown => ({ role: 'assistant', parts: [{ type: 'text', text: `New ${id}` }] });
      await save(store, 'c-1', [
        sampleMessage('m-2'),
        sampleMessage('m-1', { role: 'system' }),
        sampleMessage('m-3'),
        sampleMessage('m-2', { role: 'assistant', parts: [{ type: 'text', text: 'New m-2' }] }),
        sampleMessage('m-1', { role: 'assistant', parts: [{ type: 'text', text: 'New m-1' }] }),
      ]);
      const messages = await messagesOf(store, 'c-1');
      checkEqual(idsOf(messages), ['m-1', 'm-2', 'm-3'], 'The messages');
      const [first, second] = messages.map(({ role, parts }) => ({ role, parts }));
      checkEqual([first, second], [changed('m-1'), changed('m-2')], 'The two that came twice');
    },
  },
  {
    name: 'separates messages with the same id in two conversations',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      await begin(store, 'c-2', 'm-2', 'm-1');
      const untouched = await snapshotOf(store, 'c-2');
      await save(store, 'c-1', [sampleMessage('m-1', { parts: [] })]);
      checkEqual(await store.deleteMessages('anyone', 'c-1', ['m-2']), ['m-2'], 'What was deleted');
      checkEqual(await snapshotOf(store, 'c-2'), untouched, 'The other conversation');
      checkEqual(
        idsOf(await store.findMessages('anyone', 'c-2', ['m-1', 'm-2'])),
        ['m-2', 'm-1'],
        'What is found there',
      );
    },
  },
  {
    name: 'creates a conversation with the first write, and reports it as new',
    run: async ({ store }) => {
      const create = sampleConversation('c-1', { metadata: { a: 1 } });
      checkEqual(await store.save(ada, { conversationId: 'c-1', messages: [] }), 'not-found', 'A write without it');
      checkEqual(await store.isTaken('c-1'), false, 'Whether the id is taken');
      const [one, two, three] = sampleMessages('m', 3);
      if (one === undefined || two === undefined || three === undefined) return;
      const first = await store.save(ada, { conversationId: 'c-1', messages: [one, two], create });
      checkEqual(first, { isNew: true, dropped: [] }, 'The first answer');
      const { conversation, messages } = await snapshotOf(store, 'c-1');
      const { createdAt, updatedAt } = conversation ?? {};
      checkEqual(conversation, { ...create, createdAt, updatedAt }, 'The conversation');
      checkEqual(idsOf(messages), ['m-0', 'm-1'], 'Its messages');

      const again = sampleConversation('c-1', { title: 'Another', resourceId: 'other', metadata: {} });
      const second = await store.save(ada, { conversationId: 'c-1', messages: [three], create: again });
      checkEqual(second, { isNew: false, dropped: [] }, 'The second answer');
      const after = await snapshotOf(store, 'c-1');
      checkEqual({ ...after.conversation, updatedAt }, conversation, 'The conversation after it');
      checkEqual(idsOf(after.messages), ['m-0', 'm-1', 'm-2'], 'Its messages after it');
    },
  },
  {
    name: 'creates a conversation with a write of no messages',
    run: async ({ store }) => {
      const create = sampleConversation('c-1');
      const answer = await store.save(ada, { conversationId: 'c-1', messages: [], create });
      checkEqual(answer, { isNew: true, dropped: [] }, 'The answer');
      checkEqual((await store.find(ada, 'c-1'))?.title, create.title, 'Its title');
    },
  },
  {
    name: 'finds the requested messages that exist, each once, in the order of the conversation',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'b', 'a', 'c');
      await begin(store, 'c-2', 'd');
      const messages = await messagesOf(store, 'c-1');
      const found = await store.findMessages('anyone', 'c-1', ['c', 'd', 'unknown', 'b', 'c']);
      checkEqual(found, [messages[0], messages[2]], 'What is found');
      checkEqual(await store.findMessages('anyone', 'c-1', []), [], 'What is found of none');
      checkEqual(await store.findMessages('anyone', 'unknown', ['a']), [], 'What an unknown conversation has');
    },
  },
  {
    name: 'deletes the messages that exist, and returns their ids once, in the order of the conversation',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'b', 'a', 'c', 'd');
      const before = await messagesOf(store, 'c-1');
      const deleted = await store.deleteMessages('anyone', 'c-1', ['d', 'unknown', 'b', 'd']);
      checkEqual(deleted, ['b', 'd'], 'What was deleted');
      checkEqual(await messagesOf(store, 'c-1'), [before[1], before[2]], 'What is left');
      checkEqual(await store.deleteMessages('anyone', 'c-1', ['d', 'b']), [], 'What is deleted again');
      checkEqual(await store.deleteMessages('anyone', 'c-1', []), [], 'What is deleted of none');
      checkEqual(await store.deleteMessages('anyone', 'unknown', ['a']), undefined, 'The answer for an unknown one');
      await save(store, 'c-1', [sampleMessage('b')]);
      checkEqual(await messageIds(store, 'c-1'), ['a', 'c', 'b'], 'The messages when one comes again');
    },
  },
  {
    name: 'adds messages after the last one when all before it were deleted',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2', 'm-3');
      await store.deleteMessages('anyone', 'c-1', ['m-1', 'm-2', 'm-3']);
      checkEqual(await messagesOf(store, 'c-1'), [], 'What is left');
      await save(store, 'c-1', sampleMessages('new', 3));
      checkEqual(await messageIds(store, 'c-1'), ['new-0', 'new-1', 'new-2'], 'The messages');
    },
  },
  {
    name: 'writes, finds and deletes thousands of messages in one call',
    run: async ({ store }) => {
      const messages = sampleMessages('m', 4_000);
      await store.save(ada, { conversationId: 'c-1', messages, create: sampleConversation('c-1') });
      checkEqual(await messageIds(store, 'c-1'), idsOf(messages), 'The messages');
      const found = await store.findMessages(ada, 'c-1', idsOf(messages));
      checkEqual(found.length, 4_000, 'The number found');
      const deleted = await store.deleteMessages(ada, 'c-1', idsOf(messages).slice(1));
      checkEqual(deleted, idsOf(messages).slice(1), 'What was deleted');
      checkEqual(await messageIds(store, 'c-1'), ['m-0'], 'What is left');
    },
  },
];
