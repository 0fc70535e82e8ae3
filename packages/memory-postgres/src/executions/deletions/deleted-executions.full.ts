import { beforeEach, expect, it } from 'vitest';
import { embeddedForTests } from '../../testing/embedded-template.ts';
import { openForTests } from '../../testing/open-for-test.ts';

const database = openForTests(embeddedForTests);
beforeEach(() => database.empty());

it('deletes the events and the journals of purged executions, and of no others', async () => {
  await ended('old', { events: 5, entries: 3 });
  await ended('without history', { events: 0, entries: 0 });
  database.advance(60_000);
  await ended('young', { events: 4, entries: 2 });
  await created('waits', { events: 2, entries: 1 });
  expect(await database.storage.executions.purge(30_000, 500)).toBe(2);
  expect(await storedRows()).toEqual({ events: 6, entries: 3, deleted: 0 });
});

it('deletes the oldest first', async () => {
  for (const id of ['first', 'second', 'third']) {
    await ended(id, { events: 1, entries: 1 });
    database.advance(1_000);
  }
  const { executions } = database.storage;
  expect(await executions.purge(0, 2)).toBe(2);
  expect(await executions.find('anyone', 'second')).toBeUndefined();
  expect(await executions.find('anyone', 'third')).toBeDefined();
  expect(await storedRows()).toEqual({ events: 1, entries: 1, deleted: 0 });
});

it('deletes no more rows in one statement than it may, however long an execution is', async () => {
  await ended('long', { events: 25, entries: 12 });
  await ended('short', { events: 1, entries: 1 });
  await deleteRoots();
  const counts = [await storedRows()];
  for (let isMoreLeft: unknown = true; isMoreLeft === true;) {
    const [row] = await database.query('select halyard.delete_histories(10) as more');
    isMoreLeft = (row as { readonly more: boolean }).more;
    counts.push(await storedRows());
  }
  const sums = counts.map(({ entries, events }) => events + entries);
  expect(sums).toEqual([39, 29, 19, 9, 0]);
  expect(counts.at(-1)?.deleted).toBe(0);
});

it('deletes the rest of a deletion that was cut off, which nobody can read', async () => {
  await ended('cut', { events: 25, entries: 12 });
  await deleteRoots();
  await database.query('select halyard.delete_histories(10)');
  const { executions } = database.storage;
  expect(await executions.find('anyone', 'cut')).toBeUndefined();
  expect(await executions.events('anyone', 'cut', { after: 0, limit: 50 })).toEqual([]);
  await created('cut', { events: 1, entries: 1 });
  expect(await executions.events('anyone', 'cut', { after: 0, limit: 50 })).toHaveLength(1);

  expect(await executions.purge(0, 500)).toBe(0);
  expect(await storedRows()).toEqual({ events: 1, entries: 1, deleted: 0 });
});

it('leaves nothing of a deleted user, also if a purge was cut off', async () => {
  await ended('cut', { events: 25, entries: 12 });
  await deleteRoots();
  for (let index = 0; index < 60; index += 1) await created(`run-${index}`, { events: 3, entries: 2 });
  expect(await database.storage.users.delete('ada')).toMatchObject({ executions: 60 });
  expect(await storedRows()).toEqual({ events: 0, entries: 0, deleted: 0 });
});

it('completes a deletion that was cut off when the storage opens, without another deletion', async () => {
  await ended('cut', { events: 25, entries: 12 });
  await created('waits', { events: 2, entries: 1 });
  await deleteRoots();
  expect(await storedRows()).toEqual({ events: 27, entries: 13, deleted: 1 });
  const reopened = database.reopen();
  await expect.poll(storedRows, { timeout: 60_000 }).toEqual({ events: 2, entries: 1, deleted: 0 });
  await reopened.close();
});

/** A purge that is cut off before it deletes events and journals. */
async function deleteRoots(): Promise<void> {
  await database.query('select halyard.purge_executions(-1e9::bigint, 500, 0)');
}

interface History {
  readonly events: number;
  readonly entries: number;
}

async function ended(id: string, history: History): Promise<void> {
  await created(id, history);
  await database.query(
    `update halyard.executions set status = 'completed', wants_runner_at = null, ended_at = updated_at where id = $1`,
    [id],
  );
}

async function created(id: string, { entries, events }: History): Promise<void> {
  const fields = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  await database.storage.executions.create({ id, userId: 'ada', ...fields, events: [] }, { requestId: id });
  const key = `(select key from halyard.executions where id = $1)`;
  await database.query(
    `insert into halyard.execution_events select ${key}, n, '{"type":"a"}' from generate_series(1, $2::integer) as n`,
    [id, events],
  );
  await database.query(
    `insert into halyard.execution_journal select ${key}, n, 'a-' || n, '{}' from generate_series(1, $2::integer) as n`,
    [id, entries],
  );
}

/** How many events and journal entries are stored, and of how many deleted executions. */
async function storedRows(): Promise<History & { readonly deleted: number }> {
  const [row] = await database.query(
    `select (select count(*)::integer from halyard.execution_events) as events,
       (select count(*)::integer from halyard.execution_journal) as entries,
       (select count(*)::integer from halyard.deleted_executions) as deleted`,
  );
  return row as History & { readonly deleted: number };
}
