import { silentLogger, type SpanRecord, type Storage, type TelemetryStore } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';

const dayMs = 86_400_000;

describe('telemetry on a PostgreSQL server', () => {
  let server: PostgresServer;
  let storages: readonly Storage[];
  let client: Client;
  let today: number;
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
    // On a slow machine, 26 writes that wait for each other may need longer than the storage's own
    // limit.
    const connectionString = `${server.connectionString}?lock_timeout=60000`;
    storages = Array.from({ length: 3 }, () => createPostgresStorage({ connectionString, logger: silentLogger }));
    await Promise.all(storages.map((storage) => storage.executions.backlog(['order'], 1)));
    client = new Client({ connectionString });
    await client.connect();
    today = Math.floor(Date.now() / dayMs) * dayMs;
  });
  afterAll(async () => {
    await client.end();
    for (const storage of storages) await storage.close();
    await server.remove();
  });

  function store(process = 0): TelemetryStore {
    const telemetry = storages[process]?.telemetry;
    if (telemetry === undefined) expect.fail('the storage has no telemetry store');
    return telemetry;
  }

  async function tables(): Promise<readonly unknown[]> {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relname ~ '^(spans|logs)_' order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  function span(trace: string, index: number, values: Partial<SpanRecord> = {}): SpanRecord {
    const startTime = today + index;
    return {
      traceId: trace,
      spanId: `${trace}-${index}`,
      parentSpanId: index === 0 ? null : `${trace}-0`,
      isEntry: index === 0,
      name: `span ${index}`,
      kind: 0,
      startTime,
      endTime: startTime + 1,
      attributes: { 'entity.type': 'agent', 'entity.id': 'helper', ...(index === 0 && { 'user.id': 'ada' }) },
      status: { code: 1 },
      events: [],
      links: [],
      resource: {},
      instrumentationScope: { name: 'halyard' },
      ...values,
    };
  }

  it('counts and summarizes spans that several processes write at the same time, twice and in any order, when their tables are created', async () => {
    const count = 40;
    const all = Array.from({ length: 30 }, (_one, trace) =>
      Array.from({ length: count }, (_span, index) => span(`many-${trace}`, index)),
    ).flat();
    const begun = all.filter(({ isEntry }) => isEntry).map((entry) => ({ ...entry, endTime: null }));
    const batches = Array.from({ length: 24 }, (_none, part) => all.filter((_span, index) => index % 8 === part % 8));
    const writes = [...batches, begun, begun.toReversed()].map((spans, index) =>
      store(index % 3).write({ spans: index % 2 === 0 ? spans : spans.toReversed(), logs: [] }),
    );
    await Promise.all(writes);
    expect(await store().counts()).toEqual({ traces: 30, spans: 30 * count, logs: 0 });
    const { total, traces } = await store(1).listTraces('anyone', { limit: 100, offset: 0 });
    expect(total).toBe(30);
    expect(new Set(traces.map(({ spanCount, status, rootSpan }) => `${spanCount} ${status} ${rootSpan.name}`))).toEqual(
      new Set([`${count} ok span 0`]),
    );
    expect(new Set(traces.map(({ endTime }) => endTime))).toEqual(new Set([today + count]));
    expect(await store(2).deleteUser('ada')).toBe(30);
    expect(await store().counts()).toEqual({ traces: 0, spans: 0, logs: 0 });
  });

  it('stores each day in separate tables, and drops them', async () => {
    const times = [-3, -2, -1, 0].map((days) => today + days * dayMs);
    await store().write({
      spans: times.map((startTime, day) => span(`day-${day}`, 0, { startTime })),
      logs: times.map((timestamp) => log(timestamp)),
    });
    // One trace continues on the next day.
    await store().write({ spans: [span('day-1', 7, { startTime: today - dayMs + 7 })], logs: [] });
    const before = await tables();
    expect(before.length).toBeGreaterThanOrEqual(10);
    expect(await store().purge(today - dayMs + 3_600_000)).toBe(4);
    expect(before.length - (await tables()).length).toBe(4);
    expect(await store().counts()).toEqual({ traces: 3, spans: 3, logs: 2 });
    const { traces } = await store().listTraces('anyone', { limit: 9, offset: 0 });
    expect(traces.map(({ rootSpan, spanCount }) => [rootSpan.spanId, spanCount])).toEqual([
      ['day-3-0', 1],
      ['day-1-7', 1],
      ['day-2-0', 1],
    ]);
  });

  it('accepts and purges records of a dropped day, of the distant future and of the distant past', async () => {
    const { spans } = await store().counts();
    const before = await tables();
    const times = [today - 2 * dayMs, today + 400 * dayMs, today - 4_000 * dayMs, 1e300, -1e300];
    const odd = times.map((startTime, index) => span(`odd-${index}`, 0, { startTime, endTime: null }));
    await store().write({ spans: odd, logs: times.map((timestamp) => log(timestamp)) });
    expect((await store().counts()).spans).toBe(spans + times.length);
    for (const one of odd) expect(await store().findSpan('anyone', one.spanId)).toEqual(one);
    expect((await tables()).length - before.length).toBe(2);
    await store().purge(today);
    expect(await store().counts()).toEqual({ traces: 3, spans: 3, logs: 3 });
    await store().purge(today + 9_000 * dayMs);
    expect((await store().counts()).spans).toBe(1);
  });

  it('moves the records of a future day into separate tables when the day begins', async () => {
    const name = `spans_${new Date(today + dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await client.query(
      `insert into halyard.spans_other select 'early', 'early-1', $1, 1, null, true, 'ok', null, null, null, '{"spanId":"early-1"}'`,
      [today + dayMs + 5],
    );
    await store().write({ spans: [span('next', 0, { startTime: today + dayMs })], logs: [] });
    expect((await client.query(`select span_id from halyard.${name} order by 1`)).rows).toEqual([
      { span_id: 'early-1' },
      { span_id: 'next-0' },
    ]);
  });

  it('rejects a batch as a whole when the database rejects a row, and accepts later batches', async () => {
    const before = await store().counts();
    await client.query(`alter table halyard.logs add constraint refused check (severity_number < 20)`);
    const batch = { spans: [span('refused', 0), span('refused', 1)], logs: [log(today, 21)] };
    await expect(store().write(batch)).rejects.toThrow();
    expect(await store().counts()).toEqual(before);
    expect(await store().findTrace('anyone', 'refused')).toEqual([]);
    await client.query('alter table halyard.logs drop constraint refused');
    await store().write(batch);
    expect(await store().findTrace('anyone', 'refused')).toEqual(batch.spans);
  });

  it('rejects writes while the server is down, and stores none of their rows', async () => {
    const before = await store().counts();
    await client.end();
    await server.stop();
    const spans = [span('down', 0), span('down', 1)];
    await expect(store().write({ spans, logs: [log(today)] })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await server.start();
    client = new Client({ connectionString: server.connectionString });
    await client.connect();
    expect(await store().counts()).toEqual(before);
    await store().write({ spans, logs: [log(today)] });
    expect((await store().counts()).spans).toBe(before.spans + 2);
  });
});

function log(timestamp: number, severityNumber = 9) {
  return { timestamp, traceId: null, spanId: null, severityNumber, severityText: 'INFO', body: '', attributes: {} };
}
