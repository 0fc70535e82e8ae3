import { check, checkEqual } from '../check.ts';
import { ConformanceError } from '../conformance-error.ts';
import { ada } from '../sample-owners.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import {
  begin,
  idsOf,
  listed,
  messageIds,
  messagesOf,
  sampleConversation,
  sampleMessage,
  sampleMessages,
  save,
} from './sample-conversations.ts';

export const raceCases: readonly ConversationStoreCase[] = [
  {
    name: 'stores all concurrent writes to one conversation, and the messages of each write together',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await Promise.all(upTo(50).map((index) => save(store, 'c-1', sampleMessages(`w${index}`, 3))));
      const messages = await messagesOf(store, 'c-1');
      checkGroups(idsOf(messages), 50, 3);
      for (const [index, { createdAt }] of messages.entries()) {
        const before = messages[index - 1]?.createdAt ?? 0;
        check(createdAt > before, `A message at ${createdAt} should be later than ${before}`);
      }
    },
  },
  {
    name: 'creates a conversation once when concurrent writes create it, and stores the messages of each',
    run: async ({ store }) => {
      const answers = await Promise.all(
        upTo(20).map((index) =>
          store.save(ada, {
            conversationId: 'c-1',
            messages: sampleMessages(`w${index}`, 2),
            create: sampleConversation('c-1', { title: `Write ${index}` }),
          }),
        ),
      );
      const made = answers.flatMap((answer, index) => (answer !== 'not-found' && answer.isNew ? [index] : []));
      checkEqual(answers.includes('not-found'), false, 'Whether a write found no conversation');
      checkEqual(made.length, 1, 'The number of writes that made it');
      checkEqual((await store.find(ada, 'c-1'))?.title, `Write ${made[0]}`, 'The title');
      checkEqual((await listed(store, 'anyone')).total, 1, 'The number of conversations');
      checkGroups(await messageIds(store, 'c-1'), 20, 2);
    },
  },
  {
    name: 'gives an id to one of two users who create a conversation with it concurrently',
    run: async ({ store }) => {
      const answers = await Promise.all(
        upTo(20).map((index) =>
          store.save(
            { user: `user-${index % 2}` },
            {
              conversationId: 'c-1',
              messages: [sampleMessage(`m-${index}`)],
              create: sampleConversation('c-1', { userId: `user-${index % 2}` }),
            },
          ),
        ),
      );
      const written = answers.flatMap((answer, index) => (answer === 'not-found' ? [] : [index]));
      checkEqual(written.length, 10, 'The number of writes that found it');
      checkEqual(new Set(written.map((index) => index % 2)).size, 1, 'The number of people who wrote');
      checkEqual(
        (await messageIds(store, 'c-1')).toSorted(),
        written.map((index) => `m-${index}`).toSorted(),
        'What is there',
      );
    },
  },
  {
    name: 'shows a write completely or not at all',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      const reads: Promise<void>[] = [];
      const readWhole = async (id: string, size: number): Promise<void> => {
        const found = await store.messages('anyone', id, { limit: 1_000 });
        if (found === undefined) return;
        checkEqual(found.messages.length % size, 0, `What a reader sees of a group of ${size}`);
        if (id !== 'c-1') checkEqual(found.messages.length, size, 'What a reader sees of a new conversation');
      };
      const writes = upTo(10).flatMap((index) => {
        const make = {
          conversationId: `new-${index}`,
          messages: sampleMessages('m', 5),
          create: sampleConversation(`new-${index}`),
        };
        const written = [save(store, 'c-1', sampleMessages(`w${index}`, 4)), store.save(ada, make)];
        reads.push(readWhole('c-1', 4), readWhole(`new-${index}`, 5));
        return written;
      });
      for (let index = 0; index < 10; index += 1) {
        reads.push(readWhole('c-1', 4), readWhole(`new-${index}`, 5));
        await Promise.race(writes.slice(index));
      }
      await Promise.all([...writes, ...reads]);
      await readWhole('c-1', 40);
    },
  },
  {
    name: 'shows either the replaced or the new messages, and never none',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-0');
      for (let index = 1; index <= 8; index += 1) {
        const write = save(store, 'c-1', [sampleMessage(`a-${index}`)], { dropAfter: 'u-1' });
        const reads = upTo(4).map(() => messageIds(store, 'c-1'));
        const [read] = await Promise.all([Promise.all(reads), write]);
        for (const ids of read) {
          checkEqual(ids.length, 2, 'The number of messages that a reader sees');
        }
      }
      checkEqual(await messageIds(store, 'c-1'), ['u-1', 'a-8'], 'The messages');
    },
  },
  {
    name: 'writes nothing when a call fails',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      const before = await messagesOf(store, 'c-1');
      const unreadable = {
        get text(): never {
          throw new ConformanceError('This value cannot be read');
        },
      };
      const messages = [
        sampleMessage('m-3'),
        sampleMessage('m-1', { parts: [] }),
        sampleMessage('m-4', { metadata: unreadable }),
      ];
      const saves = [
        store.save(ada, { conversationId: 'c-1', messages, dropAfter: 'm-1' }),
        store.save(ada, { conversationId: 'c-2', messages, create: sampleConversation('c-2') }),
      ];
      const outcomes = await Promise.allSettled(saves);
      checkEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'rejected'],
        'What came of the writes',
      );
      checkEqual(await messagesOf(store, 'c-1'), before, 'The messages');
      checkEqual(await store.isTaken('c-2'), false, 'Whether the conversation was made');
      await save(store, 'c-1', [sampleMessage('m-5')]);
      checkEqual(await messageIds(store, 'c-1'), ['m-1', 'm-2', 'm-5'], 'The messages after the next write');
    },
  },
  {
    name: 'stores one message when concurrent writes use one id, in any order',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-0');
      const writes = upTo(16).map((index) => {
        const messages = ['m-1', 'm-2', 'm-3'].map((id) => sampleMessage(id, { metadata: { write: index } }));
        return save(store, 'c-1', index % 2 === 0 ? messages : messages.toReversed());
      });
      await Promise.all(writes);
      const [first, ...rest] = await messagesOf(store, 'c-1');
      checkEqual(first?.id, 'm-0', 'The first message');
      checkEqual(idsOf(rest).toSorted(), ['m-1', 'm-2', 'm-3'], 'The other messages');
      const [last] = rest;
      checkEqual(
        rest.map(({ metadata }) => metadata),
        rest.map(() => last?.metadata),
        'The writes that were the last for each of them',
      );
    },
  },
  {
    name: 'reports each dropped message once when concurrent writes drop it',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'u-1', 'a-0');
      const answers = await Promise.all(
        upTo(12).map((index) => save(store, 'c-1', [sampleMessage(`a-${index + 1}`)], { dropAfter: 'u-1' })),
      );
      const [question, ...left] = await messageIds(store, 'c-1');
      checkEqual([question, left.length], ['u-1', 1], 'The question, and the number of answers');
      const accounted = [...answers.flatMap(({ dropped }) => dropped), ...left];
      checkEqual(
        accounted.toSorted(),
        upTo(13)
          .map((index) => `a-${index}`)
          .toSorted(),
        'What was dropped, and what is left',
      );
    },
  },
  {
    name: 'deletes each message once when concurrent calls delete it',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', sampleMessages('m', 9));
      const ids = (await messageIds(store, 'c-1')).slice(0, 8);
      const deleted = await Promise.all(upTo(6).map(() => store.deleteMessages('anyone', 'c-1', ids)));
      checkEqual(deleted.flatMap((one) => one ?? []).toSorted(), ids, 'What the calls deleted together');
      checkEqual(await messageIds(store, 'c-1'), ['m-8'], 'What is left');
    },
  },
  {
    name: 'stores no message of a conversation that is deleted during a write',
    run: async ({ store }) => {
      for (let index = 0; index < 10; index += 1) {
        const id = `c-${index}`;
        await begin(store, id, 'm-1');
        const [, , deleted] = await Promise.all([
          store.save(ada, { conversationId: id, messages: sampleMessages('early', 3) }),
          store.update(ada, id, { title: 'New' }),
          store.delete(ada, id),
          store.save(ada, { conversationId: id, messages: sampleMessages('late', 3) }),
        ]);
        checkEqual(deleted, true, 'Whether it was there');
        checkEqual(await store.find('anyone', id), undefined, 'What is left of it');
        await begin(store, id);
        checkEqual(await messagesOf(store, id), [], 'The messages of what has the id now');
      }
    },
  },
  {
    name: 'completes many concurrent operations on many conversations',
    run: async ({ store }) => {
      await Promise.all(
        upTo(30).map(async (index) => {
          const id = `c-${index}`;
          await store.save(ada, {
            conversationId: id,
            messages: sampleMessages('m', 3),
            create: sampleConversation(id),
          });
          await Promise.all([
            store.update(ada, id, { title: `New ${id}` }),
            save(store, id, [sampleMessage('m-3')]),
            store.clone(ada, { id, newId: `copy-${index}`, includeMessages: true }),
            store.deleteMessages(ada, id, ['m-0']),
            store.messages(ada, id, { limit: 9 }),
            store.list(ada, { orderBy: 'updatedAt', direction: 'desc', limit: 9, offset: 0 }),
          ]);
        }),
      );
      checkEqual((await listed(store, ada)).total, 60, 'The number of conversations');
      for (const index of upTo(30)) {
        checkEqual(await messageIds(store, `c-${index}`), ['m-1', 'm-2', 'm-3'], 'The messages of one');
        checkEqual((await store.find(ada, `c-${index}`))?.title, `New c-${index}`, 'The title of one');
      }
    },
  },
];

/** Checks that the messages `w7-0`, `w7-1` and so on of each group are adjacent and in order. */
function checkGroups(ids: readonly string[], groups: number, size: number): void {
  checkEqual(ids.length, groups * size, 'The number of messages');
  checkEqual(new Set(ids).size, groups * size, 'The number of different messages');
  for (let index = 0; index < ids.length; index += size) {
    const prefix = ids[index]?.split('-')[0];
    const together = Array.from({ length: size }, (_, place) => `${prefix}-${place}`);
    checkEqual(ids.slice(index, index + size), together, 'The messages of one write');
  }
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
