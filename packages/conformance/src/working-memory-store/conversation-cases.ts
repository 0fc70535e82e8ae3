import { checkEqual } from '../check.ts';
import { begin, sampleConversation, sampleMessage, save } from '../conversation-store/sample-conversations.ts';
import { ada } from '../sample-owners.ts';
import { contentOf, ofConversation, ofUser, write } from './sample-keys.ts';
import type { WorkingMemoryStoreCase } from './working-memory-store-harness.ts';

const original = ofConversation('c-1');
const copy = ofConversation('c-2');

export const conversationCases: readonly WorkingMemoryStoreCase[] = [
  {
    name: 'deletes the content of a deleted conversation, and keeps that of its user',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      await begin(conversations, 'c-2');
      await write(workingMemory, original, 'of the conversation');
      await write(workingMemory, copy, 'of the other');
      await write(workingMemory, ofUser('ada'), 'of the user');
      await conversations.delete('anyone', 'c-1');
      checkEqual(await contentOf(workingMemory, original), [], 'What is left of it');
      checkEqual(await workingMemory.update('anyone', original, () => 'late'), false, 'Whether it can be written');
      await begin(conversations, 'c-1');
      checkEqual(await contentOf(workingMemory, original), [], 'That of what has the id now');
      checkEqual(await contentOf(workingMemory, copy), ['of the other'], 'That of the other conversation');
      checkEqual(await contentOf(workingMemory, ofUser('ada')), ['of the user'], 'That of the user');
    },
  },
  {
    name: 'keeps the content when its conversation is updated or written to',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1', 'm-1', 'm-2');
      await write(workingMemory, original, { a: 1 });
      await conversations.update(ada, 'c-1', { title: 'New', metadata: {} });
      await save(conversations, 'c-1', [sampleMessage('m-3')], { dropAfter: 'm-1' });
      await conversations.save(ada, { conversationId: 'c-1', messages: [], create: sampleConversation('c-1') });
      await conversations.deleteMessages(ada, 'c-1', ['m-1', 'm-3']);
      checkEqual(await contentOf(workingMemory, original), [{ a: 1 }], 'The content');
    },
  },
  {
    name: 'copies the content with its conversation, with or without messages, and keeps both independent',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1', 'm-1');
      await write(workingMemory, original, { list: ['a'] });
      await conversations.clone('anyone', { id: 'c-1', newId: 'c-2', includeMessages: true });
      await conversations.clone('anyone', { id: 'c-1', newId: 'c-3', includeMessages: false });
      checkEqual(await contentOf(workingMemory, copy), [{ list: ['a'] }], 'That of the copy');
      checkEqual(await contentOf(workingMemory, ofConversation('c-3')), [{ list: ['a'] }], 'That of the one without');
      await write(workingMemory, copy, { list: ['a', 'b'] });
      await write(workingMemory, ofConversation('c-3'), undefined);
      checkEqual(await contentOf(workingMemory, original), [{ list: ['a'] }], 'That of the original');
      await conversations.delete('anyone', 'c-1');
      checkEqual(await contentOf(workingMemory, copy), [{ list: ['a', 'b'] }], 'That of the copy in the end');
    },
  },
  {
    name: 'has no content in the copy of a conversation without content',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      await write(workingMemory, ofUser('ada'), 'of the user');
      await conversations.clone('anyone', { id: 'c-1', newId: 'c-2', includeMessages: true });
      checkEqual(await contentOf(workingMemory, copy), [], 'That of the copy');
    },
  },
  {
    name: 'stores nothing of a conversation that is deleted during a change',
    run: async ({ storage: { conversations, workingMemory } }) => {
      for (let index = 0; index < 10; index += 1) {
        const key = ofConversation(`c-${index}`);
        await begin(conversations, `c-${index}`);
        await Promise.all([
          workingMemory.update(ada, key, () => 'early'),
          conversations.delete(ada, `c-${index}`),
          workingMemory.update(ada, key, () => 'late'),
        ]);
        checkEqual(await contentOf(workingMemory, key), [], 'What is left of it');
        await begin(conversations, `c-${index}`);
        checkEqual(await contentOf(workingMemory, key), [], 'That of what has the id now');
      }
    },
  },
];
