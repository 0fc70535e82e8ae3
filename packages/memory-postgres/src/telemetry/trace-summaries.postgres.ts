import { silentLogger, type SpanRecord, type Storage } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';
import { spanRows } from './telemetry-batch.ts';

const now = Date.now();

describe('the rows of traces on a PostgreSQL server', () => {
  let server: ServerDatabase;
  let storage: Storage;
  let client: Client;
  beforeAll(async () => {
    server = await createServerDatabase();
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    await storage.telemetry?.write({ spans: [span('first', 0)], logs: [] });
    client = new Client({ connectionString: server.connectionString });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await storage.close();
    await server.remove();
  });
  beforeEach(async () => {
    await client.query('delete from halyard.spans');
    await client.query('delete from halyard.traces');
  });

  async function write(...spans: readonly SpanRecord[]): Promise<void> {
    await client.query('select halyard.write_telemetry($1, $2)', [spanRows(spans), '[]']);
  }

  async function traces(): Promise<readonly object[]> {
    return (await client.query<object>('select * from halyard.traces order by trace_id')).rows;
  }

  /** How many rows of spans a write reads. */
  async function rowsRead(...spans: readonly SpanRecord[]): Promise<number> {
    // Rows that earlier transactions have read do not count.
    await client.query('select pg_stat_force_next_flush()');
    await client.query('begin');
    await write(...spans);
    const { rows } = await client.query<{ count: number }>(
      `select sum(seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_user_tables where relname like 'spans%'`,
    );
    await client.query('commit');
    return rows[0]?.count ?? 0;
  }

  it('are written without reading the spans that a trace already has', async () => {
    const read: number[] = [];
    for (const size of [10, 2_000]) {
      const trace = `of-${size}`;
      await write(...Array.from({ length: size }, (_, index) => span(trace, index)));
      await write(span(trace, size, { endTime: null }));
      read.push(await rowsRead(span(trace, size), span(trace, size + 1), span(trace, size + 2, { endTime: null })));
    }
    expect(read[1]).toBe(read[0]);
  });

  it('are those that all spans together give, after any order of writes', async () => {
    const random = randomNumbers(7);
    for (let round = 0; round < 150; round += 1) {
      await write(...Array.from({ length: 1 + random(4) }, () => randomSpan(random)));
      const written = await traces();
      await client.query(
        `select halyard.summarize_traces(array(select trace_id from halyard.traces), '-infinity', 'infinity')`,
      );
      expect(await traces()).toEqual(written);
    }
  });
});

function span(traceId: string, index: number, values: Partial<SpanRecord> = {}): SpanRecord {
  const startTime = now + index;
  return {
    traceId,
    spanId: `${traceId}-${index}`,
    parentSpanId: null,
    isEntry: true,
    name: 'span',
    kind: 0,
    startTime,
    endTime: startTime + 1,
    attributes: { 'entity.type': 'agent', 'entity.id': `agent-${index}`, 'user.id': 'ada' },
    status: { code: 1 },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'halyard' },
    ...values,
  };
}

/**
 * One of few traces, spans and times, so that spans are replaced and start together. Some records
 * of a span differ in everything.
 */
function randomSpan(random: (below: number) => number): SpanRecord {
  const index = random(12);
  const isOdd = random(8) === 0;
  const startTime = now + (isOdd ? random(6) : index % 6);
  return span(`random-${random(3)}`, index, {
    isEntry: isOdd ? random(2) === 0 : index % 3 === 0,
    startTime,
    endTime: random(2) === 0 ? null : startTime + random(9),
    attributes: {
      'entity.type': 'agent',
      'entity.id': `agent-${index}`,
      ...(random(4) > 0 && { 'user.id': `user-${isOdd ? random(4) : index % 4}` }),
    },
    status: { code: random(2) === 0 ? 1 : 2 },
  });
}

/** Pseudo-random integers, the same in each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
