import type { ExecutionStore } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { ConformanceError } from '../conformance-error.ts';
import { notifiedAfter } from '../notified-after.ts';
import type { ExecutionStoreCase, ExecutionStoreHarness } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';

export const watchCases: readonly ExecutionStoreCase[] = [
  {
    name: 'notifies watchers of commits, and of resumptions, requests and rewinds as signals',
    run: async ({ store, advance }) => {
      const runner = await begin(store);
      await called(store, 'run', 'commit', 'a commit', () =>
        runner.write({ changes: [{ events: [sampleEvent('step-start', 'a')] }] }),
      );
      await called(store, 'run', 'commit', 'a release', () => runner.suspend(sampleSuspension('s-1', 'a')));
      await called(store, 'run', 'signal', 'a resumption', () =>
        store.resume('anyone', { executionId: 'run', suspensionId: 's-1', data: 1, requestId: 'r' }),
      );
      await called(store, 'run', 'signal', 'a request', () =>
        store.request('anyone', 'run', { kind: 'suspend', reason: 'wait' }),
      );
      await called(store, 'run', 'signal', 'a rewind', () =>
        store.rewind('anyone', { executionId: 'run', expectedSeq: 2, expectedSignals: 2, paths: ['a'], entries: [] }),
      );
      await advance(leaseMs);
      const last = await takeOver(store, 'run');
      await called(store, 'run', 'commit', 'its end', () => last.finish());
    },
  },
  {
    name: 'notifies watchers of a sub-workflow when it changes',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub') }] });
      await called(store, 'child', 'commit', 'an event of it', () =>
        runner.write({ changes: [{ id: 'child', events: [sampleEvent('step-start', 'a')] }] }),
      );
    },
  },
  {
    name: 'has written the change when it notifies watchers',
    run: async (harness) => {
      const { store } = harness;
      const runner = await begin(store);
      let seen: Promise<number> | undefined;
      const stop = store.watch('run', () => {
        seen = store.journal('anyone', 'run').then((journal) => journal.length);
      });
      await called(store, 'run', 'commit', 'a commit', () => runner.write({ entries: [sampleEntry('a')] }));
      stop();
      checkEqual(await seen, 1, 'The length of the journal that the listener reads');
    },
  },
  {
    name: 'notifies every watcher and writes, although one of them throws',
    run: async ({ store }) => {
      const runner = await begin(store);
      const stop = store.watch('run', () => {
        throw new ConformanceError('A listener may throw');
      });
      await called(store, 'run', 'commit', 'a commit', () => runner.write({ entries: [sampleEntry('a')] }));
      stop();
      checkEqual((await store.journal('anyone', 'run')).length, 1, 'The length of the journal');
    },
  },
  {
    name: 'does not notify removed watchers, and still notifies the others',
    run: async (harness) => {
      const { store } = harness;
      const runner = await begin(store);
      let calls = 0;
      const listener = (): void => {
        calls += 1;
      };
      const stops = [store.watch('run', listener), store.watch('run', listener)];
      stops[0]?.();
      stops[0]?.();
      await called(store, 'run', 'commit', 'a commit', () => runner.write({ entries: [sampleEntry('a')] }));
      check(calls > 0, 'The other should still be called');
      stops[1]?.();
      await settle(harness, runner);
      calls = 0;
      await settle(harness, runner);
      checkEqual(calls, 0, 'The number of calls after both have stopped');
    },
  },
  {
    name: 'notifies those that watch for what is due, until they stop',
    run: async ({ store }) => {
      const announced = (): Promise<void> =>
        notifiedAfter(
          async () => store.announceDue(),
          'Those that watch for what is due should be notified',
          (onNotified) => store.watchDue(onNotified),
        );
      let calls = 0;
      const listener = (): void => {
        calls += 1;
      };
      const stops = [store.watchDue(listener), store.watchDue(listener)];
      stops[0]?.();
      await announced();
      check(calls > 0, 'The other should still be called');
      stops[1]?.();
      calls = 0;
      await announced();
      checkEqual(calls, 0, 'The number of calls after both have stopped');
    },
  },
];

/** Rejects when no watcher is notified of such a change after `act`. */
function called(
  store: ExecutionStore,
  id: string,
  change: 'commit' | 'signal',
  what: string,
  act: () => Promise<unknown>,
): Promise<void> {
  return notifiedAfter(act, `Watchers of ${id} should be notified of a ${change} after ${what}`, (onNotified) =>
    store.watch(id, (actual) => {
      if (actual === change) onNotified();
    }),
  );
}

/** Waits for late notifications: a watcher of a later write has been notified. */
async function settle({ store }: ExecutionStoreHarness, runner: Awaited<ReturnType<typeof begin>>): Promise<void> {
  await called(store, 'run', 'commit', 'a commit', () => runner.write({ entries: [sampleEntry(crypto.randomUUID())] }));
}
