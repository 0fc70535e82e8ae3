import type { LogRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';

const dayMs = 86_400_000;
const database = openForTests(embeddedForTests);

it('stores each day in a separate table of an embedded database, and drops it', async () => {
  const { telemetry } = database.storage;
  if (telemetry === undefined) expect.fail('it keeps no telemetry');
  const now = database.now();
  const logs = [0, 1, 2].map((days) => logAt(now - days * dayMs));
  await telemetry.write({ spans: [], logs });
  expect(await countTables()).toBe(3);
  expect(await telemetry.purge(now)).toBe(2);
  expect(await countTables()).toBe(1);
  expect(await telemetry.listLogs('anyone', { limit: 9, offset: 0 })).toEqual({ logs: [logs[0]], total: 1 });
});

it('distinguishes ids that are too long for an index', async () => {
  const { telemetry } = database.storage;
  const long = 'x'.repeat(20_000);
  const logs = ['a', 'b'].map((end) => ({ ...logAt(database.now()), attributes: { agentId: `${long}${end}` } }));
  await telemetry?.write({ spans: [], logs });
  const found = await telemetry?.listLogs('anyone', { limit: 9, offset: 0, agentId: `${long}b` });
  expect(found).toEqual({ logs: [logs[1]], total: 1 });
});

async function countTables(): Promise<number> {
  return (await database.query(`select from pg_class where relkind = 'r' and relname ~ '^logs_[0-9]{8}$'`)).length;
}

function logAt(timestamp: number): LogRecord {
  return {
    timestamp,
    traceId: null,
    spanId: null,
    severityNumber: 9,
    severityText: 'INFO',
    body: 'a',
    attributes: {},
  };
}
