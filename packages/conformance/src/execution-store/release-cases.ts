import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleSuspension } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

export const releaseCases: readonly ExecutionStoreCase[] = [
  {
    name: 'ends an execution: it has no runner, waits for nothing and is never due again',
    run: async ({ store, advance }) => {
      for (const [id, status] of [
        ['done', 'completed'],
        ['failed', 'error'],
        ['stopped', 'cancelled'],
      ] as const) {
        const runner = await begin(store, { id });
        await runner.write({
          suspensions: [
            sampleSuspension('s-1', 'a', { executionId: id }),
            sampleSuspension('s-2', 'b', { executionId: id }),
          ],
          timers: [{ path: 'c', wakeAt: 5_000 }],
        });
        await store.resume('anyone', { executionId: id, suspensionId: 's-1', data: 1, requestId: 'r' });
        await store.request('anyone', id, { kind: 'suspend', reason: 'wait' });
        const error = { message: 'No stock', stepId: 'a', code: 'STEP_FAILED' };
        await runner.write({
          changes: [{ status, ...(status === 'error' ? { error } : { output: { for: id } }) }],
        });
        const execution = checkFound(await store.find('anyone', id), 'The execution');
        check(execution.endedAt !== null && execution.endedAt >= execution.createdAt, 'It should say when it ended');
        checkEqual(execution.output, status === 'error' ? undefined : { for: id }, 'The output');
        checkEqual(execution.error, status === 'error' ? error : undefined, 'The error');
        const { runner: holder, suspensions, resumptions, timers, request } = execution;
        checkEqual(
          { status: execution.status, holder, suspensions, resumptions, timers, request },
          { status, holder: null, suspensions: [], resumptions: [], timers: [], request: null },
          `What is left of ${id}`,
        );
        checkEqual(
          await store.resume('anyone', { executionId: id, suspensionId: 's-2', data: 1, requestId: 'late' }),
          'not-suspended',
          'The answer to a late resumption',
        );
      }
      await advance(10_000_000);
      checkEqual([await dueCount(store), await dueInMs(store)], [0, undefined], 'What is due');
    },
  },
  {
    name: 'ends a sub-workflow without ending the root',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub') }] });
      await runner.write({ changes: [{ id: 'child', status: 'completed', output: 3 }] });
      const child = checkFound(await store.find('anyone', 'child'), 'The sub-workflow');
      checkEqual([child.status, child.output], ['completed', 3], 'The sub-workflow');
      check(child.endedAt !== null, 'The sub-workflow should say when it ended');
      const run = checkFound(await store.find('anyone', 'run'), 'The root');
      checkEqual([run.status, run.endedAt, run.runner], ['running', null, 'a runner'], 'The root');
    },
  },
  {
    name: 'releases the lease, and grants no claim before the execution is due',
    run: async ({ store, advance }) => {
      const runner = await begin(store);
      const { updatedAt } = checkFound(await store.find('anyone', 'run'), 'The execution');
      await runner.rest(updatedAt + 60_000, { entries: [sampleEntry('a')] });
      checkEqual((await store.find('anyone', 'run'))?.runner, null, 'The runner that holds it');
      checkEqual(await store.claim('run', { runner: 'b', leaseMs: 1_000 }), undefined, 'A claim at once');
      await advance(60_000);
      const next = await takeOver(store, 'run');
      check(next.epoch > runner.epoch, 'The epoch should have grown');
      checkEqual(await store.journal('anyone', 'run'), [sampleEntry('a')], 'The journal');
    },
  },
  {
    name: 'writes nothing when a release has missed a signal',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ suspensions: [sampleSuspension('s-1', 'a')] });
      await store.resume('anyone', { executionId: 'run', suspensionId: 's-1', data: 1, requestId: 'r' });
      const before = await snapshotOf(store, 'run');
      const release = { dueAt: null, expectedSignals: runner.signals };
      const entries = [sampleEntry('b')];
      const changes = [{ status: 'suspended', events: [sampleEvent('step-suspend')] }] as const;
      checkEqual(
        await store.commit(runner.commitOf({ entries, changes, release })),
        { status: 'signalled' },
        'The answer',
      );
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
      checkEqual((await runner.write({ entries })).signals, 1, 'The signals that the next commit returns');
      await runner.rest(null);
    },
  },
  {
    name: 'removes the request when a commit reports it as done',
    run: async ({ store }) => {
      const runner = await begin(store);
      await store.request('anyone', 'run', { kind: 'suspend', reason: 'wait' });
      await runner.write({ entries: [sampleEntry('a')] });
      checkEqual((await store.find('anyone', 'run'))?.request, { kind: 'suspend', reason: 'wait' }, 'The request');
      await runner.write({ requestDone: true });
      checkEqual((await store.find('anyone', 'run'))?.request, null, 'The request');
    },
  },
];
