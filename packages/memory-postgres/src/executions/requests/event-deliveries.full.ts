import { beforeEach, expect, it } from 'vitest';
import { embeddedForTests } from '../../testing/embedded-template.ts';
import { openForTests } from '../../testing/open-for-test.ts';
import { toChannel } from '../rows/stored-waits.ts';

const hourMs = 3_600_000;
const database = openForTests(embeddedForTests);
beforeEach(() => database.empty());

it('delivers a large event in several parts, of a megabyte, and to each execution once', async () => {
  const ids = await waiting('large', 5);
  await storeEvent('large', 'x'.repeat(400_000));
  expect((await parts()).map(({ length }) => length)).toEqual([3, 2]);
  expect(await receivedOf(ids)).toEqual([1, 1, 1, 1, 1]);
  expect(await pendingCount()).toBe(0);
});

it('delivers a small event to at most a hundred executions at a time', async () => {
  const ids = await waiting('small', 101);
  await storeEvent('small', 'x');
  const delivered = await parts();
  expect(delivered.map(({ length }) => length)).toEqual([100, 1]);
  expect(delivered.flat().toSorted()).toEqual(ids.toSorted());
});

it('delivers all parts of an event that it publishes', async () => {
  const ids = await waiting('large', 5);
  const event = { id: 'e', name: 'large', key: null, payload: 'x'.repeat(400_000), requestId: 'e' };
  const { deliveries } = await database.storage.executions.publish('anyone', event);
  expect(deliveries.map(({ executionId }) => executionId).toSorted()).toEqual(ids);
  expect(await receivedOf(ids)).toEqual([1, 1, 1, 1, 1]);
  expect(await pendingCount()).toBe(0);
});

it('leaves an event to its publisher for some time', async () => {
  const ids = await waiting('slow', 1);
  await storeEvent('slow', 1);
  await database.query('update halyard.published_events set deliver_at = deliver_at + $1', [hourMs]);
  expect(await database.storage.executions.deliverPending(9)).toEqual([]);
  database.advance(2 * hourMs);
  expect(await parts()).toEqual([ids]);
});

it('delivers the other events when one cannot be delivered, and that one after some time', async () => {
  const failing = await waiting('fails', 2);
  const others = await waiting('works', 2);
  await storeEvent('fails', 1);
  await storeEvent('works', 2);
  await onDelivery(`if new.path = 'fails' then raise 'cannot be delivered'; end if;`);
  database.advance(hourMs);
  await expect(database.storage.executions.deliverPending(9)).rejects.toMatchObject({
    message: 'Events could not be delivered: 1',
    cause: { message: 'cannot be delivered' },
  });
  expect(await receivedOf([...failing, ...others])).toEqual([0, 0, 1, 1]);
  expect(await database.storage.executions.deliverPending(9)).toEqual([]);
  expect(await pendingCount()).toBe(1);
  await onDelivery('');
  expect(await parts()).toEqual([failing]);
  expect(await receivedOf([...failing, ...others])).toEqual([1, 1, 1, 1]);
});

it('locks no channel while it answers executions, so that no commit waits for it', async () => {
  const ids = await waiting('free', 3);
  await storeEvent('free', 1);
  await onDelivery(
    `if exists (select from pg_locks where locktype = 'advisory') then raise 'a channel is locked'; end if;`,
  );
  expect((await parts()).flat()).toEqual(ids);
  await onDelivery('');
});

/** Creates executions that wait for an event with this name. @returns their ids. */
async function waiting(name: string, count: number): Promise<readonly string[]> {
  const { executions } = database.storage;
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  for (const id of ids) {
    const fields = { workflowId: 'order', workflowName: 'order', input: null, context: {}, workflowState: {} };
    await executions.create({ id, ...fields, metadata: {}, events: [] }, { requestId: id });
    const claimed = await executions.claim(id, { runner: 'a runner', leaseMs: hourMs });
    await executions.commit({
      executionId: id,
      creationId: id,
      epoch: claimed?.execution.epoch ?? 0,
      commitId: `waits ${id}`,
      expectedSeq: 0,
      entries: [],
      settled: [],
      timers: [],
      suspensions: [
        {
          id: `wait ${id}`,
          path: name,
          executionId: id,
          stepId: name,
          stepIndex: 0,
          kind: 'event',
          reason: 'waits',
          suspendedAt: 1,
          event: { name, key: null },
        },
      ],
      changes: [{ id, status: 'suspended', events: [] }],
      release: { dueAt: null, expectedSignals: 0 },
    });
  }
  return ids;
}

/** Stores an event like a publisher that stops before it delivers it. */
async function storeEvent(name: string, payload: unknown): Promise<void> {
  const event = { id: name, userId: null, requestId: name, channel: toChannel({ name, key: null }) };
  const json = JSON.stringify({ ...event, payload: JSON.stringify(payload) });
  await database.query('select from halyard.publish_event($1, $2)', [json, Math.round(shiftMs())]);
}

function shiftMs(): number {
  return database.now() - Date.now();
}

/**
 * Delivers pending events until nothing is left. @returns the ids of the executions that each call
 * has delivered to.
 */
async function parts(): Promise<readonly (readonly string[])[]> {
  database.advance(hourMs);
  const delivered: (readonly string[])[] = [];
  for (;;) {
    const part = await database.storage.executions.deliverPending(9);
    if (part.length === 0) return delivered;
    delivered.push(part.map(({ executionId }) => executionId));
  }
}

/** How many events each of these executions has received. */
async function receivedOf(ids: readonly string[]): Promise<readonly (number | undefined)[]> {
  const found = await Promise.all(ids.map((id) => database.storage.executions.find('anyone', id)));
  return found.map((execution) => execution?.resumptions.length);
}

async function pendingCount(): Promise<number> {
  return (await database.query('select from halyard.published_events where is_pending')).length;
}

/** Runs a statement of PL/pgSQL before each delivery to an execution. */
async function onDelivery(statement: string): Promise<void> {
  await database.query(`create or replace function halyard.on_delivery() returns trigger language plpgsql
    as $function$ begin ${statement} return new; end $function$`);
  await database.query(`create or replace trigger on_delivery before insert on halyard.event_deliveries
    for each row execute function halyard.on_delivery()`);
}
