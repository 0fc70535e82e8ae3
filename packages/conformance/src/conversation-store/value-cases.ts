import type { ConversationStore, JsonObject, Message, MessageRole } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { mutate } from '../mutate.ts';
import { hostileText, sampleValues, unstorableText } from '../sample-values.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import {
  begin,
  everyConversation,
  idsOf,
  listed,
  messagesOf,
  sampleConversation,
  sampleMessage,
  save,
  snapshotOf,
} from './sample-conversations.ts';
import { samplePartsByType } from './sample-parts.ts';

const roles: readonly MessageRole[] = ['system', 'user', 'assistant', 'tool'];
const legalId = 'AZaz09_.:-';

/**
 * Ids that stores must not interpret. The long ones have the maximum length of a server's and of an
 * identity provider's ids.
 */
const ids: Readonly<Record<string, string>> = {
  'all legal characters': legalId,
  'the maximum length': `${legalId}${'x'.repeat(245)}`,
  'a name of Object.prototype': '__proto__',
  'text that looks like a query': hostileText,
  'values that many databases refuse': unstorableText,
  'other scripts': 'Größe 漢字 🦆 e\u0301',
  'surrounding spaces': ' a ',
};

export const valueCases: readonly ConversationStoreCase[] = [
  ...Object.entries(samplePartsByType).map(([name, parts]): ConversationStoreCase => ({
    name: `returns the parts of messages complete and in order: ${name}`,
    run: async ({ store }) => {
      await begin(store, 'c-1');
      const message = sampleMessage('m-1', { role: 'assistant', parts: [...parts] });
      await save(store, 'c-1', [message]);
      await checkMessages(store, [message]);
      const turned = { ...message, parts: parts.toReversed() };
      await save(store, 'c-1', [turned]);
      await checkMessages(store, [turned]);
    },
  })),
  ...Object.entries(sampleValues).map(([name, value]): ConversationStoreCase => ({
    name: `returns values as they were written: ${name}`,
    run: async ({ store }) => {
      const metadata: JsonObject = { value };
      await store.create(sampleConversation('c-1', { metadata }));
      const messages = [
        sampleMessage('m-1', { metadata: value }),
        sampleMessage('m-2', { parts: [{ type: 'data-value', data: value }] }),
        sampleMessage('m-3', {
          parts: [{ type: 'tool-a', toolCallId: 'c', state: 'output-available', input: value, output: [value] }],
        }),
        sampleMessage('m-4', { parts: [{ type: 'text', text: JSON.stringify(value) }] }),
      ];
      await save(store, 'c-1', messages);
      await checkMessages(store, messages);
      checkEqual((await store.find('anyone', 'c-1'))?.metadata, metadata, 'The metadata');
      const updated = await store.update('anyone', 'c-1', { metadata: { again: value } });
      checkEqual(updated?.metadata, { again: value }, 'The metadata after a change');
      await store.clone('anyone', { id: 'c-1', newId: 'c-2', includeMessages: true });
      checkEqual((await store.find('anyone', 'c-2'))?.metadata, { again: value }, 'The metadata of a copy');
      const copies = (await messagesOf(store, 'c-2')).map(({ parts, metadata: of }) => [parts, of]);
      checkEqual(
        copies,
        messages.map(({ parts, metadata: of }) => [parts, of]),
        'The messages of a copy',
      );
      checkEqual('polluted' in {}, false, 'Whether every object is changed');
    },
  })),
  ...Object.entries(ids).map(([name, id]): ConversationStoreCase => ({
    name: `accepts any ids, users and titles: ${name}`,
    run: async ({ store }) => {
      const owner = { user: id };
      const create = sampleConversation(id, { resourceId: id, userId: id, title: id });
      const messages = [sampleMessage(id), sampleMessage(`${id}2`)];
      await begin(store, 'beside', id);
      checkEqual(await store.isTaken(id), false, 'Whether it is taken before');
      checkEqual(await store.find(owner, id), undefined, 'What is found before');
      const saved = await store.save(owner, { conversationId: id, messages, create });
      checkEqual(saved, { isNew: true, dropped: [] }, 'The answer');
      const conversation = checkFound(await store.find(owner, id), 'The conversation');
      checkEqual(conversation, { ...conversation, ...create }, 'The conversation');
      checkEqual(await store.isTaken(id), true, 'Whether it is taken');
      checkEqual((await store.update(owner, id, { title: `${id}!` }))?.title, `${id}!`, 'The title after a change');
      const filter = { resourceId: id, userId: id };
      checkEqual(await listed(store, owner, filter), { ids: [id], total: 1 }, 'The list');
      checkEqual(idsOf(await store.findMessages(owner, id, [id])), [id], 'The message');
      const again = { conversationId: id, messages: [sampleMessage(id, { metadata: id })], dropAfter: id };
      checkEqual(await store.save(owner, again), { isNew: false, dropped: [`${id}2`] }, 'The answer to another write');
      const found = await store.messages(owner, id, { limit: 9, roles: ['user'] });
      checkEqual(
        found?.messages.map((message) => [message.id, message.metadata]),
        [[id, id]],
        'The messages',
      );
      await store.clone(owner, { id, newId: `${id} copy`, title: id, includeMessages: true });
      checkEqual((await store.find(owner, `${id} copy`))?.title, id, 'The title of the copy');
      checkEqual(await store.deleteMessages(owner, id, [id]), [id], 'The messages deleted');
      checkEqual(await store.delete(owner, id), true, 'Whether it was there');
      checkEqual(
        (await snapshotOf(store, 'beside')).messages.length,
        1,
        'The number of messages in the other conversation',
      );
    },
  })),
  {
    name: 'stores every role of a message',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      const messages = roles.map((role) => sampleMessage(role, { role, parts: [] }));
      await save(store, 'c-1', messages);
      await checkMessages(store, messages);
    },
  },
  {
    name: 'distinguishes metadata that is null from absent metadata',
    run: async ({ store }) => {
      await begin(store, 'c-1');
      await save(store, 'c-1', [sampleMessage('m-1'), sampleMessage('m-2', { metadata: null })]);
      const metadata = (await messagesOf(store, 'c-1')).map((message) => message.metadata === undefined);
      checkEqual(metadata, [true, false], 'Whether the metadata is absent');
    },
  },
  {
    name: 'stores a title of ten kilobytes and a text of a megabyte',
    run: async ({ store }) => {
      const title = 'é'.repeat(5_000);
      await store.create(sampleConversation('c-2', { title: `${title}.` }));
      await store.create(sampleConversation('c-1', { title }));
      const message = sampleMessage('m-1', { parts: [{ type: 'text', text: '🦆é'.repeat(200_000) }] });
      await save(store, 'c-1', [message]);
      await checkMessages(store, [message]);
      const { conversations } = await store.list('anyone', { ...everyConversation, orderBy: 'title' });
      checkEqual(
        conversations.map((conversation) => conversation.title),
        [title, `${title}.`],
        'The titles',
      );
    },
  },
  {
    name: 'is not affected by later changes of passed objects',
    run: async ({ store }) => {
      const metadata = { tags: ['a'] };
      const created = store.create(sampleConversation('c-1', { metadata }));
      metadata.tags.push('changed');
      checkEqual((await created)?.metadata, { tags: ['a'] }, 'The metadata of the new conversation');
      const message: Message = sampleMessage('m-1', { metadata: { tags: ['a'] } });
      const before = structuredClone(message);
      const messages = [message];
      const saving = save(store, 'c-1', messages);
      message.parts.push({ type: 'step-start' });
      messages.push(sampleMessage('m-2'));
      await saving;
      message.parts.length = 0;
      await checkMessages(store, [before]);
      checkEqual((await store.find('anyone', 'c-1'))?.metadata, { tags: ['a'] }, 'The metadata');
    },
  },
  {
    name: 'is not affected by changes of returned objects',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      const returned = async (): Promise<unknown[]> => [
        await store.find('anyone', 'c-1'),
        await store.list('anyone', everyConversation),
        await store.messages('anyone', 'c-1', { limit: 9 }),
        await store.findMessages('anyone', 'c-1', ['m-1']),
      ];
      const before = JSON.stringify(await returned());
      mutate(await returned());
      checkEqual(JSON.stringify(await returned()), before, 'The values after the caller has changed them');
    },
  },
  {
    name: 'returns values that later writes do not change',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1', 'm-2');
      const records = [
        await store.find('anyone', 'c-1'),
        await store.list('anyone', everyConversation),
        await store.messages('anyone', 'c-1', { limit: 9 }),
        await store.findMessages('anyone', 'c-1', ['m-1', 'm-2']),
      ];
      const before = JSON.stringify(records);
      await save(store, 'c-1', [sampleMessage('m-2', { parts: [] }), sampleMessage('m-3')]);
      await store.update('anyone', 'c-1', { title: 'New', metadata: { new: true } });
      await store.deleteMessages('anyone', 'c-1', ['m-1']);
      await store.delete('anyone', 'c-1');
      checkEqual(JSON.stringify(records), before, 'The returned values');
    },
  },
];

async function checkMessages(store: ConversationStore, expected: readonly Message[]): Promise<void> {
  const messages = (await messagesOf(store, 'c-1')).map(({ createdAt: _time, ...message }) => message);
  checkEqual(messages, expected, 'The messages');
}
