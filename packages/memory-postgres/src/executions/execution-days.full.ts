import { beforeEach, expect, it } from 'vitest';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';

const dayMs = 86_400_000;
const database = openForTests(embeddedForTests);
beforeEach(() => database.empty());

it('stores the events and the journal of executions in tables of their day, and drops the tables of old days', async () => {
  const ids = await endedExecutions('today', 1);
  expect(await tablesOf(ids)).toEqual([`execution_events_${nameOf(0)}`]);
  await moveToEarlierDay(-10);
  await endedExecutions('later', 1);
  expect((await tables()).filter((name) => name.includes(nameOf(-10)))).toHaveLength(2);

  database.advance(20 * dayMs);
  expect(await database.storage.executions.purge(15 * dayMs, 500)).toBe(2);
  expect(await tables()).not.toEqual(expect.arrayContaining([expect.stringContaining(nameOf(-10))]));
  expect((await tables()).filter((name) => name.includes(nameOf(0)))).toHaveLength(2);
  // The next days have tables already.
  expect((await tables()).filter((name) => name.includes(nameOf(3)))).toHaveLength(2);
});

it('keeps the events of an execution that has not ended when its day is dropped, and deletes them with it', async () => {
  const { executions } = database.storage;
  await endedExecutions('old', 3);
  await create('waits');
  await moveToEarlierDay(-10);
  database.advance(5 * dayMs);
  expect(await executions.purge(2 * dayMs, 500)).toBe(3);
  expect(await tables()).not.toEqual(expect.arrayContaining([expect.stringContaining(nameOf(-10))]));
  expect(await tablesOf(['waits'])).toEqual(['execution_events_other']);
  expect(await executions.events('anyone', 'waits', { after: 0, limit: 10 })).toHaveLength(1);

  await end('waits');
  expect(await executions.events('anyone', 'waits', { after: 0, limit: 10 })).toHaveLength(2);
  database.advance(5 * dayMs);
  expect(await executions.purge(2 * dayMs, 500)).toBe(1);
  expect(await database.query('select from halyard.execution_events_other')).toHaveLength(0);
  expect(await database.query('select from halyard.execution_journal_other')).toHaveLength(0);
});

it('keeps the table of a day while many of its executions have not ended', async () => {
  await createMany(Array.from({ length: 1_001 }, (_, index) => `waits-${index}`));
  await moveToEarlierDay(-10);
  expect(await database.storage.executions.purge(0, 500)).toBe(0);
  expect((await tables()).filter((name) => name.includes(nameOf(-10)))).toHaveLength(2);
});

it('deletes what belongs to ended executions of a day whose table is kept, and nothing else', async () => {
  const { executions } = database.storage;
  const first = await endedExecutions('first', 2);
  const waiting = Array.from({ length: 1_001 }, (_, index) => `waits-${index}`);
  await createMany(waiting);
  const last = await endedExecutions('last', 2);
  await moveToEarlierDay(-11);
  const young = await endedExecutions('young', 1);
  database.advance(5 * dayMs);

  expect(await executions.purge(6 * dayMs, 500)).toBe(0);
  expect(await storedRows()).toEqual({ events: 1_001 + 2 * (first.length + last.length + young.length), entries: 5 });
  expect(await executions.purge(2 * dayMs, 500)).toBe(5);

  expect((await tables()).filter((name) => name.includes(nameOf(-11)))).toHaveLength(2);
  expect(await storedRows(nameOf(-11))).toEqual({ events: 1_001, entries: 0 });
  for (const id of ['waits-0', 'waits-1000'])
    expect(await executions.events('anyone', id, { after: 0, limit: 10 })).toHaveLength(1);
});

it('moves events of a day without a table into the table that is created later', async () => {
  await database.query(`drop table halyard.execution_events_${nameOf(0)}`);
  await endedExecutions('early', 1);
  expect(await tablesOf(['early-0'])).toEqual(['execution_events_other']);
  await database.storage.executions.purge(dayMs, 500);
  expect(await tablesOf(['early-0'])).toEqual([`execution_events_${nameOf(0)}`]);
  expect(await database.storage.executions.events('anyone', 'early-0', { after: 0, limit: 10 })).toHaveLength(2);
});

async function endedExecutions(prefix: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  for (const id of ids) {
    await create(id);
    await end(id);
  }
  return ids;
}

async function create(id: string): Promise<void> {
  const fields = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const events = [{ type: 'workflow-start', from: 'w', timestamp: '' }];
  await database.storage.executions.create({ id, ...fields, events }, { requestId: id });
}

/** In groups: on a busy machine, the last of a thousand calls at once would wait too long and be refused. */
async function createMany(ids: readonly string[]): Promise<void> {
  for (let begin = 0; begin < ids.length; begin += 50) await Promise.all(ids.slice(begin, begin + 50).map(create));
}

async function end(id: string): Promise<void> {
  const { executions } = database.storage;
  const claimed = await executions.claim(id, { runner: 'r', leaseMs: 60_000 });
  const times = { startedAt: 0, endedAt: 0, attempts: 1 };
  await executions.commit({
    executionId: id,
    creationId: id,
    epoch: claimed?.execution.epoch ?? 0,
    commitId: 'c',
    expectedSeq: 1,
    entries: [{ path: 'a', type: 'andThen', status: 'success', output: 1, ...times }],
    changes: [{ id, events: [{ type: 'step-complete', from: 'a', timestamp: '' }], status: 'completed', output: 1 }],
    settled: [],
    suspensions: [],
    timers: [],
  });
}

/** How many events and journal entries are stored, in the tables of all days or of one. */
async function storedRows(day = ''): Promise<object | undefined> {
  const suffix = day && `_${day}`;
  const [row] = await database.query(
    `select (select count(*)::integer from halyard.execution_events${suffix}) as events,
       (select count(*)::integer from halyard.execution_journal${suffix}) as entries`,
  );
  return row as object | undefined;
}

/** As if all executions had been created on an earlier day that has tables. */
async function moveToEarlierDay(days: number): Promise<void> {
  const [low, high] = [days, days + 1].map((day) => (BigInt(today() + day) << 36n).toString());
  for (const [table, column] of [
    ['execution_events', 'execution_key'],
    ['execution_journal', 'root_key'],
  ]) {
    await database.query(
      `create table halyard.${table}_${nameOf(days)} partition of halyard.${table} for values from (${low}) to (${high})`,
    );
    await database.query(`update halyard.${table} set ${column} = ${column} + (${days}::bigint << 36)`);
  }
  await database.query(`update halyard.executions set key = key + (${days}::bigint << 36)`);
}

/** The tables that contain events of these executions. */
async function tablesOf(ids: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query(
    `select distinct v.tableoid::regclass::text as name from halyard.execution_events v
     join halyard.executions e on e.key = v.execution_key where e.id = any($1)`,
    [ids],
  );
  return (rows as readonly { readonly name: string }[]).map(({ name }) => name.replace('halyard.', ''));
}

async function tables(): Promise<readonly string[]> {
  const rows = await database.query(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('halyard.execution_events'::regclass, 'halyard.execution_journal'::regclass)`,
  );
  return (rows as readonly { readonly name: string }[]).map(({ name }) => name);
}

function nameOf(days: number): string {
  return new Date((today() + days) * dayMs).toISOString().slice(0, 10).replaceAll('-', '');
}

/** The database runs in this process. */
function today(): number {
  return Math.floor(Date.now() / dayMs);
}
