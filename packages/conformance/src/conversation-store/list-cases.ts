import type { ConversationFilter } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { hostileText } from '../sample-values.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import { begin, everyConversation, listed, sampleConversation, sampleMessage, save } from './sample-conversations.ts';

const second = 1_000;

/** In the order of code points, which differs from that of a dictionary and of UTF-16. */
const titlesInOrder = [
  '',
  ' ',
  '!',
  '"',
  '"a"',
  "'",
  '1',
  '10',
  '2',
  'A',
  'B',
  'Z',
  '\\',
  '_',
  'a',
  'aB',
  'ab',
  'b',
  'e\u0301',
  'É',
  'ß',
  '漢',
  '\uFF5E',
  '🦆',
];

export const listCases: readonly ConversationStoreCase[] = [
  {
    name: 'lists nothing when nothing is stored',
    run: async ({ store }) => {
      checkEqual(await store.list('anyone', everyConversation), { conversations: [], total: 0 }, 'The list');
    },
  },
  {
    name: 'lists the same records as it finds',
    run: async ({ store }) => {
      await begin(store, 'c-1', 'm-1');
      await store.update('anyone', 'c-1', { title: 'New', metadata: { a: [1] } });
      const { conversations } = await store.list('anyone', everyConversation);
      checkEqual(conversations, [await store.find('anyone', 'c-1')], 'The list');
    },
  },
  {
    name: 'orders by creation, by last change and by title, in both directions',
    run: async ({ store, advance }) => {
      for (const [id, title] of [
        ['c-1', 'b'],
        ['c-3', 'c'],
        ['c-2', 'a'],
      ] as const) {
        await store.create(sampleConversation(id, { title }));
        await advance(second);
      }
      await store.update('anyone', 'c-3', { metadata: {} });
      await advance(second);
      await save(store, 'c-1', [sampleMessage('m-1')]);
      const expected: readonly (readonly [ConversationFilter['orderBy'], readonly string[]])[] = [
        ['createdAt', ['c-1', 'c-3', 'c-2']],
        ['updatedAt', ['c-2', 'c-3', 'c-1']],
        ['title', ['c-2', 'c-1', 'c-3']],
      ];
      for (const [orderBy, ids] of expected) {
        checkEqual((await listed(store, 'anyone', { orderBy })).ids, ids, `Those in order of ${orderBy}`);
        const descending = await listed(store, 'anyone', { orderBy, direction: 'desc' });
        checkEqual(descending.ids, ids.toReversed(), `Those in descending order of ${orderBy}`);
      }
    },
  },
  {
    name: 'orders titles by code point, whatever the locale of the machine',
    run: async ({ store }) => {
      const shuffled = titlesInOrder.toSorted((one, other) => weight(one) - weight(other));
      for (const [index, title] of shuffled.entries()) await store.create(sampleConversation(`c-${index}`, { title }));
      for (const direction of ['asc', 'desc'] as const) {
        const { conversations } = await store.list('anyone', { ...everyConversation, orderBy: 'title', direction });
        const expected = direction === 'asc' ? titlesInOrder : titlesInOrder.toReversed();
        checkEqual(
          conversations.map(({ title }) => title),
          expected,
          `The titles, ${direction}`,
        );
      }
    },
  },
  {
    name: 'orders equal values by id, by code point and in the requested direction',
    run: async ({ store }) => {
      const ids = ['1', '10', '2', 'A', 'B', '_', 'a', 'b'];
      for (const id of ['b', '10', 'B', '_', '2', 'a', '1', 'A']) {
        await store.create(sampleConversation(id, { title: 'Same' }));
      }
      checkEqual((await listed(store, 'anyone', { orderBy: 'title' })).ids, ids, 'Those of one title');
      const descending = await listed(store, 'anyone', { orderBy: 'title', direction: 'desc' });
      checkEqual(descending.ids, ids.toReversed(), 'Those of one title, descending');
    },
  },
  {
    name: 'orders conversations of the same time by id',
    run: async ({ store }) => {
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => store.create(sampleConversation(`c-${(index * 7) % 30}`))),
      );
      for (const orderBy of ['createdAt', 'updatedAt'] as const) {
        const { conversations } = await store.list('anyone', { ...everyConversation, orderBy });
        const inOrder = conversations.toSorted(
          (one, other) => one[orderBy] - other[orderBy] || (one.id < other.id ? -1 : 1),
        );
        checkEqual(
          conversations.map(({ id }) => id),
          inOrder.map(({ id }) => id),
          `Those in order of ${orderBy}`,
        );
      }
    },
  },
  {
    name: 'returns pages of the matches in order, and counts all matches on each page',
    run: async ({ store }) => {
      for (let index = 0; index < 7; index += 1) {
        await store.create(sampleConversation(`c-${index}`, { title: `Title ${index}` }));
        await store.create(sampleConversation(`other-${index}`, { title: `Title ${index}`, resourceId: 'other' }));
      }
      const filter = { resourceId: 'assistant', orderBy: 'title' } as const;
      const pages = [];
      for (const offset of [0, 3, 6, 9, 100_000]) {
        pages.push(await listed(store, ada, { ...filter, limit: 3, offset }));
      }
      checkEqual(
        pages,
        [['c-0', 'c-1', 'c-2'], ['c-3', 'c-4', 'c-5'], ['c-6'], [], []].map((ids) => ({ ids, total: 7 })),
        'The pages',
      );
    },
  },
  {
    name: 'filters by resource, by user and by both, comparing all characters',
    run: async ({ store }) => {
      for (const resourceId of ['assistant', 'Assistant', 'assistan_', '%', hostileText]) {
        for (const userId of ['ada', 'Ada', 'ad_', '%', hostileText]) {
          await store.create(sampleConversation(`${resourceId} of ${userId}`, { resourceId, userId }));
        }
      }
      const total = async (filter: Partial<ConversationFilter>): Promise<number> =>
        (await listed(store, 'anyone', filter)).total;
      checkEqual(await total({}), 25, 'The total of all');
      for (const text of ['ad_', '%', hostileText]) {
        checkEqual(await total({ userId: text }), 5, `The total of user ${text}`);
      }
      for (const text of ['assistan_', '%', hostileText]) {
        checkEqual(await total({ resourceId: text }), 5, `The total of resource ${text}`);
      }
      const both = await listed(store, 'anyone', { resourceId: 'assistant', userId: 'ada' });
      checkEqual(both, { ids: ['assistant of ada'], total: 1 }, 'Those of both');
      const own = await listed(store, { user: '%' }, { resourceId: '%' });
      checkEqual(own, { ids: ['% of %'], total: 1 }, 'Those of the resource among one’s own');
      checkEqual(await total({ resourceId: 'unknown' }), 0, 'The total of an unknown resource');
      checkEqual(await total({ resourceId: '' }), 0, 'The total of an empty resource');
    },
  },
  {
    name: 'moves a changed conversation in the order',
    run: async ({ store, advance }) => {
      for (const id of ['c-1', 'c-2', 'c-3']) {
        await begin(store, id);
        await advance(second);
      }
      const newestFirst = { orderBy: 'updatedAt', direction: 'desc' } as const;
      checkEqual((await listed(store, ada, newestFirst)).ids, ['c-3', 'c-2', 'c-1'], 'Those before');
      checkFound(await store.update(ada, 'c-1', { title: 'New' }), 'The first');
      checkEqual((await listed(store, ada, newestFirst)).ids, ['c-1', 'c-3', 'c-2'], 'Those after a change');
      await advance(second);
      await save(store, 'c-2', [sampleMessage('m-1')]);
      checkEqual((await listed(store, ada, newestFirst)).ids, ['c-2', 'c-1', 'c-3'], 'Those after a message');
    },
  },
];

/** A number that does not depend on the order of the texts. */
function weight(text: string): number {
  return (titlesInOrder.indexOf(text) * 7) % titlesInOrder.length;
}
