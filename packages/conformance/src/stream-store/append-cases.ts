import type { StreamStore } from '@halyard/contracts';
import { check, checkEqual, outcomeOf } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { begin, chunks, leaseMs, place, whole } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const appendCases: readonly StreamStoreCase[] = [
  {
    name: 'stores chunks in order, and reads any number from any position',
    run: async ({ store }) => {
      await begin(store, 's');
      for (const [after, last] of [
        [0, 3],
        [3, 4],
        [4, 10],
      ] as const) {
        checkEqual(await append(store, after, last), 'appended', `The answer to ${after + 1} to ${last}`);
      }
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 10), status: 'live' }, 'All');
      for (const [after, limit, first, last] of [
        [0, 2, 1, 2],
        [1, 1, 2, 2],
        [2, 5, 3, 7],
        [5, 5, 6, 10],
        [6, 99, 7, 10],
        [10, 9, 11, 10],
        [12, 9, 11, 10],
      ] as const) {
        const read = await store.read('s', { after, limit });
        checkEqual(read, { chunks: chunks(first, last), status: 'live' }, `${limit} after ${after}`);
      }
    },
  },
  {
    name: 'stores thousands of chunks, many of them in one call',
    run: async ({ store }) => {
      await begin(store, 's');
      checkEqual(await append(store, 0, 5_000), 'appended', 'The answer to the first thousands');
      for (let after = 5_000; after < 5_100; after += 1) await append(store, after, after + 1);
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 5_100), status: 'live' }, 'All');
      const read = await store.read('s', { after: 4_990, limit: 20 });
      checkEqual(read?.chunks, chunks(4_991, 5_010), 'Those in the middle');
    },
  },
  {
    name: 'adds repeated chunks once, also when new chunks follow them',
    run: async ({ store }) => {
      await begin(store, 's');
      await append(store, 0, 2);
      checkEqual(await append(store, 0, 2), 'appended', 'The answer to the same again');
      await append(store, 2, 5);
      await append(store, 0, 1);
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 5), status: 'live' }, 'What is there');
      checkEqual(await append(store, 3, 8), 'appended', 'The answer to what overlaps');
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 8), status: 'live' }, 'What is there in the end');
      await Promise.all(Array.from({ length: 6 }, () => append(store, 8, 11)));
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 11), status: 'live' }, 'What parallel calls have added');
      checkEqual(await store.end('s', { after: 10, chunks: chunks(11, 12) }), true, 'The answer to the end');
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 12), status: 'ended' }, 'What has ended');
    },
  },
  {
    name: 'refuses chunks after a gap, and adds none of them',
    run: async ({ store }) => {
      await begin(store, 's');
      await append(store, 0, 2);
      await refused(append(store, 3, 4), 'Chunks after a gap');
      await refused(append(store, 3, 3), 'No chunks after a gap');
      await refused(store.end('s', { after: 3, chunks: chunks(4, 4) }), 'The end after a gap');
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 2), status: 'live' }, 'What is there');
      checkEqual(await append(store, 2, 4), 'appended', 'The answer to what was missing');
    },
  },
  {
    name: 'ends a stream with its last chunks, and does not change it afterwards',
    run: async ({ store }) => {
      await begin(store, 's');
      await append(store, 0, 2);
      checkEqual(await store.end('s', { after: 2, chunks: chunks(3, 4) }), true, 'The answer to the end');
      checkEqual(await store.findLive(ada, place), undefined, 'What is live');
      checkEqual(await store.end('s', { after: 2, chunks: chunks(3, 4) }), true, 'The answer to the same again');
      checkEqual(await store.end('s', { after: 4, chunks: chunks(5, 6) }), true, 'The answer to another end');
      checkEqual(await append(store, 4, 6), 'lost', 'The answer to more chunks');
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 4), status: 'ended' }, 'What is there');
      const read = await store.read('s', { after: 1, limit: 1 });
      checkEqual(read, { chunks: chunks(2, 2), status: 'ended' }, 'A part of it');
    },
  },
  {
    name: 'has no data of a stream that never began',
    run: async ({ store }) => {
      checkEqual(await whole(store, 's'), undefined, 'What is there');
      checkEqual(await outcomeOf(append(store, 0, 1)), 'lost', 'The answer to chunks');
      checkEqual(await store.end('s', { after: 0, chunks: [] }), false, 'The answer to the end');
    },
  },
  {
    name: 'returns chunks that later calls do not change',
    run: async ({ store }) => {
      await begin(store, 's');
      const given = ['a', 'b'];
      await store.append('s', { after: 0, chunks: given }, leaseMs);
      const read = await whole(store, 's');
      given.push('c');
      await store.append('s', { after: 2, chunks: ['d'] }, leaseMs);
      checkEqual(read?.chunks, ['a', 'b'], 'What was read before');
      checkEqual((await whole(store, 's'))?.chunks, ['a', 'b', 'd'], 'What is there');
    },
  },
];

/** Chunks up to `last`, the first `after` of which are stored. */
function append(store: StreamStore, after: number, last: number): ReturnType<StreamStore['append']> {
  return store.append('s', { after, chunks: chunks(after + 1, last) }, leaseMs);
}

async function refused(call: Promise<unknown>, what: string): Promise<void> {
  const isRefused = await call.then(
    () => false,
    () => true,
  );
  check(isRefused, `${what} should be refused`);
}
