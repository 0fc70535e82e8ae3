import { checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { begin, chunks, leaseMs, place, whole } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const stopCases: readonly StreamStoreCase[] = [
  {
    name: 'reports a stop request to the writer with each append after it',
    run: async ({ store }) => {
      await begin(store, 's');
      checkEqual(await store.append('s', { after: 0, chunks: chunks(1, 1) }, leaseMs), 'appended', 'Before');
      for (const what of ['The answer', 'The answer again']) {
        checkEqual(await store.requestStop(ada, place), true, what);
      }
      for (const last of [2, 2, 3]) {
        const outcome = await store.append('s', { after: 1, chunks: chunks(2, last) }, leaseMs);
        checkEqual(outcome, 'stop-requested', `The answer to chunks up to ${last}`);
      }
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 3), status: 'live' }, 'What is there');
      checkEqual(await store.append('s', { after: 3, chunks: [] }, leaseMs), 'stop-requested', 'Without chunks');
      checkEqual(await store.end('s', { after: 3, chunks: chunks(4, 4) }), true, 'The answer to its end');
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 4), status: 'ended' }, 'What is there in the end');
    },
  },
  {
    name: 'stops only the live stream of a conversation, not an ended or a later one',
    run: async ({ store, advance }) => {
      checkEqual(await store.requestStop(ada, place), false, 'Where nothing began');
      await begin(store, 's');
      await begin(store, 'elsewhere', { conversationId: 'other' });
      checkEqual(await store.requestStop(ada, { ...place, agentId: 'another' }), false, 'Of another agent');
      checkEqual(await store.findLive(ada, { ...place, agentId: 'another' }), undefined, 'What is live of it');
      checkEqual(await store.append('s', { after: 0, chunks: [] }, leaseMs), 'appended', 'What another agent stops');
      await store.requestStop(ada, place);
      checkEqual(await store.append('elsewhere', { after: 0, chunks: [] }, leaseMs), 'appended', 'Elsewhere');
      await store.end('s', { after: 0, chunks: [] });
      checkEqual(await store.requestStop(ada, place), false, 'Where it has ended');
      await begin(store, 'next');
      checkEqual(await store.append('next', { after: 0, chunks: [] }, leaseMs), 'appended', 'What comes next');
      await advance(leaseMs);
      checkEqual(await store.requestStop(ada, place), false, 'Where it is lost');
    },
  },
];
