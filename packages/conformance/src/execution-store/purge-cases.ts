import type { ExecutionStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import {
  everyRoot,
  sampleChild,
  sampleEntry,
  sampleEvent,
  sampleExecution,
  sampleSuspension,
} from './sample-records.ts';
import { begin } from './test-runner.ts';

const minute = 60_000;

export const purgeCases: readonly ExecutionStoreCase[] = [
  {
    name: 'deletes executions that ended long enough ago, with their sub-workflows, journals and events',
    run: async ({ store, advance }) => {
      const runner = await begin(store, { userId: 'ada' });
      await runner.write({
        entries: [sampleEntry('a')],
        changes: [
          { id: 'child', created: sampleChild('run', 'sub'), events: [sampleEvent('workflow-start')] },
          { id: 'deep', created: sampleChild('child', 'sub/deep') },
        ],
      });
      await runner.finish();
      await advance(2 * minute);
      checkEqual(await store.purge(3 * minute, 9), 0, 'The number deleted too early');
      checkEqual(await store.purge(Infinity, 9), 0, 'The number deleted when all are kept');
      checkEqual((await store.find('anyone', 'run'))?.status, 'completed', 'The status of what is stored');
      await advance(2 * minute);
      checkEqual(await store.purge(3 * minute, 9), 1, 'The number deleted');
      for (const id of ['run', 'child', 'deep']) {
        checkEqual(await store.find('anyone', id), undefined, id);
        checkEqual(await store.events('anyone', id, { after: 0, limit: 9 }), [], `The events of ${id}`);
        const children = await store.list('anyone', { ...everyRoot, parentExecutionId: id });
        checkEqual(children.total, 0, `The number of sub-workflows of ${id}`);
      }
      checkEqual(await store.journal('anyone', 'run'), [], 'The journal');
      checkEqual((await store.histories('anyone', ['run', 'child'], 9)).size, 0, 'The number of histories');
      for (const filter of [{}, { workflowId: 'orders' }, { userId: 'ada' }]) {
        checkEqual((await store.list('anyone', { ...everyRoot, ...filter })).total, 0, 'The number listed');
      }
      checkEqual(await store.create(sampleExecution('run'), { requestId: 'again' }), 'created', 'The id, used again');
      checkEqual(await store.journal('anyone', 'run'), [], 'The journal of what has the id now');
    },
  },
  {
    name: 'deletes only ended executions',
    run: async ({ store, advance }) => {
      await store.create(sampleExecution('new'), { requestId: 'r' });
      await begin(store, { id: 'leased' });
      await (await begin(store, { id: 'asleep' })).rest(0);
      await (await begin(store, { id: 'waiting' })).suspend(sampleSuspension('s', 'a', { executionId: 'waiting' }));
      const parent = await begin(store, { id: 'parent' });
      await parent.write({ changes: [{ id: 'child', created: sampleChild('parent', 'sub'), status: 'completed' }] });
      await finished(store, 'ended');
      await advance(60 * minute);
      checkEqual(await store.purge(minute, 99), 1, 'The number deleted');
      checkEqual((await store.list('anyone', everyRoot)).total, 5, 'The number of roots stored');
      checkEqual((await store.find('anyone', 'child'))?.id, 'child', 'The sub-workflow that has ended');
    },
  },
  {
    name: 'deletes at most as many executions as requested',
    run: async ({ store, advance }) => {
      for (let index = 0; index < 5; index += 1) await finished(store, `run-${index}`);
      await advance(minute);
      const purged = [
        await store.purge(0, 2),
        await store.purge(0, 2),
        await store.purge(0, 2),
        await store.purge(0, 2),
      ];
      checkEqual(purged, [2, 2, 1, 0], 'The numbers deleted');
      checkEqual((await store.list('anyone', everyRoot)).total, 0, 'The number stored');
    },
  },
];

async function finished(store: ExecutionStore, id: string): Promise<void> {
  await (await begin(store, { id })).finish();
}
