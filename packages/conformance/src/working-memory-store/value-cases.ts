import type { JsonValue } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { begin, sampleConversation } from '../conversation-store/sample-conversations.ts';
import { mutate } from '../mutate.ts';
import { hostileText, sampleValues, unstorableText } from '../sample-values.ts';
import { contentOf, ofConversation, ofUser, write } from './sample-keys.ts';
import type { WorkingMemoryStoreCase } from './working-memory-store-harness.ts';

const keys = [ofConversation('c-1'), ofUser('ada')];

export const valueCases: readonly WorkingMemoryStoreCase[] = [
  ...Object.entries(sampleValues).map(([name, value]): WorkingMemoryStoreCase => ({
    name: `returns content as it was written, as text, as JSON and in an object: ${name}`,
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        for (const content of [value, JSON.stringify(value), { value }, { '': [value] }]) {
          await write(workingMemory, key, content);
          checkEqual(await contentOf(workingMemory, key), [content], 'What is read');
          let seen: JsonValue | undefined;
          await workingMemory.update('anyone', key, (stored) => (seen = stored));
          checkEqual(seen, content, 'What a change is given');
          checkEqual(await contentOf(workingMemory, key), [content], 'What is read when it was written again');
        }
      }
      checkEqual('polluted' in {}, false, 'Whether every object is changed');
    },
  })),
  {
    name: 'distinguishes null, an empty text, false and 0 from no content',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        for (const content of [null, '', false, 0, 'null', 'undefined']) {
          await write(workingMemory, key, content);
          checkEqual(await contentOf(workingMemory, key), [content], `What is read of ${JSON.stringify(content)}`);
        }
      }
    },
  },
  {
    name: 'accepts ids of conversations and users with any characters',
    run: async ({ storage: { conversations, workingMemory } }) => {
      const ids = ['AZaz09_.:-', 'x'.repeat(255), '__proto__', 'constructor', hostileText, unstorableText, ' a ', 'a'];
      for (const id of ids) await conversations.create(sampleConversation(id, { userId: id }));
      for (const id of ids) {
        await write(workingMemory, ofConversation(id), { of: id }, { user: id });
        await write(workingMemory, ofUser(id), [id], { user: id });
      }
      for (const id of ids) {
        checkEqual(
          await contentOf(workingMemory, ofConversation(id)),
          [{ of: id }],
          'What is read of the conversation',
        );
        checkEqual(await workingMemory.read({ user: id }, ofUser(id)), [id], 'What is read of the user');
      }
    },
  },
  {
    name: 'is not affected by later changes of passed or returned objects',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        const content = { list: ['a'] };
        await write(workingMemory, key, content);
        content.list.push('changed');
        checkEqual(await contentOf(workingMemory, key), [{ list: ['a'] }], 'What is read');
        mutate(await workingMemory.read('anyone', key));
        let returned: JsonValue | undefined;
        await workingMemory.update('anyone', key, (stored) => (returned = stored));
        mutate(returned);
        checkEqual(await contentOf(workingMemory, key), [{ list: ['a'] }], 'What is read in the end');
      }
    },
  },
  {
    name: 'returns values that later writes do not change',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        await write(workingMemory, key, { list: ['a'] });
        const read = await workingMemory.read('anyone', key);
        let seen: JsonValue | undefined;
        await workingMemory.update('anyone', key, (content) => {
          seen = content;
          return { list: ['a', 'b'] };
        });
        await write(workingMemory, key, undefined);
        checkEqual([read, seen], [{ list: ['a'] }, { list: ['a'] }], 'The returned values');
      }
    },
  },
];
