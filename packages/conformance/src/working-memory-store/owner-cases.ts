import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { checkEqual, outcomeOf } from '../check.ts';
import { begin } from '../conversation-store/sample-conversations.ts';
import { ada, ben } from '../sample-owners.ts';
import { contentOf, ofConversation, ofUser, write } from './sample-keys.ts';
import type { WorkingMemoryStoreCase } from './working-memory-store-harness.ts';

const secret = 'what Ada said';

export const ownerCases: readonly WorkingMemoryStoreCase[] = [
  {
    name: 'treats a conversation of another user like one that does not exist, and does not change its content',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'of-ada');
      await write(workingMemory, ofConversation('of-ada'), secret);
      for (const owner of [ben, { user: '' }, { user: 'Ada' }]) {
        const foreign = await allOutcomes(workingMemory, owner, ofConversation('of-ada'));
        const unknown = await allOutcomes(workingMemory, owner, ofConversation('unknown'));
        checkEqual(foreign, unknown, `What ${JSON.stringify(owner)} is answered`);
        checkEqual(foreign, notThere, `What ${JSON.stringify(owner)} is answered`);
      }
      checkEqual(await contentOf(workingMemory, ofConversation('of-ada')), [secret], 'The content');
      checkEqual(
        await allOutcomes(workingMemory, 'anyone', ofConversation('unknown')),
        notThere,
        'What anyone is answered',
      );
      await begin(conversations, 'unknown');
      checkEqual(
        await contentOf(workingMemory, ofConversation('unknown')),
        [],
        'The content of the unknown one, when it is made',
      );
    },
  },
  {
    name: 'treats the content of another user as if there were none, and does not change it',
    run: async ({ storage: { workingMemory } }) => {
      await write(workingMemory, ofUser('ada'), secret, ada);
      for (const owner of [ben, { user: '' }, { user: 'Ada' }]) {
        checkEqual(
          await allOutcomes(workingMemory, owner, ofUser('ada')),
          notThere,
          `What ${JSON.stringify(owner)} is answered`,
        );
        checkEqual(
          await allOutcomes(workingMemory, owner, ofUser('zoe')),
          notThere,
          `What ${JSON.stringify(owner)} is answered`,
        );
      }
      checkEqual(await contentOf(workingMemory, ofUser('ada')), [secret], 'The content of Ada');
      checkEqual(await contentOf(workingMemory, ofUser('zoe')), [], 'The content of the user who has none');
    },
  },
  {
    name: 'lets the owner and anyone read and change the content',
    run: async ({ storage: { conversations, workingMemory } }) => {
      await begin(conversations, 'of-ada');
      for (const key of [ofConversation('of-ada'), ofUser('ada')]) {
        for (const owner of [ada, 'anyone'] as const) {
          const content = `by ${JSON.stringify(owner)}`;
          await write(workingMemory, key, content, owner);
          checkEqual(await workingMemory.read(owner, key), content, 'What is read');
        }
      }
    },
  },
];

const notThere = { read: [undefined], update: [false], clear: [false], seen: [] };

async function allOutcomes(store: WorkingMemoryStore, owner: Owner, key: WorkingMemoryKey): Promise<unknown> {
  const seen: JsonValue[] = [];
  const changing = (made: JsonValue | undefined) => (content: JsonValue | undefined) => {
    if (content !== undefined) seen.push(content);
    return made;
  };
  return {
    read: [await outcomeOf(store.read(owner, key))],
    update: [await outcomeOf(store.update(owner, key, changing('overwritten')))],
    clear: [await outcomeOf(store.update(owner, key, changing(undefined)))],
    seen,
  };
}
