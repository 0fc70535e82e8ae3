import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger, type Storage, type StreamStore } from '@halyard/contracts';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { followStream } from '../testing/follow-stream.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable.ts';

const leaseMs = 60_000;
const place = { agentId: 'writer', conversationId: 'talk' };

describe('streams of several processes on a PostgreSQL server', () => {
  let server: PostgresServer;
  const opened: Storage[] = [];
  const pools: Pool[] = [];
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });
  afterAll(() => server.remove());

  const open = (): StreamStore => {
    const { connectionString } = server;
    return closeAfterTest(createPostgresStorage({ connectionString, maxConnections: 3, logger: silentLogger }));
  };
  /** A pool of one connection cannot listen, so this storage polls. */
  const openPolling = (): StreamStore => {
    const pool = new Pool({ connectionString: server.connectionString, max: 1 });
    pools.push(pool);
    return closeAfterTest(createPostgresStorage({ pool, logger: silentLogger }));
  };
  const closeAfterTest = (storage: Storage): StreamStore => {
    opened.push(storage);
    if (storage.streams === undefined) expect.fail('the storage has no streams');
    return storage.streams;
  };

  it('notify watchers in another process within 200 ms of an append, a stop request and the end', async () => {
    const [here, there] = [open(), open()];
    const times = { append: [] as number[], stop: [] as number[], end: [] as number[] };
    for (let round = 0; round < 5; round += 1) {
      const id = `notified-${round}`;
      await begin(here, id);
      const watcher = createWatcher(there, id);
      await watcher.timeToNotify(() => here.append(id, { after: 0, chunks: ['first'] }, leaseMs));
      for (let after = 1; after <= 3; after += 1)
        times.append.push(await watcher.timeToNotify(() => here.append(id, { after, chunks: ['next'] }, leaseMs)));
      times.stop.push(await watcher.timeToNotify(() => here.requestStop('anyone', { ...place, conversationId: id })));
      times.end.push(await watcher.timeToNotify(() => here.end(id, { after: 4, chunks: [] })));
      watcher.stop();
    }
    // Without notifications, watchers poll once a second. Single ones may be late on a busy
    // machine.
    const median = (of: readonly number[]): number => of.toSorted((one, other) => one - other)[of.length >> 1] ?? 0;
    expect(Object.entries(times).filter(([, of]) => median(of) >= 200)).toEqual([]);
  });

  it('notify watchers within 3.5 s without notifications: of chunks, a stop request, the end, and the deletion', async () => {
    const [here, there] = [open(), openPolling()];
    await begin(here, 'polled');
    await here.append('polled', { after: 0, chunks: ['a'] }, leaseMs);
    const watcher = createWatcher(there, 'polled');
    // The first poll always notifies.
    await watcher.next();
    for (const act of [
      () => here.append('polled', { after: 1, chunks: ['b'] }, leaseMs),
      () => here.requestStop('anyone', { ...place, conversationId: 'polled' }),
      () => here.end('polled', { after: 2, chunks: [] }),
      () => here.deleteUser('of polled'),
    ]) {
      expect(await watcher.timeToNotify(act)).toBeLessThan(3_500);
    }
    watcher.stop();
  });

  it('are lost for a polling reader when the lease of their writer expires', async () => {
    const [here, there] = [open(), openPolling()];
    await here.begin({ id: 'left', ...place, conversationId: 'left', userId: 'ada' }, 4_000);
    await here.append('left', { after: 0, chunks: ['a'] }, 4_000);
    expect(await followStream(there, 'left')).toEqual({ chunks: ['a'], status: 'lost' });
  });

  it('begin once when many processes try', async () => {
    const stores = [open(), open(), open(), open()];
    for (const conversationId of ['one', 'two', 'three']) {
      const outcomes = await Promise.all(
        stores.flatMap((store, process) =>
          Array.from({ length: 10 }, (_, index) =>
            store.begin({ ...place, id: `${conversationId}-${process}-${index}`, conversationId, userId: 'ada' }, 5),
          ),
        ),
      );
      const begun = outcomes.filter((outcome) => outcome.kind === 'begun').length;
      // Several can begin, because a lease may expire before all have tried.
      expect(begun).toBeGreaterThan(0);
      expect(
        await server.query(
          `select count(*)::integer as live from halyard.streams where conversation_id = '${conversationId}' and ended_at is null`,
        ),
      ).toEqual([{ live: 1 }]);
    }
  });

  it('leave no chunks when their user is deleted while they are written', async () => {
    const [here, there] = [open(), open()];
    for (let time = 0; time < 10; time += 1) {
      const id = `deleted-${time}`;
      await begin(here, id);
      const written = write(here, id, 30);
      await retryWhileUnavailable(() => there.deleteUser(`of ${id}`));
      await written;
    }
    const left = `select (select count(*)::integer from halyard.streams where id like 'deleted-%') as streams,
      (select count(*)::integer from halyard.stream_chunks where stream_key not in (select key from halyard.streams)) as chunks`;
    expect(await server.query(left)).toEqual([{ streams: 0, chunks: 0 }]);
  });

  it('lose and repeat nothing while connections are terminated and the server restarts', async () => {
    const [here, there, elsewhere] = [open(), open(), open()];
    await begin(here, 'restarted');
    const read: string[] = [];
    const followed = [
      followStream(there, 'restarted', (chunks) => void read.push(...chunks)),
      followStream(elsewhere, 'restarted'),
    ];
    let isOver = false;
    const broken = (async () => {
      for (let time = 0; time < 4; time += 1) {
        await delay(300);
        await server.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'halyard' and backend_start < now() - interval '200 ms'`,
        );
      }
      await server.crash();
      await delay(300);
      isOver = true;
    })();
    const count = await write(here, 'restarted', 10_000, () => isOver);
    await broken;
    expect(await retryWhileUnavailable(() => here.end('restarted', { after: count, chunks: ['last'] }))).toBe(true);
    const expected = [...chunksOf(0, count), 'last'];
    expect(await Promise.all(followed)).toEqual([
      { chunks: expected, status: 'ended' },
      { chunks: expected, status: 'ended' },
    ]);
    expect(read).toEqual(expected);
    expect(count).toBeGreaterThan(100);
  });

  it('complete 300 concurrent calls with a pool of three', async () => {
    const [store] = [open()];
    const ids = Array.from({ length: 100 }, (_, index) => `parallel-${index}`);
    await Promise.all(ids.map((id) => begin(store, id)));
    const read = await Promise.all(
      ids.map(async (id) => {
        await Promise.all([0, 1].map(() => store.append(id, { after: 0, chunks: ['a', 'b'] }, leaseMs)));
        await store.end(id, { after: 1, chunks: ['b', 'c'] });
        return store.read(id, { after: 0, limit: 9 });
      }),
    );
    expect(read).toEqual(ids.map(() => ({ chunks: ['a', 'b', 'c'], status: 'ended' })));
    expect(await store.purge(-1_000, 1_000)).toBeGreaterThanOrEqual(100);
  });
});

function begin(store: StreamStore, id: string) {
  return store.begin({ id, ...place, conversationId: id, userId: `of ${id}` }, leaseMs);
}

/**
 * Appends two chunks at a time until `shouldStop` returns true, or the stream is lost. @returns the
 * number of chunks.
 */
async function write(
  store: StreamStore,
  id: string,
  most: number,
  shouldStop: () => boolean = () => false,
): Promise<number> {
  let after = 0;
  for (; after < most && !shouldStop(); after += 2) {
    const chunks = chunksOf(after, after + 2);
    const from = after;
    if ((await retryWhileUnavailable(() => store.append(id, { after: from, chunks }, leaseMs))) === 'lost') break;
  }
  return after;
}

function chunksOf(after: number, upto: number): readonly string[] {
  return Array.from({ length: upto - after }, (_, index) => `chunk ${after + index}`);
}

/** Watches a stream and measures the time until a notification. */
function createWatcher(store: StreamStore, id: string) {
  let { promise, resolve } = Promise.withResolvers<void>();
  const stop = store.watch(id, () => resolve());
  const next = async (): Promise<void> => {
    await promise;
    ({ promise, resolve } = Promise.withResolvers<void>());
  };
  return {
    stop,
    next,
    /** @returns the milliseconds from the result of the call to the notification. */
    timeToNotify: async (act: () => Promise<unknown>): Promise<number> => {
      ({ promise, resolve } = Promise.withResolvers<void>());
      await act();
      const began = performance.now();
      await next();
      return performance.now() - began;
    },
  };
}
