import { checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleSuspension } from './sample-records.ts';
import { begin } from './test-runner.ts';

export const commitCases: readonly ExecutionStoreCase[] = [
  {
    name: 'writes entries, events, sub-workflows, suspensions, timers and state in one commit',
    run: async ({ store }) => {
      const runner = await begin(store);
      const suspension = sampleSuspension('s-1', 'sub/approve', { executionId: 'child', data: { amount: 3 } });
      const timer = { path: 'nap', wakeAt: 5_000 };
      const outcome = await runner.write({
        entries: [sampleEntry('a'), sampleEntry('sub/b')],
        changes: [
          { statePatch: { count: 1 }, events: [sampleEvent('step-complete', 'a'), sampleEvent('step-start', 'sub')] },
          { id: 'child', created: sampleChild('run', 'sub', { input: 7 }), events: [sampleEvent('workflow-start')] },
        ],
        suspensions: [suspension],
        timers: [timer],
      });
      checkEqual(outcome, { status: 'committed', signals: 0, seq: 3, childSeqs: { child: 1 } }, 'The answer');
      const run = checkFound(await store.find('anyone', 'run'), 'The root');
      const { seq, workflowState, suspensions, timers, status, runner: holder } = run;
      checkEqual(
        { seq, workflowState, suspensions, timers, status, holder },
        {
          seq: 3,
          workflowState: { count: 1 },
          suspensions: [suspension],
          timers: [timer],
          status: 'running',
          holder: 'a runner',
        },
        'The root',
      );
      checkEqual(await store.journal('anyone', 'run'), [sampleEntry('a'), sampleEntry('sub/b')], 'The journal');
      checkEqual((await store.events('anyone', 'run', { after: 1, limit: 9 })).length, 2, 'The number of its events');
      const child = checkFound(await store.find('anyone', 'child'), 'The sub-workflow');
      checkEqual(
        [child.input, child.status, child.seq, child.suspensions, child.rootExecutionId],
        [7, 'running', 1, [suspension], 'run'],
        'The sub-workflow',
      );
    },
  },
  {
    name: 'keeps fields that a change does not contain',
    run: async ({ store }) => {
      const runner = await begin(store);
      const before = checkFound(await store.find('anyone', 'run'), 'The execution');
      await runner.write({ entries: [sampleEntry('a')] });
      const after = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual({ ...after, updatedAt: 0 }, { ...before, updatedAt: 0 }, 'The execution');
    },
  },
  {
    name: 'applies state patches in the order of commits, and keeps other fields',
    run: async ({ store }) => {
      const runner = await begin(store, { workflowState: { count: 0, tags: { a: 1 }, stored: true } });
      await runner.write({ changes: [{ statePatch: { count: 1, tags: { b: 2 } } }] });
      await runner.write({ changes: [{ statePatch: { count: 2 } }, { statePatch: { late: null } }] });
      checkEqual(
        (await store.find('anyone', 'run'))?.workflowState,
        { count: 2, tags: { b: 2 }, stored: true, late: null },
        'The state',
      );
    },
  },
  {
    name: 'settles exactly the given paths, before it adds the suspensions and timers of the commit',
    run: async ({ store }) => {
      const runner = await begin(store);
      const [a, ab, below] = [
        sampleSuspension('s-1', 'a'),
        sampleSuspension('s-2', 'ab'),
        sampleSuspension('s-3', 'a/b'),
      ];
      await runner.write({
        suspensions: [a, ab, below],
        timers: [
          { path: 'a', wakeAt: 1 },
          { path: 'b', wakeAt: 2 },
        ],
      });
      await store.resume('anyone', { executionId: 'run', suspensionId: 's-1', data: 1, requestId: 'r' });
      const again = sampleSuspension('s-4', 'a', { suspendedAt: 2_000 });
      await runner.write({ settled: ['a'], suspensions: [again], timers: [{ path: 'a', wakeAt: 3, attempts: 1 }] });
      const { suspensions, resumptions, timers } = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(
        { suspensions: suspensions.map(({ id }) => id).toSorted(), resumptions },
        { suspensions: ['s-2', 's-3', 's-4'], resumptions: [] },
        'What it waits for',
      );
      checkEqual(
        timers.toSorted((one, other) => one.wakeAt - other.wakeAt),
        [
          { path: 'b', wakeAt: 2 },
          { path: 'a', wakeAt: 3, attempts: 1 },
        ],
        'Its timers',
      );
    },
  },
  {
    name: 'orders suspensions by the time at which they began',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        suspensions: [
          sampleSuspension('second', 'b', { suspendedAt: 2_000 }),
          sampleSuspension('first', 'a', { suspendedAt: 1_000 }),
        ],
      });
      await runner.write({ suspensions: [sampleSuspension('third', 'c', { suspendedAt: 3_000 })] });
      const execution = await store.find('anyone', 'run');
      checkEqual(
        execution?.suspensions.map(({ id }) => id),
        ['first', 'second', 'third'],
        'The suspensions',
      );
    },
  },
  {
    name: 'returns with a sub-workflow only the suspensions below its path',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        changes: [
          { id: 'child', created: sampleChild('run', 'sub') },
          { id: 'other', created: sampleChild('run', 'sub2') },
        ],
        suspensions: [
          sampleSuspension('s-1', 'sub/approve', { executionId: 'child' }),
          sampleSuspension('s-2', 'sub2/approve', { executionId: 'other' }),
          sampleSuspension('s-3', 'approve'),
        ],
      });
      const ids = async (id: string): Promise<readonly string[] | undefined> =>
        (await store.find('anyone', id))?.suspensions.map((suspension) => suspension.id).toSorted();
      checkEqual(
        [await ids('run'), await ids('child'), await ids('other')],
        [['s-1', 's-2', 's-3'], ['s-1'], ['s-2']],
        'The suspensions of each',
      );
    },
  },
];
