import type { UserRecord } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import {
  messagesOf,
  sampleConversation,
  sampleMessage,
  sampleMessages,
  save,
} from '../conversation-store/sample-conversations.ts';
import { sampleEvent } from '../execution-store/sample-records.ts';
import { begin as beginExecution } from '../execution-store/test-runner.ts';
import { ada } from '../sample-owners.ts';
import { hostileText, sampleValues, unstorableText } from '../sample-values.ts';
import { ofConversation, ofUser, write } from '../working-memory-store/sample-keys.ts';
import { exported, exportedSorted, fill, nameOf } from './sample-user.ts';
import type { UserDataCase } from './user-data-harness.ts';

export const exportCases: readonly UserDataCase[] = [
  {
    name: 'exports nothing of an unknown user',
    run: async ({ storage }) => {
      checkEqual(await exported(storage, 'ada'), [], 'What an empty storage has');
      await fill(storage, 'ben');
      for (const userId of ['ada', '', 'be_', '%', 'Ben']) {
        checkEqual(await exported(storage, userId), [], `What is exported of "${userId}"`);
      }
    },
  },
  {
    name: 'exports all data of a user in all stores, each record once, and no data of others',
    run: async ({ storage }) => {
      for (const userId of ['ben', 'ada', 'zoe']) await fill(storage, userId);
      await storage.conversations.create(sampleConversation('of-ada-too', { userId: 'ada', resourceId: 'other' }));
      await beginExecution(storage.executions, { id: 'of-nobody' });
      checkEqual(
        await exportedSorted(storage, 'ada'),
        [
          'conversation ada:silent',
          'conversation ada:talk',
          'conversation of-ada-too',
          'execution ada:ended',
          'execution ada:ended:child',
          'execution ada:leased',
          'execution ada:leased:child',
          'execution ada:waiting',
          'execution ada:waiting:child',
          'message ada:talk m-0',
          'message ada:talk m-1',
          'message ada:talk m-2',
          'working memory',
        ],
        'What is exported',
      );
    },
  },
  {
    name: 'exports the records that the stores return: conversations, messages, working memory, executions and their events',
    run: async ({ storage }) => {
      await fill(storage, 'ada');
      const { conversations, executions } = storage;
      const written = { conversationId: 'ada:talk', messageId: 'm-1', writer: 'w', length: 1 };
      await conversations.saveParts?.(ada, { ...written, parts: [{ place: 0, part: { type: 'step-start' } }] });
      const messages = await messagesOf(conversations, 'ada:talk');
      for (const record of await exported(storage, 'ada')) {
        const what = `The ${nameOf(record)}`;
        switch (record.type) {
          case 'conversation': {
            const { id } = record.conversation;
            checkEqual(record.conversation, await conversations.find(ada, id), what);
            const expected = id === 'ada:talk' ? { of: id } : undefined;
            checkEqual(record.workingMemory, expected, `${what}: its working memory`);
            break;
          }
          case 'message':
            checkEqual(
              record.message,
              messages.find(({ id }) => id === record.message.id),
              what,
            );
            break;
          case 'working-memory':
            checkEqual(record.content, 'Of ada', what);
            break;
          case 'execution': {
            const { id } = record.execution;
            checkEqual(record.execution, await executions.find(ada, id), what);
            checkEqual(record.events, await executions.events(ada, id, { after: 0, limit: 99 }), `${what}: its events`);
          }
        }
      }
    },
  },
  {
    name: 'exports all messages of a conversation after it, in order',
    run: async ({ storage }) => {
      for (const [id, count] of [
        ['c-1', 3],
        ['c-2', 2_500],
        ['c-3', 1],
      ] as const) {
        await storage.conversations.create(sampleConversation(id));
        await save(storage.conversations, id, sampleMessages('m', count).toReversed());
      }
      const records = await exported(storage, 'ada');
      for (const id of ['c-1', 'c-2', 'c-3']) {
        const [first, ...rest] = records.filter((record) => isOf(record, id));
        checkEqual(first?.type, 'conversation', `The first record of ${id}`);
        const messages = rest.flatMap((record) => (record.type === 'message' ? [record.message] : []));
        checkEqual(messages, await messagesOf(storage.conversations, id), `The messages of ${id}`);
      }
    },
  },
  {
    name: 'exports every conversation, every execution and all of its events',
    run: async ({ storage }) => {
      const count = 260;
      for (let index = 0; index < count; index += 1) {
        await storage.conversations.create(sampleConversation(`c-${index}`));
        await beginExecution(storage.executions, { id: `e-${index}`, userId: 'ada' });
      }
      const long = await beginExecution(storage.executions, { id: 'long', userId: 'ada' });
      const events = Array.from({ length: 1_200 }, () => sampleEvent('step-complete'));
      await long.write({ changes: [{ events }] });
      const records = await exported(storage, 'ada');
      checkEqual(new Set(records.map(nameOf)).size, 2 * count + 1, 'The number of different records');
      checkEqual(records.length, 2 * count + 1, 'The number of records');
      const longest = checkFound(
        records.find((record) => nameOf(record) === 'execution long'),
        'The long execution',
      );
      const seqs = longest.type === 'execution' ? longest.events.map(({ seq }) => seq) : [];
      checkEqual(
        seqs,
        Array.from({ length: 1_201 }, (_, index) => index + 1),
        'The numbers of its events',
      );
    },
  },
  {
    name: 'exports values as they were written, for any user id',
    run: async ({ storage }) => {
      for (const userId of ['__proto__', hostileText, unstorableText]) {
        const create = sampleConversation(`c ${userId}`, { userId, title: unstorableText, metadata: sampleValues });
        const message = sampleMessage(unstorableText, { metadata: sampleValues });
        await storage.conversations.save({ user: userId }, { conversationId: create.id, messages: [message], create });
        await write(storage.workingMemory, ofConversation(create.id), null);
        await write(storage.workingMemory, ofUser(userId), sampleValues);
        const [conversation, exportedMessage, memory, ...others] = await exported(storage, userId);
        checkEqual(others, [], 'What else is exported');
        const of = conversation?.type === 'conversation' ? conversation : undefined;
        checkEqual([of?.conversation.metadata, of?.workingMemory], [sampleValues, null], 'The conversation');
        const metadata = exportedMessage?.type === 'message' ? exportedMessage.message.metadata : undefined;
        checkEqual(metadata, sampleValues, 'The metadata of the message');
        checkEqual(memory, { type: 'working-memory', content: sampleValues }, 'The working memory');
      }
    },
  },
  {
    name: 'releases its resources when a reader stops early, and exports the same to several readers',
    run: async ({ storage }) => {
      for (const userId of ['ada', 'ben']) await fill(storage, userId);
      for (let times = 0; times < 40; times += 1) {
        for await (const record of storage.users.export('ada')) {
          checkFound(record, 'The first record');
          break;
        }
      }
      const all = await exportedSorted(storage, 'ada');
      checkEqual(all.length, 12, 'The number of records');
      const readers = await Promise.all(Array.from({ length: 12 }, () => exportedSorted(storage, 'ada')));
      for (const read of readers) checkEqual(read, all, 'What one of several readers gets');
    },
  },
  {
    name: 'continues when the reader reads and deletes data during the export',
    run: async ({ storage }) => {
      await fill(storage, 'ada');
      const types = new Set<string>();
      for await (const record of storage.users.export('ada')) {
        types.add(record.type);
        if (record.type === 'conversation') await storage.conversations.delete(ada, record.conversation.id);
        else await storage.conversations.find(ada, 'ada:talk');
      }
      checkEqual(
        types.has('conversation') && types.has('execution'),
        true,
        'Whether it exports conversations and executions',
      );
      checkEqual(
        (await exported(storage, 'ada')).some(({ type }) => type === 'conversation'),
        false,
        'Whether one is left',
      );
    },
  },
];

function isOf(record: UserRecord, conversationId: string): boolean {
  if (record.type === 'conversation') return record.conversation.id === conversationId;
  return record.type === 'message' && record.conversationId === conversationId;
}
