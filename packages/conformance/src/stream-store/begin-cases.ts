import { check, checkEqual, checkFound } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { begin, leaseMs, place, sampleStream } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const beginCases: readonly StreamStoreCase[] = [
  {
    name: 'begins one live stream of a conversation, and returns it to a second caller',
    run: async ({ store }) => {
      checkEqual(await store.findLive(ada, place), undefined, 'What is live before');
      checkEqual(await begin(store, 's-1'), { kind: 'begun' }, 'The answer to the first');
      const live = checkFound(await store.findLive(ada, place), 'What is live');
      checkEqual(live, { ...sampleStream('s-1'), startedAt: live.startedAt }, 'What is live');
      check(Number.isSafeInteger(live.startedAt), `The time should be in whole milliseconds: ${live.startedAt}`);
      const second = await begin(store, 's-2', { agentId: 'another' });
      checkEqual(second, { kind: 'busy', live }, 'The answer to the second');
      checkEqual(await store.read('s-2', { after: 0, limit: 9 }), undefined, 'What did not begin');
      checkEqual(await store.read('s-1', { after: 0, limit: 9 }), { chunks: [], status: 'live' }, 'What began');
    },
  },
  {
    name: 'begins the stream of one of several concurrent calls',
    run: async ({ store }) => {
      const ids = Array.from({ length: 8 }, (_, index) => `s-${index}`);
      const outcomes = await Promise.all(ids.map((id) => begin(store, id)));
      const won = ids.filter((_, index) => outcomes[index]?.kind === 'begun');
      checkEqual(won.length, 1, 'The number that began');
      for (const outcome of outcomes) {
        if (outcome.kind === 'busy') checkEqual(outcome.live.id, won[0], 'The live stream that the others get');
      }
      checkEqual((await store.findLive(ada, place))?.id, won[0], 'What is live');
    },
  },
  {
    name: 'begins the stream of one of several concurrent calls when a lease has expired',
    run: async ({ store, advance }) => {
      await begin(store, 'old');
      await advance(leaseMs);
      const ids = Array.from({ length: 8 }, (_, index) => `s-${index}`);
      const outcomes = await Promise.all(ids.map((id) => begin(store, id)));
      const won = ids.filter((_, index) => outcomes[index]?.kind === 'begun');
      checkEqual(won.length, 1, 'The number that began');
      checkEqual((await store.findLive(ada, place))?.id, won[0], 'What is live');
      checkEqual((await store.read('old', { after: 0, limit: 1 }))?.status, 'lost', 'The status of what was before');
    },
  },
  {
    name: 'begins another stream after the first has ended',
    run: async ({ store }) => {
      await begin(store, 's-1');
      await store.end('s-1', { after: 0, chunks: [] });
      checkEqual(await store.findLive(ada, place), undefined, 'What is live between them');
      checkEqual(await begin(store, 's-2'), { kind: 'begun' }, 'The answer');
      checkEqual((await store.findLive(ada, place))?.id, 's-2', 'What is live');
    },
  },
  {
    name: 'gives a repeated call the same result',
    run: async ({ store }) => {
      await begin(store, 's-1');
      await store.append('s-1', { after: 0, chunks: ['a'] }, leaseMs);
      checkEqual(await begin(store, 's-1'), { kind: 'begun' }, 'The answer again');
      const read = await store.read('s-1', { after: 0, limit: 9 });
      checkEqual(read, { chunks: ['a'], status: 'live' }, 'What is there of it');
    },
  },
  {
    name: 'separates streams of different conversations, of different users and without a user',
    run: async ({ store }) => {
      const streams = [
        sampleStream('of-ada'),
        sampleStream('of-ben', { userId: 'ben' }),
        sampleStream('of-nobody', { userId: undefined }),
        sampleStream('of-no-name', { userId: '' }),
        sampleStream('elsewhere', { conversationId: 'Talk' }),
      ];
      for (const stream of streams) {
        checkEqual(await store.begin(stream, leaseMs), { kind: 'begun' }, `The answer to ${stream.id}`);
      }
      checkEqual((await begin(store, 'more', { userId: undefined })).kind, 'busy', 'The second stream without a user');
      await store.append('of-ada', { after: 0, chunks: ['a'] }, leaseMs);
      await store.end('of-ada', { after: 1, chunks: [] });
      for (const { id } of streams.slice(1)) {
        checkEqual(await store.read(id, { after: 0, limit: 9 }), { chunks: [], status: 'live' }, id);
      }
    },
  },
];
