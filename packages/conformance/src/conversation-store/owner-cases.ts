import type { ConversationStore, Owner } from '@halyard/contracts';
import { checkEqual, outcomeOf } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import { begin, idsOf, listed, sampleConversation, sampleMessage, snapshotOf } from './sample-conversations.ts';

export const ownerCases: readonly ConversationStoreCase[] = [
  {
    name: 'treats data of another user like data that does not exist, and does not change it',
    run: async ({ store }) => {
      await begin(store, 'of-ada', 'm-1', 'm-2', 'm-3');
      const before = await snapshotOf(store, 'of-ada');
      for (const owner of [ben, { user: '' }, { user: 'Ada' }, { user: 'ada ' }, { user: '%' }]) {
        const foreign = await allOutcomes(store, owner, 'of-ada');
        const unknown = await allOutcomes(store, owner, 'unknown');
        checkEqual(foreign, unknown, `What ${JSON.stringify(owner)} is answered`);
        checkEqual(foreign, notThere, `What ${JSON.stringify(owner)} is answered`);
      }
      checkEqual(await snapshotOf(store, 'of-ada'), before, 'The conversation');
      checkEqual((await listed(store, 'anyone')).total, 1, 'The number of conversations');
    },
  },
  {
    name: 'allows every operation to the owner and to anyone',
    run: async ({ store }) => {
      for (const owner of [ada, 'anyone'] as const) {
        await begin(store, 'c-1', 'm-1', 'm-2');
        const found = await store.messages(owner, 'c-1', { limit: 9 });
        const answers = {
          find: (await store.find(owner, 'c-1'))?.id,
          messages: idsOf(found?.messages ?? []),
          countMessages: await store.countMessages(owner, 'c-1', Infinity),
          findMessages: idsOf(await store.findMessages(owner, 'c-1', ['m-2'])),
          update: (await store.update(owner, 'c-1', { title: 'New' }))?.title,
          save: await store.save(owner, { conversationId: 'c-1', messages: [sampleMessage('m-3')] }),
          deleteMessages: await store.deleteMessages(owner, 'c-1', ['m-1']),
          clone: await store.clone(owner, { id: 'c-1', newId: 'copy', includeMessages: false }),
          delete: await store.delete(owner, 'c-1'),
        };
        const { clone, ...others } = answers;
        checkEqual(
          others,
          {
            find: 'c-1',
            messages: ['m-1', 'm-2'],
            countMessages: 2,
            findMessages: ['m-2'],
            update: 'New',
            save: { isNew: false, dropped: [] },
            deleteMessages: ['m-1'],
            delete: true,
          },
          'The answers',
        );
        checkEqual(typeof clone === 'string' ? clone : clone.conversation.userId, 'ada', 'The copy’s user');
        checkEqual(await store.delete(owner, 'copy'), true, 'Whether the copy was there');
      }
    },
  },
  {
    name: 'lists and counts only data of the owner',
    run: async ({ store }) => {
      for (const [id, userId] of [
        ['a-1', 'ada'],
        ['b-1', 'ben'],
        ['a-2', 'ada'],
      ] as const) {
        await store.create(sampleConversation(id, { userId }));
      }
      checkEqual(await listed(store, ada, { limit: 1 }), { ids: ['a-1'], total: 2 }, 'The first page of Ada');
      checkEqual(await listed(store, ada, { offset: 1 }), { ids: ['a-2'], total: 2 }, 'The rest of Ada');
      checkEqual(await listed(store, ben), { ids: ['b-1'], total: 1 }, 'What Ben lists');
      checkEqual(await listed(store, ben, { userId: 'ben' }), { ids: ['b-1'], total: 1 }, 'What Ben lists of Ben');
      checkEqual(await listed(store, ben, { userId: 'ada' }), { ids: [], total: 0 }, 'What Ben lists of Ada');
      checkEqual(await listed(store, { user: '' }), { ids: [], total: 0 }, 'What a person without an id lists');
      checkEqual(await listed(store, 'anyone', { userId: 'ada' }), { ids: ['a-1', 'a-2'], total: 2 }, 'Those of Ada');
      checkEqual((await listed(store, 'anyone')).total, 3, 'The number for anyone');
    },
  },
  {
    name: 'creates and writes nothing when another user has the id',
    run: async ({ store }) => {
      await begin(store, 'of-ada', 'm-1');
      const before = await snapshotOf(store, 'of-ada');
      const answer = await store.save(ben, {
        conversationId: 'of-ada',
        messages: [sampleMessage('m-1', { parts: [] }), sampleMessage('m-2')],
        create: sampleConversation('of-ada', { userId: 'ben' }),
        dropAfter: 'm-1',
      });
      checkEqual(answer, 'not-found', 'The answer');
      checkEqual(await snapshotOf(store, 'of-ada'), before, 'The conversation');
      checkEqual((await listed(store, ben)).total, 0, 'The number of conversations of Ben');
    },
  },
];

const notThere = {
  find: [undefined],
  messages: [undefined],
  filtered: [undefined],
  countMessages: [0],
  findMessages: [[]],
  update: [undefined],
  save: ['not-found'],
  deleteMessages: [undefined],
  clone: ['not-found'],
  delete: [false],
};

/** The result of each method for one id, in arrays that distinguish undefined from null. */
async function allOutcomes(store: ConversationStore, owner: Owner, id: string): Promise<Record<string, unknown>> {
  return {
    find: [await outcomeOf(store.find(owner, id))],
    messages: [await outcomeOf(store.messages(owner, id, { limit: 9 }))],
    filtered: [await outcomeOf(store.messages(owner, id, { limit: 9, after: 0, roles: ['user'] }))],
    countMessages: [await outcomeOf(store.countMessages(owner, id, Infinity))],
    findMessages: [await outcomeOf(store.findMessages(owner, id, ['m-1', 'm-2']))],
    update: [await outcomeOf(store.update(owner, id, { title: 'Mine', metadata: { mine: true } }))],
    save: [
      await outcomeOf(
        store.save(owner, { conversationId: id, messages: [sampleMessage('m-1', { parts: [] })], dropAfter: 'm-1' }),
      ),
    ],
    deleteMessages: [await outcomeOf(store.deleteMessages(owner, id, ['m-1']))],
    clone: [await outcomeOf(store.clone(owner, { id, newId: 'copy', includeMessages: true }))],
    delete: [await outcomeOf(store.delete(owner, id))],
  };
}
