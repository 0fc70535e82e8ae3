import { randomUUID } from 'node:crypto';
import { type ClaimedExecution, type Commit, silentLogger, type Storage } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../../testing/server-database.ts';

const lease = { runner: 'a runner', leaseMs: 60_000 };
const count = 40;

describe('executions beside one whose row another transaction has locked', () => {
  let server: ServerDatabase;
  let storage: Storage;
  let locker: Client;
  let ids: readonly string[] = [];
  let locked = '';

  beforeAll(async () => {
    server = await createServerDatabase();
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    locker = new Client({ connectionString: server.connectionString });
    await locker.connect();
  });
  afterAll(async () => {
    await locker.end();
    await storage.close();
    await server.remove();
  });

  /** The locked one is neither the first nor the last in the order of ids. */
  beforeEach(async () => {
    ids = Array.from({ length: count }, () => randomUUID()).toSorted();
    locked = ids[count / 2] ?? '';
    await Promise.all(
      ids.map((id) =>
        storage.executions.create(
          {
            id,
            workflowId: 'order',
            workflowName: 'order',
            input: null,
            context: {},
            workflowState: {},
            metadata: {},
            events: [],
          },
          { requestId: id },
        ),
      ),
    );
  });

  const lock = async (): Promise<void> => {
    await locker.query('begin');
    await locker.query('select from halyard.executions where id = $1 for update', [locked]);
  };
  const others = (): readonly string[] => ids.filter((id) => id !== locked);

  it('are claimed, and that one is not', async () => {
    await lock();

    const claimed = await Promise.all(ids.map(async (id) => storage.executions.claim(id, lease)));

    expect(claimed.flatMap((one) => one?.execution.id ?? [])).toEqual(others());
    await locker.query('commit');
    expect(await storage.executions.claim(locked, lease)).toBeDefined();
  });

  it('are committed, and that one when it is unlocked', async () => {
    const claimed = await claimAll();
    await lock();

    const outcomes = new Map(claimed.map((one) => [one.execution.id, storage.executions.commit(commitOf(one))]));
    const late = outcomes.get(locked);
    outcomes.delete(locked);

    expect(new Set((await Promise.all(outcomes.values())).map(({ status }) => status))).toEqual(new Set(['committed']));
    await expect(Promise.race([late, Promise.resolve('still waiting')])).resolves.toBe('still waiting');
    await locker.query('commit');
    await expect(late).resolves.toMatchObject({ status: 'committed' });
    expect(await storage.executions.journal('anyone', locked)).toHaveLength(1);
  });

  it('are renewed together with that one', async () => {
    const claimed = await claimAll();
    await lock();
    const held = claimed.map(({ execution }) => ({ executionId: execution.id, epoch: execution.epoch }));

    const renewed = await storage.executions.renew([...held, { executionId: 'unknown', epoch: 1 }], lease);

    expect(renewed).toEqual(['unknown']);
    await locker.query('commit');
  });

  it('receive an event, and that one when it is unlocked', async () => {
    const { executions } = storage;
    for (const one of await claimAll()) await executions.commit(waitOf(one));
    await lock();

    const event = { id: randomUUID(), name: 'paid', key: null, payload: 1, requestId: randomUUID() };
    const { deliveries } = await executions.publish('anyone', event);

    expect(deliveries.map(({ executionId }) => executionId).toSorted()).toEqual(others());
    await locker.query('commit');
    expect(await executions.deliverPending(9)).toEqual([{ executionId: locked, workflowId: 'order' }]);
    expect(await executions.deliverPending(9)).toEqual([]);
  });

  it('receive an event while a commit locks the channel of another user', async () => {
    const { executions } = storage;
    for (const one of await claimAll()) await executions.commit(waitOf(one));
    await locker.query('begin');
    const channel = JSON.stringify(['paid', null]);
    await locker.query(`select pg_advisory_xact_lock_shared(halyard.channel_lock($1, 'ada'))`, [channel]);

    const event = { id: randomUUID(), name: 'paid', key: null, payload: 1, requestId: randomUUID() };
    const { deliveries } = await executions.publish('anyone', event);

    expect(deliveries.map(({ executionId }) => executionId).toSorted()).toEqual(ids);
    await executions.publish({ user: 'ben' }, { ...event, id: randomUUID() });
    await locker.query('commit');
  });

  async function claimAll(): Promise<readonly ClaimedExecution[]> {
    const claimed = await Promise.all(ids.map(async (id) => storage.executions.claim(id, lease)));
    return claimed.flatMap((one) => one ?? []);
  }
});

/** A commit after which an execution waits for an event. */
function waitOf(claimed: ClaimedExecution): Commit {
  const { id } = claimed.execution;
  const step = { path: 'wait', stepId: 'wait', stepIndex: 0, executionId: id };
  const event = { name: 'paid', key: null };
  return {
    ...commitOf(claimed),
    suspensions: [{ id: `wait ${id}`, ...step, kind: 'event', reason: 'waits', suspendedAt: 1, event }],
    release: { dueAt: null, expectedSignals: 0 },
  };
}

function commitOf({ execution: { creationId, epoch, id, seq } }: ClaimedExecution, number = 0): Commit {
  const times = { startedAt: 1, endedAt: 2 };
  return {
    executionId: id,
    creationId,
    epoch,
    commitId: `${epoch}.${number}`,
    expectedSeq: seq,
    entries: [{ path: `step-${number}`, type: 'andThen', status: 'success', output: 1, attempts: 1, ...times }],
    changes: [],
    settled: [],
    suspensions: [],
    timers: [],
  };
}
