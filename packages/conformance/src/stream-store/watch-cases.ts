import type { StreamStore } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { ConformanceError } from '../conformance-error.ts';
import { notifiedAfter } from '../notified-after.ts';
import { ada } from '../sample-owners.ts';
import { begin, leaseMs, place, whole } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const watchCases: readonly StreamStoreCase[] = [
  {
    name: 'notifies watchers of a stream after chunks, after a stop request and after its end',
    run: async ({ store }) => {
      await begin(store, 's');
      await called(store, 'chunks', () => store.append('s', { after: 0, chunks: ['a'] }, leaseMs));
      await called(store, 'a wish that it stop', () => store.requestStop(ada, place));
      await called(store, 'its end', () => store.end('s', { after: 1, chunks: [] }));
    },
  },
  {
    name: 'notifies watchers of a stream when another replaces it, when it is lost or discarded, and when its user is deleted',
    run: async ({ store, advance }) => {
      await begin(store, 's');
      await advance(leaseMs);
      await called(store, 'another has begun', () => begin(store, 'other'));
      await store.end('other', { after: 0, chunks: [] });
      for (const [what, act] of [
        ['it was found lost', () => store.purge(leaseMs, 9)],
        ['it was discarded', () => store.discard('s-it was discarded')],
        ['its user was deleted', () => store.deleteUser('ada')],
      ] as const) {
        const id = `s-${what}`;
        await begin(store, id);
        if (what === 'it was found lost') await advance(leaseMs);
        await called(store, what, act, id);
      }
    },
  },
  {
    name: 'has written the change when it notifies watchers',
    run: async ({ store }) => {
      await begin(store, 's');
      let seen: ReturnType<StreamStore['read']> | undefined;
      const stop = store.watch('s', () => {
        seen = whole(store, 's');
      });
      await called(store, 'chunks', () => store.append('s', { after: 0, chunks: ['a'] }, leaseMs));
      stop();
      checkEqual((await seen)?.chunks, ['a'], 'What the listener reads');
    },
  },
  {
    name: 'notifies every watcher and writes, although one of them throws',
    run: async ({ store }) => {
      await begin(store, 's');
      const stop = store.watch('s', () => {
        throw new ConformanceError('A listener may throw');
      });
      await called(store, 'chunks', () => store.append('s', { after: 0, chunks: ['a'] }, leaseMs));
      stop();
      checkEqual((await whole(store, 's'))?.chunks, ['a'], 'What is there');
    },
  },
  {
    name: 'does not notify removed watchers, and still notifies the others',
    run: async ({ store }) => {
      await begin(store, 's');
      let calls = 0;
      const listener = (): void => {
        calls += 1;
      };
      const stops = [store.watch('s', listener), store.watch('s', listener)];
      stops[0]?.();
      stops[0]?.();
      await called(store, 'chunks', () => store.append('s', { after: 0, chunks: ['a'] }, leaseMs));
      check(calls > 0, 'The other should still be called');
      stops[1]?.();
      await called(store, 'more chunks', () => store.append('s', { after: 1, chunks: ['b'] }, leaseMs));
      calls = 0;
      await called(store, 'the last chunks', () => store.append('s', { after: 2, chunks: ['c'] }, leaseMs));
      checkEqual(calls, 0, 'The number of calls after both have stopped');
    },
  },
];

/** Rejects when no watcher is notified after `act`. */
function called(store: StreamStore, what: string, act: () => Promise<unknown>, id = 's'): Promise<void> {
  return notifiedAfter(act, `Watchers of a stream should be notified after ${what}`, (onNotified) =>
    store.watch(id, onNotified),
  );
}
