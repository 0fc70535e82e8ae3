import type { ExecutionFilter, ExecutionStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import {
  everyRoot,
  sampleChild,
  sampleEntry,
  sampleEvent,
  sampleExecution,
  sampleSuspension,
} from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin } from './test-runner.ts';
import { dueCount } from './what-is-due.ts';

export const ownerCases: readonly ExecutionStoreCase[] = [
  {
    name: 'finds neither executions of another user nor their journals, events and histories',
    run: async ({ store }) => {
      await suspendedRunOfAda(store);
      for (const [who, owner] of [
        ['another person', ben],
        ['a person without an id', { user: '' }],
      ] as const) {
        checkEqual(await store.find(owner, 'run'), undefined, `What ${who} finds`);
        checkEqual(await store.find(owner, 'child'), undefined, `The sub-workflow that ${who} finds`);
        checkEqual(await store.journal(owner, 'run'), [], `The journal that ${who} reads`);
        checkEqual(await store.events(owner, 'run', { after: 0, limit: 9 }), [], `The events that ${who} reads`);
        const histories = await store.histories(owner, ['run', 'child'], 9);
        checkEqual([...histories.keys()], [], `The histories that ${who} reads`);
      }
    },
  },
  {
    name: 'finds data of the owner, and for anyone all data',
    run: async ({ store }) => {
      await suspendedRunOfAda(store);
      for (const owner of [ada, 'anyone'] as const) {
        checkEqual((await store.find(owner, 'run'))?.id, 'run', 'The root');
        checkEqual((await store.find(owner, 'child'))?.id, 'child', 'The sub-workflow');
        checkEqual((await store.journal(owner, 'run')).length, 1, 'The length of the journal');
        checkEqual((await store.events(owner, 'run', { after: 0, limit: 9 })).length, 1, 'The number of events');
        checkEqual((await store.histories(owner, ['run'], 9)).size, 1, 'The number of histories');
        const children = await store.list(owner, { ...everyRoot, parentExecutionId: 'run' });
        checkEqual(
          children.executions.map(({ id }) => id),
          ['child'],
          'The sub-workflows',
        );
      }
    },
  },
  {
    name: 'lists and counts only data of the owner',
    run: async ({ store }) => {
      await suspendedRunOfAda(store);
      await store.create(sampleExecution('of-ben', { userId: 'ben' }), { requestId: 'r' });
      await store.create(sampleExecution('of-nobody'), { requestId: 'r' });
      const listed = async (...[owner, filter]: Parameters<ExecutionStore['list']>): Promise<unknown> => {
        const { executions, total } = await store.list(owner, filter);
        return { ids: executions.map(({ id }) => id), total };
      };
      checkEqual(await listed(ada, everyRoot), { ids: ['run'], total: 1 }, 'What Ada lists');
      checkEqual(await listed(ben, everyRoot), { ids: ['of-ben'], total: 1 }, 'What Ben lists');
      checkEqual(
        await listed(ben, { ...everyRoot, userId: 'ada' }),
        { ids: [], total: 0 },
        'What Ben lists of the executions of Ada',
      );
      checkEqual(
        await listed(ben, { ...everyRoot, parentExecutionId: 'run' }),
        { ids: [], total: 0 },
        'What Ben lists of the sub-workflows of Ada',
      );
      checkEqual(
        await listed('anyone', everyRoot),
        { ids: ['of-nobody', 'of-ben', 'run'], total: 3 },
        'What is listed for anyone',
      );
    },
  },
  {
    name: 'lists the executions of the owner page by page, each once, also those of the same time',
    run: async ({ store }) => {
      for (let index = 0; index < 12; index += 1) {
        const [id, userId] = [`run-${index}`, ['ada', 'ben', undefined][index % 3]];
        await store.create(sampleExecution(id, { metadata: { half: index < 6 }, userId }), { requestId: id });
      }
      const pagesOf = async (filter: Partial<ExecutionFilter>): Promise<readonly string[]> => {
        const ids: string[] = [];
        // More pages than there can be.
        for (let page = 0; page < 20; page += 1) {
          const after = ids.at(-1);
          const rest = { ...everyRoot, ...filter, limit: 1, ...(after !== undefined && { after }) };
          const { executions, hasMore } = await store.list(ada, rest);
          ids.push(...executions.map(({ id }) => id));
          if (!hasMore) break;
        }
        return ids;
      };
      checkEqual(await pagesOf({}), ['run-9', 'run-6', 'run-3', 'run-0'], 'All pages');
      checkEqual(await pagesOf({ metadata: { half: true } }), ['run-3', 'run-0'], 'The pages of a filter');
      checkEqual(await pagesOf({ userId: 'ben' }), [], 'The pages of another user');
    },
  },
  {
    name: 'refuses to resume, rewind or send a request to an execution of another user',
    run: async ({ store }) => {
      await suspendedRunOfAda(store);
      const before = await snapshotOf(store, 'run');
      const answers = [
        await store.resume(ben, { executionId: 'run', suspensionId: 's-1', data: 'yes', requestId: 'r' }),
        await store.request(ben, 'run', { kind: 'cancel', reason: 'no more' }),
        await store.rewind(ben, { executionId: 'run', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] }),
      ];
      checkEqual(answers, ['not-suspended', 'not-found', 'outdated'], 'The answers');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
      checkEqual(await dueCount(store), 0, 'What is due');
    },
  },
  {
    name: 'lets the owner and anyone resume, rewind and send requests',
    run: async ({ store }) => {
      await suspendedRunOfAda(store);
      const answers = [
        await store.resume(ada, { executionId: 'run', suspensionId: 's-1', data: 'yes', requestId: 'r' }),
        await store.request(ada, 'run', { kind: 'suspend', reason: 'wait' }),
        await store.request('anyone', 'run', { kind: 'cancel', reason: 'no more' }),
        await store.rewind(ada, { executionId: 'run', expectedSeq: 1, expectedSignals: 3, paths: ['a'], entries: [] }),
      ];
      checkEqual(answers, ['resumed', 'requested', 'requested', 'rewound'], 'The answers');
    },
  },
];

async function suspendedRunOfAda(store: ExecutionStore): Promise<void> {
  const runner = await begin(store, { userId: 'ada' });
  await runner.write({
    entries: [sampleEntry('a')],
    changes: [
      { id: 'child', created: sampleChild('run', 'sub', { userId: 'ada' }), events: [sampleEvent('workflow-start')] },
    ],
  });
  await runner.suspend(sampleSuspension('s-1', 'sub/approve', { executionId: 'child' }));
}
