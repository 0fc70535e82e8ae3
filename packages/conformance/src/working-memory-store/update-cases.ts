import type { JsonValue, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { ConformanceError } from '../conformance-error.ts';
import { begin } from '../conversation-store/sample-conversations.ts';
import { contentOf, ofConversation, ofUser, write } from './sample-keys.ts';
import type { WorkingMemoryStoreCase } from './working-memory-store-harness.ts';

const keys = [ofConversation('c-1'), ofUser('ada')];

export const updateCases: readonly WorkingMemoryStoreCase[] = [
  {
    name: 'reads nothing before the first write, and then the last written content',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        checkEqual(await contentOf(workingMemory, key), [], 'What is read before');
        await write(workingMemory, key, '# Facts\n- likes tea');
        checkEqual(await contentOf(workingMemory, key), ['# Facts\n- likes tea'], 'What is read');
        await write(workingMemory, key, { likes: ['tea'] });
        checkEqual(await contentOf(workingMemory, key), [{ likes: ['tea'] }], 'What is read after the next');
      }
    },
  },
  {
    name: 'passes the stored content to a change, and undefined when there is none',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        checkEqual(await lastSeen(workingMemory, key), [], 'What the first change is given');
        await write(workingMemory, key, { a: 1 });
        checkEqual(await lastSeen(workingMemory, key), [{ a: 1 }], 'What the next change is given');
      }
    },
  },
  {
    name: 'deletes the content when a change returns undefined, also when there is none',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        await write(workingMemory, key, undefined);
        checkEqual(await contentOf(workingMemory, key), [], 'What is read when nothing was cleared');
        await write(workingMemory, key, 'text');
        await write(workingMemory, key, undefined);
        checkEqual(await contentOf(workingMemory, key), [], 'What is read when it was cleared');
        checkEqual(await lastSeen(workingMemory, key), [], 'What the next change is given');
        await write(workingMemory, key, 'again');
        checkEqual(await contentOf(workingMemory, key), ['again'], 'What is read when it was written again');
      }
    },
  },
  {
    name: 'throws the error of a change, writes nothing, and accepts later changes',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        await throwing(workingMemory, key);
        checkEqual(await contentOf(workingMemory, key), [], 'What is read when there was nothing');
        await write(workingMemory, key, { list: ['a'] });
        await throwing(workingMemory, key);
        checkEqual(await contentOf(workingMemory, key), [{ list: ['a'] }], 'What is read when there was something');
        await write(workingMemory, key, 'next');
        checkEqual(await contentOf(workingMemory, key), ['next'], 'What is read after the next change');
      }
    },
  },
  {
    name: 'loses no concurrent change: each gets the content of the one before',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      const count = 40;
      await Promise.all(
        keys.flatMap((key) => Array.from({ length: count }, (_, index) => append(workingMemory, key, index))),
      );
      for (const key of keys) {
        const [content] = await contentOf(workingMemory, key);
        const items = itemsOf(content);
        checkEqual(items.length, count, 'The number of items');
        checkEqual(new Set(items).size, count, 'The number of different items');
      }
    },
  },
  {
    name: 'loses no concurrent change when some of them throw or delete',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'c-1');
      for (const key of keys) {
        await write(workingMemory, key, []);
        const outcomes = await Promise.allSettled(
          Array.from({ length: 30 }, (_, index) =>
            index % 3 === 0
              ? workingMemory.update('anyone', key, () => {
                  throw new ConformanceError(`Change ${index}`);
                })
              : append(workingMemory, key, index),
          ),
        );
        const rejected = outcomes.filter(({ status }) => status === 'rejected').length;
        checkEqual(rejected, 10, 'The number of changes that failed');
        const [content] = await contentOf(workingMemory, key);
        checkEqual(itemsOf(content).length, 20, 'The number of items');
      }
    },
  },
  {
    name: 'separates the content of conversations and users, also when their ids are the same',
    run: async ({ storage: { conversations, workingMemory } }) => {
      const all = [ofConversation('ada'), ofConversation('ben'), ofUser('ada'), ofUser('ben')];
      for (const id of ['ada', 'ben']) await begin(conversations, id);
      for (const [index, key] of all.entries()) {
        for (const other of all.slice(index))
          checkEqual(await contentOf(workingMemory, other), [], 'What is read before');
        await write(workingMemory, key, `content ${index}`);
      }
      for (const [index, key] of all.entries()) {
        checkEqual(await contentOf(workingMemory, key), [`content ${index}`], `What is read of ${JSON.stringify(key)}`);
      }
      await write(workingMemory, ofUser('ada'), undefined);
      checkEqual(await contentOf(workingMemory, ofConversation('ada')), ['content 0'], 'What the conversation keeps');
      checkEqual(await contentOf(workingMemory, ofUser('ben')), ['content 3'], 'What the other user keeps');
    },
  },
];

async function lastSeen(store: WorkingMemoryStore, key: WorkingMemoryKey): Promise<readonly JsonValue[]> {
  let seen: readonly JsonValue[] = [];
  const written = await store.update('anyone', key, (content) => {
    seen = content === undefined ? [] : [content];
    return content;
  });
  checkEqual(written, true, 'Whether it was written');
  return seen;
}

async function throwing(store: WorkingMemoryStore, key: WorkingMemoryKey): Promise<void> {
  const fault = new ConformanceError('The content does not fit');
  const outcome = await store
    .update('anyone', key, () => {
      throw fault;
    })
    .catch((error: unknown) => (error === fault ? 'what was thrown' : error));
  checkEqual(outcome, 'what was thrown', 'What the call rejects with');
}

async function append(store: WorkingMemoryStore, key: WorkingMemoryKey, item: number): Promise<void> {
  const written = await store.update('anyone', key, (content) => [...itemsOf(content), item]);
  checkEqual(written, true, `Whether item ${item} was written`);
}

function itemsOf(content: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(content) ? content.map((item: JsonValue) => item) : [];
}
