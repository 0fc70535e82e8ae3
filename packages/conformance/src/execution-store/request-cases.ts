import { checkEqual } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleSuspension } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

const wait = { kind: 'suspend', reason: 'wait' } as const;
const stop = { kind: 'cancel', reason: 'no more' } as const;

export const requestCases: readonly ExecutionStoreCase[] = [
  {
    name: 'makes an execution without a runner due at once when it gets a request',
    run: async ({ store }) => {
      await (await begin(store)).suspend(sampleSuspension('s-1', 'a'));
      checkEqual(await store.request('anyone', 'run', stop), 'requested', 'The answer');
      checkEqual(await dueInMs(store), 0, 'The time until it is due');
      checkEqual((await store.find('anyone', 'run'))?.suspensions.length, 1, 'The number of suspensions');
      const claimed = await store.claim('run', { runner: 'b', leaseMs: 1_000 });
      checkEqual(
        [claimed?.execution.request, claimed?.execution.signals],
        [stop, 1],
        'The request and the signals of the claim',
      );
    },
  },
  {
    name: 'makes a sleeping execution due at once when it gets a request',
    run: async ({ store }) => {
      const runner = await begin(store);
      const { updatedAt = 0 } = (await store.find('anyone', 'run')) ?? {};
      await runner.rest(updatedAt + 3_600_000, { timers: [{ path: 'nap', wakeAt: updatedAt + 3_600_000 }] });
      await store.request('anyone', 'run', wait);
      checkEqual(await dueInMs(store), 0, 'The time until it is due');
      await takeOver(store, 'run');
    },
  },
  {
    name: 'stores a request for the current runner',
    run: async ({ store }) => {
      const runner = await begin(store);
      checkEqual(await store.request('anyone', 'run', wait), 'requested', 'The answer');
      const execution = await store.find('anyone', 'run');
      checkEqual(
        [execution?.request, execution?.runner, execution?.epoch, execution?.status],
        [wait, 'a runner', runner.epoch, 'running'],
        'The execution',
      );
      checkEqual(await dueCount(store), 0, 'What is due');
      const release = { dueAt: null, expectedSignals: 0 };
      checkEqual(await store.commit(runner.commitOf({ release })), { status: 'signalled' }, 'The answer to a release');
    },
  },
  {
    name: 'replaces a request to suspend by one to cancel, but not the reverse',
    run: async ({ store }) => {
      await begin(store);
      const requests = [];
      for (const request of [wait, stop, wait]) {
        checkEqual(await store.request('anyone', 'run', request), 'requested', 'The answer');
        requests.push((await store.find('anyone', 'run'))?.request);
      }
      checkEqual(requests, [wait, stop, stop], 'The request after each');
    },
  },
  {
    name: 'accepts no request for an execution that has ended, is unknown, or is a sub-workflow',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub') }] });
      checkEqual(await store.request('anyone', 'child', stop), 'not-found', 'The answer for a sub-workflow');
      await runner.finish();
      const before = await snapshotOf(store, 'run');
      checkEqual(await store.request('anyone', 'run', stop), 'idle', 'The answer for one that has ended');
      checkEqual(await store.request('anyone', 'unknown', stop), 'not-found', 'The answer for an unknown one');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
      checkEqual(await dueCount(store), 0, 'What is due');
    },
  },
];
