import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import { begin, leaseMs, place } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const ownerCases: readonly StreamStoreCase[] = [
  {
    name: 'finds and stops only streams of the owner',
    run: async ({ store }) => {
      await begin(store, 'of-ada');
      for (const owner of [ben, { user: '' }, { user: 'Ada' }, { user: 'ad%' }]) {
        checkEqual(await store.findLive(owner, place), undefined, `What is live for "${owner.user}"`);
        checkEqual(await store.requestStop(owner, place), false, `The answer to "${owner.user}"`);
      }
      checkEqual(
        await store.append('of-ada', { after: 0, chunks: [] }, leaseMs),
        'appended',
        'The result of an append',
      );
      await begin(store, 'of-ben', { userId: 'ben' });
      checkEqual((await store.findLive(ada, place))?.id, 'of-ada', 'What is live for Ada');
      checkEqual((await store.findLive(ben, place))?.id, 'of-ben', 'What is live for Ben');
      checkEqual(await store.requestStop(ben, place), true, 'The answer to Ben');
      checkEqual(await store.append('of-ada', { after: 0, chunks: [] }, leaseMs), 'appended', 'Ada’s');
      checkEqual(await store.append('of-ben', { after: 0, chunks: [] }, leaseMs), 'stop-requested', 'Ben’s');
    },
  },
  {
    name: 'finds and stops streams without a user only for anyone',
    run: async ({ store }) => {
      await begin(store, 's', { userId: undefined });
      for (const user of ['ada', '', 'null', 'undefined']) {
        checkEqual(await store.findLive({ user }, place), undefined, `What is live for "${user}"`);
        checkEqual(await store.requestStop({ user }, place), false, `The answer to "${user}"`);
      }
      const live = await store.findLive('anyone', place);
      checkEqual([live?.id, live?.userId], ['s', undefined], 'What is live for anyone');
      checkEqual(await store.requestStop('anyone', place), true, 'The answer to anyone');
      checkEqual(
        await store.append('s', { after: 0, chunks: [] }, leaseMs),
        'stop-requested',
        'What the writer learns',
      );
    },
  },
  {
    name: 'finds for anyone the stream that began last, of several users with one conversation id',
    run: async ({ store, advance }) => {
      for (const userId of ['ben', 'ada', 'zoe', undefined, 'eve']) {
        await begin(store, `of-${userId}`, { userId, ...(userId === 'eve' && { agentId: 'another' }) });
        await advance(1_000);
      }
      checkEqual((await store.findLive('anyone', place))?.id, 'of-undefined', 'What is live');
      await store.end('of-undefined', { after: 0, chunks: [] });
      checkEqual((await store.findLive('anyone', place))?.id, 'of-zoe', 'What is live then');
      await store.requestStop('anyone', place);
      for (const [id, outcome] of [
        ['of-ben', 'appended'],
        ['of-ada', 'appended'],
        ['of-zoe', 'stop-requested'],
      ]) {
        checkEqual(await store.append(id ?? '', { after: 0, chunks: [] }, leaseMs), outcome, `The answer to ${id}`);
      }
      await advance(leaseMs / 2);
      await store.append('of-ben', { after: 0, chunks: [] }, leaseMs);
      await advance(leaseMs / 2);
      checkEqual((await store.findLive('anyone', place))?.id, 'of-ben', 'What is live when others are lost');
    },
  },
];
