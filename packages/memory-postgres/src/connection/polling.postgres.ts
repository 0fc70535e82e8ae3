import { silentLogger } from '@halyard/contracts';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { storageMigrations } from '../migrations/migrations.ts';
import { createPostgresStorage } from '../postgres-storage.ts';
import { freePort } from '../testing/free-port.ts';
import { findPgbouncer, startPgbouncer, throughPgbouncer } from '../testing/pgbouncer.ts';
import { createServerDatabase, type ServerDatabase } from '../testing/server-database.ts';
import { ArrivalCheck } from './arrival-check.ts';
import { Database } from './database.ts';
import { Notifications } from './notifications.ts';
import { serverOpener } from './open-pool.ts';

const program = await findPgbouncer();
const settings = { migrations: storageMigrations, schema: 'halyard', autoMigrate: true, logger: silentLogger };
const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };

let server: ServerDatabase;
let closing: (() => Promise<void>)[];
beforeAll(async () => {
  server = await createServerDatabase();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  closing = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.toReversed()) await close();
});
afterAll(() => server.remove());

it('reads watched rows once after each LISTEN, and then every 30 seconds', async () => {
  const { cut, isArriving, pass, polls } = await watchThousand(server.connectionString);
  await isArriving();
  await vi.waitFor(() => expect(polls()).toBeGreaterThan(0), { timeout: 120_000 });
  const first = polls();
  await pass(29);
  expect(polls() - first).toBe(0);
  await pass(2);
  // The statement may wait for a new connection.
  await vi.waitFor(() => expect(polls() - first).toBeGreaterThan(0), { timeout: 120_000 });
  await pass(20);
  expect(polls() - first).toBe(1);

  await cut();
  await isArriving();
  await vi.waitFor(() => expect(polls() - first).toBeGreaterThan(1), { timeout: 120_000 });
  const again = polls();
  await pass(29);
  expect(polls() - again).toBe(0);
});

it('reads them each second while nothing listens', async () => {
  const { pollAgain } = await watchThousand(server.connectionString, { maxConnections: 1 });
  for (let time = 0; time < 5; time += 1) expect(await pollAgain()).toBe(1);
});

it.skipIf(program === undefined)(
  'reads them each second behind a pooler that shares sessions, and takes no lock there (needs pgbouncer)',
  async () => {
    const port = await freePort();
    const pgbouncer = await startPgbouncer({ program: program ?? '', database: server.connectionString, port });
    closing.push(() => pgbouncer.stop());
    const { checks, pollAgain, sessions } = await watchThousand(throughPgbouncer(server.connectionString, port));
    await vi.waitFor(() => expect(checks()).toBeGreaterThan(0), { timeout: 120_000 });
    for (let time = 0; time < 5; time += 1) expect(await pollAgain()).toBe(1);
    expect(sessions).toEqual([]);
  },
);

it('sends changes again that could not be sent', async () => {
  const { notifications, refuse } = await watchThousand(server.connectionString);
  const other = await watchThousand(server.connectionString);
  await other.isArriving();
  const changed = Promise.withResolvers<string>();
  other.notifications.watch('late', changed.resolve);
  refuse();
  notifications.notify('late', 'commit');
  expect(await changed.promise).toBe('commit');
});

/** A process that watches a thousand executions. */
async function watchThousand(connectionString: string, { maxConnections = 4 } = {}) {
  const storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
  const creations = Array.from({ length: 1_000 }, (_, n) =>
    storage.executions.create({ id: `run-${n}`, ...values, events: [] }, { requestId: 'r' }),
  );
  await Promise.all(creations);
  await storage.close();

  let now = 0;
  const statements: string[] = [];
  let isRefused = false;
  const opener = serverOpener({ connectionString, maxConnections, logger: silentLogger });
  const open: typeof opener.open = async (signal) => {
    // A reply that takes longer than the seconds of the test is not a silent server.
    const { probing: _, ...opened } = await opener.open(signal);
    const record = (text: string): void => {
      statements.push(text);
      if (!isRefused || !text.includes('pg_notify')) return;
      isRefused = false;
      throw new Error('refused');
    };
    return { ...opened, pool: recordedPool(opened.pool, record) };
  };
  const database = new Database({ ...opener, ...settings, open, shiftMs: () => 0 });
  const notifications = new Notifications(database, { ...settings, now: () => now });
  closing.push(async () => {
    await notifications.close();
    await database.close();
  });
  const received = vi.spyOn(ArrivalCheck.prototype, 'received');
  closing.push(async () => received.mockRestore());
  const sessions: unknown[] = [];
  let arriving = Promise.withResolvers<void>();
  notifications.watchSession((session) => {
    if (session === undefined) arriving = Promise.withResolvers();
    else {
      sessions.push(session);
      arriving.resolve();
    }
  });
  for (let n = 0; n < 1_000; n += 1) notifications.watch(`run-${n}`, () => {});
  await database.whenOpened();
  const checks = (): number => statements.filter((text) => text.includes('pg_notify')).length;
  const polls = (): number => statements.filter((text) => /^select "id".*"executions"/.test(text)).length;
  return {
    notifications,
    sessions,
    polls,
    checks,
    isArriving: () => arriving.promise,
    /**
     * Ticks until the executions are read once more, at the same time. @returns how often they
     * were.
     */
    pollAgain: async () => {
      const before = polls();
      const tick = (): void => {
        vi.advanceTimersByTime(1_000);
        expect(polls()).toBeGreaterThan(before);
      };
      await vi.waitFor(tick, { timeout: 120_000 });
      return polls() - before;
    },
    /** The next notification is not sent. */
    refuse: () => {
      isRefused = true;
    },
    /** Terminates the connection that listens. */
    cut: async () => {
      const before = arriving;
      await server.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`);
      await vi.waitFor(() => expect(arriving).not.toBe(before), { timeout: 120_000 });
    },
    /**
     * Lets seconds pass, one after the other, and waits for the replies to the statements of each,
     * and for the notifications: these seconds are shorter than those of a silent connection.
     */
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        now += 1_000;
        vi.advanceTimersByTime(1_000);
        for (let time = 0; time < 3; time += 1) await database.check();
        while ((received.mock.lastCall?.[0] ?? 0) < checks()) await database.check();
      }
    },
  };
}

function recordedPool(pool: PostgresPool, before: (text: string) => void): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      return new Proxy(client, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'query') return value.bind(target);
          return async (...query: Parameters<PostgresPoolClient['query']>) => {
            if (typeof query[0] === 'string') before(query[0]);
            return Reflect.apply(value, target, query);
          };
        },
      });
    },
  };
}
