import type { StreamStore } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openExplainedStorage, type ExplainedStorage } from '../testing/explained-storage.ts';

/**
 * Every query must use an index. The tables have 10 000 streams, 500 of them live, and 30 000 rows
 * of chunks.
 */
describe('query plans of streams', () => {
  let planned: ExplainedStorage;
  let streams: StreamStore;
  beforeAll(async () => {
    planned = await openExplainedStorage(fill);
    if (planned.storage.streams === undefined) expect.fail('the storage has no streams');
    ({ streams } = planned.storage);
  });
  afterAll(() => planned.close());

  const place = { agentId: 'writer', conversationId: 'talk-20' };
  const ada = { user: 'user-20' };
  const calls: readonly (readonly [name: string, index: string, work: () => Promise<unknown>])[] = [
    ['begin', 'streams_live', () => streams.begin({ id: 'new', ...place, userId: 'user-20' }, 1_000)],
    ['append', 'streams_id_key', () => streams.append('stream-40', { after: 3, chunks: ['a'] }, 1_000)],
    ['a repeated append', 'streams_id_key', () => streams.append('stream-40', { after: 0, chunks: [] }, 1_000)],
    ['read', 'stream_chunks_pkey', () => streams.read('stream-77', { after: 1, limit: 1 })],
    ['findLive of a user', 'streams_live', () => streams.findLive(ada, place)],
    ['findLive of anyone', 'streams_live', () => streams.findLive('anyone', place)],
    ['requestStop', 'streams_live', () => streams.requestStop(ada, place)],
    ['end', 'streams_id_key', () => streams.end('stream-60', { after: 3, chunks: [] })],
    ['discard', 'streams_id_key', () => streams.discard('stream-61')],
    ['purge', 'streams_ended', () => streams.purge(1_000, 10)],
    ['deleteUser', 'streams_of_owner', () => streams.deleteUser('user-9')],
  ];

  it.each(calls)('%s uses %s', async (_name, index, work) => {
    const plans = await planned.plansOf(work);
    expect(plans).toContain(index);
    expect(plans.match(/Seq Scan on \w+/g) ?? []).toEqual([]);
  });

  it('append updates no index of its stream', async () => {
    const updates = async (): Promise<unknown> => {
      await planned.pool.query('select pg_stat_force_next_flush()');
      const { rows } = await planned.pool.query<object>(
        `select n_tup_upd - n_tup_hot_upd as cold from pg_stat_user_tables where relname = 'streams'`,
      );
      return rows;
    };
    await streams.begin({ id: 'hot', agentId: 'a', conversationId: 'hot', userId: 'zoe' }, 60_000);
    const before = await updates();
    for (let after = 0; after < 50; after += 1) await streams.append('hot', { after, chunks: ['a'] }, 60_000);
    expect(await updates()).toEqual(before);
  });
});

const fill = `
insert into halyard.streams (id, agent_id, conversation_id, owner, started_at, lease_until, status, ended_at, chunk_count)
select 'stream-' || n, 'writer', 'talk-' || n, '=user-' || n % 500, n * 1000, 9000000000000,
  case when n % 20 = 0 then 'live' else 'ended' end, case when n % 20 <> 0 then n * 1000 end, 3
from generate_series(1, 10000) as n;
insert into halyard.stream_chunks select key, n, '["a"]' from halyard.streams, generate_series(1, 3) as n;
`;
