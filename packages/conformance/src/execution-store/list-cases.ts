import type { ExecutionFilter, ExecutionStore, JsonObject } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { ada } from '../sample-owners.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { everyRoot, sampleChild, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin } from './test-runner.ts';

export const listCases: readonly ExecutionStoreCase[] = [
  {
    name: 'lists the newest first, also those of the same time',
    run: async ({ store, advance }) => {
      for (const id of ['d', 'a', 'c']) await store.create(sampleExecution(id), { requestId: 'r' });
      await advance(1_000);
      for (const id of ['e', 'b']) await store.create(sampleExecution(id), { requestId: 'r' });
      checkEqual(await listed(store, {}), { ids: ['b', 'e', 'c', 'a', 'd'], total: 5 }, 'The list');
    },
  },
  {
    name: 'keeps the order of the list when executions change',
    run: async ({ store }) => {
      const first = await begin(store, { id: 'first' });
      await begin(store, { id: 'second' });
      await first.finish();
      checkEqual(await listed(store, {}), { ids: ['second', 'first'], total: 2 }, 'The list');
    },
  },
  {
    name: 'lists the same execution records as it finds',
    run: async ({ store }) => {
      const runner = await begin(store, { userId: 'ada', metadata: { a: 1 } });
      await runner.suspend(sampleSuspension('s-1', 'a'));
      const { executions } = await store.list(ada, everyRoot);
      checkEqual(executions, [await store.find(ada, 'run')], 'The list');
    },
  },
  {
    name: 'says whether others follow',
    run: async ({ store }) => {
      for (const id of ['a', 'b', 'c'])
        await store.create(sampleExecution(id, { workflowId: id === 'b' ? 'other' : 'orders' }), { requestId: 'r' });
      const pages: readonly (readonly [Partial<ExecutionFilter>, boolean])[] = [
        [{ limit: 2 }, true],
        [{ limit: 3 }, false],
        [{ limit: 4 }, false],
        [{ limit: 2, offset: 1 }, false],
        [{ limit: 1, offset: 1 }, true],
        [{ limit: 1, offset: 9 }, false],
        [{ limit: 1, after: 'b' }, false],
        [{ limit: 1, workflowId: 'orders' }, true],
        [{ limit: 2, workflowId: 'orders' }, false],
      ];
      for (const [filter, expected] of pages)
        checkEqual((await store.list('anyone', { ...everyRoot, ...filter })).hasMore, expected, JSON.stringify(filter));
    },
  },
  {
    name: 'leaves the executions of workflows out, also of the total',
    run: async ({ store }) => {
      for (const [id, workflowId] of [
        ['a', 'orders'],
        ['b', 'other'],
        ['c', 'orders'],
        ['d', 'third'],
      ] as const)
        await store.create(sampleExecution(id, { workflowId }), { requestId: 'r' });
      checkEqual(await listed(store, { exceptWorkflowIds: [] }), { ids: ['d', 'c', 'b', 'a'], total: 4 }, 'All');
      const without = { exceptWorkflowIds: ['orders', 'unknown'] };
      checkEqual(await listed(store, without), { ids: ['d', 'b'], total: 2 }, 'Without a workflow');
      const page = await store.list('anyone', { ...everyRoot, ...without, limit: 1 });
      checkEqual([page.executions.map(({ id }) => id), page.hasMore], [['d'], true], 'A page');
      checkEqual(
        await listed(store, { ...without, workflowId: 'orders' }),
        { ids: [], total: 0 },
        'Only that workflow',
      );
    },
  },
  {
    name: 'ends a page where it would have more than `maxBytes`, but not before its first execution',
    run: async ({ store }) => {
      const fields = ['input', 'context', 'metadata', 'workflowState'] as const;
      const ids = [...fields, 'small', 'output'];
      for (const field of fields)
        await store.create(sampleExecution(field, { [field]: { text: 'x'.repeat(20_000) } }), { requestId: 'r' });
      await store.create(sampleExecution('small'), { requestId: 'r' });
      const runner = await begin(store, { id: 'output' });
      await runner.write({ changes: [{ status: 'completed', output: 'x'.repeat(20_000) }] });

      for (const maxBytes of [1, 50_000]) {
        const read: string[] = [];
        let pages = 0;
        let after: string | undefined;
        do {
          const filter = { ...everyRoot, limit: 9, maxBytes, ...(after !== undefined && { after }) };
          const { executions, hasMore } = await store.list('anyone', filter);
          const offset = await store.list('anyone', { ...everyRoot, limit: 1, maxBytes, offset: read.length });
          checkEqual(offset.executions[0]?.id, executions[0]?.id, 'The same by an offset');
          read.push(...executions.map(({ id }) => id));
          after = hasMore ? executions.at(-1)?.id : undefined;
          pages += 1;
        } while (after !== undefined && pages < 10);
        checkEqual(read, ids.toReversed(), `The pages of ${maxBytes} bytes`);
        checkEqual(pages > 2, true, `Whether they are several`);
      }
      const all = await store.list('anyone', { ...everyRoot, limit: 9, maxBytes: 1_000_000 });
      checkEqual([all.executions.length, all.hasMore], [6, false], 'A page that is large enough');
    },
  },
  {
    name: 'returns pages of the matches, and counts all of them',
    run: async ({ store }) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        await store.create(sampleExecution(id, { workflowId: id === 'c' ? 'other' : 'orders' }), { requestId: 'r' });
      }
      const workflowId = 'orders';
      checkEqual(await listed(store, { limit: 2 }), { ids: ['e', 'd'], total: 5 }, 'The first page');
      checkEqual(await listed(store, { limit: 2, offset: 2 }), { ids: ['c', 'b'], total: 5 }, 'The second page');
      checkEqual(await listed(store, { limit: 2, offset: 4 }), { ids: ['a'], total: 5 }, 'The last page');
      checkEqual(await listed(store, { limit: 2, offset: 9 }), { ids: [], total: 5 }, 'A page after the last');
      checkEqual(
        await listed(store, { workflowId, limit: 2, offset: 1 }),
        { ids: ['d', 'b'], total: 4 },
        'A page of one workflow',
      );
      checkEqual(await listed(store, { workflowId, limit: 2, offset: 5 }), { ids: [], total: 4 }, 'One after its last');
      checkEqual(
        await listed(store, { status: 'running', limit: 1, offset: 3 }),
        { ids: ['b'], total: 5 },
        'A page of one status',
      );
    },
  },
  {
    name: 'filters by workflow, status, user, time and metadata, all together',
    run: async ({ store, advance }) => {
      const created = async (id: string, values: Parameters<typeof sampleExecution>[1]): Promise<number> => {
        await (await begin(store, { id, ...values })).finish();
        const { createdAt } = checkFound(await store.find('anyone', id), id);
        await advance(10_000);
        return createdAt;
      };
      const all = { workflowId: 'w', userId: 'ada', metadata: { tenant: 'x' } };
      await created('early', all);
      const from = await created('wanted-1', all);
      await created('other-workflow', { ...all, workflowId: 'v' });
      await created('other-person', { ...all, userId: 'ben' });
      await created('other-metadata', { ...all, metadata: { tenant: 'y' } });
      await begin(store, { id: 'other-status', ...all });
      await advance(10_000);
      const to = await created('wanted-2', all);
      await created('late', all);

      const filter = { ...all, status: 'completed', from, to } as const;
      checkEqual(await listed(store, filter), { ids: ['wanted-2', 'wanted-1'], total: 2 }, 'What matches all filters');
      const without = async (key: keyof typeof filter): Promise<unknown> => {
        const { [key]: _left, ...rest } = filter;
        return (await listed(store, rest)).ids.filter((id) => !id.startsWith('wanted'));
      };
      checkEqual(await without('workflowId'), ['other-workflow'], 'What the workflow keeps out');
      checkEqual(await without('userId'), ['other-person'], 'What the person keeps out');
      checkEqual(await without('metadata'), ['other-metadata'], 'What the metadata keeps out');
      checkEqual(await without('status'), ['other-status'], 'What the status keeps out');
      checkEqual(await without('from'), ['early'], 'What the beginning keeps out');
      checkEqual(await without('to'), ['late'], 'What the end keeps out');
      checkEqual((await listed(store, { ...filter, userId: 'nobody' })).total, 0, 'The total of an unknown person');
      checkEqual((await listed(store, { ...filter, workflowId: 'none' })).total, 0, 'That of an unknown workflow');
    },
  },
  {
    name: 'returns what follows an execution, also when it has changed',
    run: async ({ store }) => {
      for (const id of ['a', 'b', 'c', 'd']) await begin(store, { id, workflowId: id === 'b' ? 'other' : 'orders' });
      await (await begin(store, { id: 'e', workflowId: 'orders', userId: 'ada' })).finish();
      checkEqual((await listed(store, { after: 'd', limit: 2 })).ids, ['c', 'b'], 'What follows');
      checkEqual((await listed(store, { after: 'c', workflowId: 'orders' })).ids, ['a'], 'That of a workflow');
      checkEqual((await listed(store, { after: 'e', status: 'running', limit: 1 })).ids, ['d'], 'After a change');
      checkEqual((await listed(store, { after: 'a' })).ids, [], 'What follows the last');
      checkEqual((await listed(store, { after: 'none' })).ids, [], 'What follows an unknown one');
      checkEqual((await listed(store, { after: 'b', workflowId: 'orders' })).ids, [], 'After one of another workflow');
      checkEqual((await listed(store, { after: 'd', userId: 'ada' })).ids, [], 'After one of another user');
      const foreign = await store.list(ada, { ...everyRoot, after: 'd' });
      checkEqual(foreign.executions, [], 'After one that the owner may not read');
    },
  },
  {
    name: 'counts no further than it is told to',
    run: async ({ store }) => {
      for (const id of ['a', 'b', 'c']) await begin(store, { id });
      const page = { limit: 2, offset: 2 };
      checkEqual(await listed(store, { ...page, maxTotal: 4 }), { ids: ['a'], total: 3 }, 'More than there are');
      checkEqual(await listed(store, { ...page, maxTotal: 2 }), { ids: ['a'], total: 2 }, 'Fewer than there are');
      checkEqual(await listed(store, { ...page, maxTotal: 0 }), { ids: ['a'], total: 0 }, 'None');
    },
  },
  {
    name: 'filters by ids, together with other conditions',
    run: async ({ store }) => {
      for (const id of ['a', 'b', 'c', 'd'])
        await begin(store, { id, ...(id !== 'd' && { userId: 'ada' }), ...(id === 'b' && { workflowId: 'other' }) });
      const ids = ['d', 'a', 'unknown', 'b'];
      checkEqual(await listed(store, { ids }), { ids: ['d', 'b', 'a'], total: 3 }, 'Those with the ids');
      checkEqual(await listed(store, { ids, workflowId: 'other' }), { ids: ['b'], total: 1 }, 'That of a workflow');
      checkEqual(await listed(store, { ids, limit: 1, after: 'd' }), { ids: ['b'], total: 2 }, 'A page of them');
      checkEqual(await listed(store, { ids: [] }), { ids: [], total: 0 }, 'Those with no id');
      const { executions } = await store.list(ada, { ...everyRoot, ids });
      const own = executions.map(({ id }) => id);
      checkEqual(own, ['b', 'a'], 'Those that the owner may read');
    },
  },
  {
    name: 'filters by times that no execution can have',
    run: async ({ store }) => {
      await begin(store);
      const lists = [{ from: 1e300 }, { to: -1e300 }, { from: Infinity }, { from: -1e300, to: 1e300 }];
      const totals = await Promise.all(lists.map(async (filter) => (await listed(store, filter)).total));
      checkEqual(totals, [0, 0, 0, 1], 'The numbers of matches');
    },
  },
  {
    name: 'filters by each status of an execution',
    run: async ({ store }) => {
      await begin(store, { id: 'running' });
      await (await begin(store, { id: 'suspended' })).suspend(sampleSuspension('s', 'a', { executionId: 'suspended' }));
      for (const status of ['completed', 'error', 'cancelled'] as const) {
        await (await begin(store, { id: status })).write({ changes: [{ status }] });
      }
      for (const status of ['running', 'suspended', 'completed', 'error', 'cancelled'] as const) {
        checkEqual(await listed(store, { status }), { ids: [status], total: 1 }, `What is ${status}`);
      }
    },
  },
  {
    name: 'lists roots, or the sub-workflows of one execution',
    run: async ({ store }) => {
      const runner = await begin(store);
      await begin(store, { id: 'other' });
      await runner.write({
        changes: [
          { id: 'one', created: sampleChild('run', 'a', { workflowId: 'w' }) },
          { id: 'two', created: sampleChild('run', 'b', { workflowId: 'v' }) },
          { id: 'deep', created: sampleChild('one', 'a/c') },
        ],
      });
      checkEqual(await listed(store, {}), { ids: ['other', 'run'], total: 2 }, 'The roots');
      checkEqual(await listed(store, { workflowId: 'w' }), { ids: [], total: 0 }, 'The roots of the inner workflow');
      const of = (parentExecutionId: string): Partial<ExecutionFilter> => ({ parentExecutionId });
      checkEqual(await listed(store, of('run')), { ids: ['two', 'one'], total: 2 }, 'The sub-workflows of the root');
      checkEqual(await listed(store, { ...of('run'), limit: 1 }), { ids: ['two'], total: 2 }, 'A page of them');
      checkEqual(await listed(store, { ...of('run'), workflowId: 'w' }), { ids: ['one'], total: 1 }, 'One of them');
      checkEqual(await listed(store, of('one')), { ids: ['deep'], total: 1 }, 'Those of a sub-workflow');
      checkEqual(await listed(store, of('other')), { ids: [], total: 0 }, 'Those of an execution without');
      checkEqual(await listed(store, of('unknown')), { ids: [], total: 0 }, 'Those of an unknown execution');
    },
  },
  {
    name: 'compares metadata as JSON, deeply, each key of the filter',
    run: async ({ store }) => {
      const metadata = { tenant: 't', order: { id: 7, tags: ['a', 'b'] }, empty: {}, none: null, yes: true };
      await store.create(sampleExecution('run', { metadata }), { requestId: 'r' });
      const total = async (wanted: JsonObject): Promise<number> => (await listed(store, { metadata: wanted })).total;
      const equals: readonly JsonObject[] = [
        {},
        { tenant: 't' },
        { order: { tags: ['a', 'b'], id: 7 } },
        { empty: {}, none: null },
        { yes: true, tenant: 't' },
      ];
      for (const equal of equals) {
        checkEqual(await total(equal), 1, `The total with ${JSON.stringify(equal)}`);
      }
      const others: readonly JsonObject[] = [
        { tenant: 'T' },
        { order: { id: 7 } },
        { order: { id: 7, tags: ['b', 'a'] } },
        { order: { id: '7', tags: ['a', 'b'] } },
        { order: { id: 7, tags: ['a', 'b'], more: 1 } },
        { empty: [] },
        { empty: null },
        { none: {} },
        { missing: null },
        { yes: 'true' },
        { yes: true, tenant: 'u' },
      ];
      for (const different of others) {
        checkEqual(await total(different), 0, `The total with ${JSON.stringify(different)}`);
      }
    },
  },
];

async function listed(
  store: ExecutionStore,
  filter: Partial<ExecutionFilter>,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const { executions, total } = await store.list('anyone', { ...everyRoot, ...filter });
  return { ids: executions.map(({ id }) => id), total };
}
