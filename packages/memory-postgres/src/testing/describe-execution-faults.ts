// oxlint-disable halyard/no-wall-clock -- a campaign measures how long calls take
import { setTimeout as delay } from 'node:timers/promises';
import { type ExecutionStore, silentLogger, type Storage } from '@halyard/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { type Acknowledged, runSteps } from './steps-workload.ts';

/**
 * Declares the tests of a server that fails.
 *
 * @param parallel how many calls are made at once. A storage refuses those that wait too long for
 * others, which is what 500 do on a busy machine.
 * @param isTimed whether to compare the time with that of calls one after the other.
 */
export function describeExecutionFaults({
  isTimed,
  parallel,
}: {
  readonly parallel: number;
  readonly isTimed: boolean;
}): void {
  let server: PostgresServer;
  let storage: Storage;
  const steps = 5;

  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    await storage.executions.backlog(['order'], 1);
  });
  afterAll(async () => {
    await storage.close();
    await server.remove();
  });

  it(`completes ${parallel} parallel writes of every kind with a pool of ten, and leaves no connection in a transaction`, async () => {
    const { approvals, executions } = storage;
    const writeEveryKind = async (id: string) => {
      const [acknowledged] = await runOnce(executions, id);
      const at = {
        executionId: `${id}-0`,
        expectedSeq: steps + 1,
        expectedSignals: 0,
        paths: ['step-2'],
        entries: [],
      };
      return [
        acknowledged?.isEnded,
        await suspendAndResume(executions, `${id}-suspended`),
        await executions.rewind('anyone', at),
        await executions.request('anyone', `${id}-0`, { kind: 'suspend', reason: 'wait' }),
        await approvals.consume(id, 9e15),
        await executions.purge(600_000, 5),
      ];
    };
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: parallel }, (_, index) => writeEveryKind(`every-kind-${index}`)),
    );
    const togetherMs = performance.now() - began;
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify([true, 'resumed', 'rewound', 'requested', true, 0])]),
    );
    const [row] = await server.query(
      `select count(*)::integer as idle from pg_stat_activity where state like 'idle in transaction%'`,
    );
    expect(row).toEqual({ idle: 0 });

    if (!isTimed) return;
    const beganAlone = performance.now();
    for (let index = 0; index < 50; index += 1) await writeEveryKind(`alone-${index}`);
    expect(togetherMs).toBeLessThan((parallel / 50) * (performance.now() - beganAlone));
  });

  it('loses no acknowledged commit, and writes none twice, while connections are terminated at random', async () => {
    const acknowledged = await underLoad('terminated', async () => {
      for (let time = 0; time < 40; time += 1) {
        await server.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'halyard' and random() < 0.3`,
        );
        await delay(50);
      }
    });
    expect(acknowledged.filter(({ isEnded }) => isEnded).length).toBeGreaterThan(50);
    expect(await stored(acknowledged)).toEqual(acknowledged.map(expected));
  });

  it('loses no acknowledged commit while the server crashes and restarts', async () => {
    const acknowledged = await underLoad('crashed', async () => {
      for (let time = 0; time < 3; time += 1) {
        await delay(700);
        await server.crash();
      }
    });
    expect(acknowledged.filter(({ isEnded }) => isEnded).length).toBeGreaterThan(50);
    expect(await stored(acknowledged)).toEqual(acknowledged.map(expected));
    await expect(storage.check()).resolves.toBeUndefined();
  });

  it('rejects calls while the server is down, and works again when it is up', async () => {
    await server.stop();
    await expect(storage.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', kind: 'unavailable' });
    await expect(storage.executions.find('anyone', 'run')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await server.start();
    await expect(storage.check()).resolves.toBeUndefined();
  });

  it('opens once the server is up, and lets calls wait for it', async () => {
    await server.stop();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => void warnings.push(message) };
    const early = createPostgresStorage({ connectionString: server.connectionString, logger });
    await expect(early.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const waiting = early.executions.find('anyone', 'terminated-0-0');
    await server.start();
    expect((await waiting)?.status).toBe('completed');
    await expect(early.check()).resolves.toBeUndefined();
    expect(warnings).toContain('The database cannot be opened; retrying');
    await early.close();
  });

  async function underLoad(name: string, disturb: () => Promise<void>): Promise<readonly Acknowledged[]> {
    let isOver = false;
    const runs = Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        runSteps(storage.executions, { name: `${name}-${index}`, steps, shouldStop: () => isOver }),
      ),
    );
    await disturb();
    isOver = true;
    return (await runs).flat();
  }

  async function stored(acknowledged: readonly Acknowledged[]): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    // One after the other, so that no call waits for a connection as long as the server is slow.
    for (const { id } of acknowledged)
      found.push({
        id,
        status: (await storage.executions.find('anyone', id))?.status,
        journal: (await storage.executions.journal('anyone', id)).map(({ path }) => path),
        events: (await storage.executions.events('anyone', id, { after: 0, limit: 100 })).map(({ seq }) => seq),
      });
    return found;
  }

  async function runOnce(store: ExecutionStore, name: string): Promise<readonly Acknowledged[]> {
    let count = 0;
    return runSteps(store, {
      name,
      steps,
      shouldStop: () => {
        count += 1;
        return count > 1;
      },
    });
  }
}

/**
 * The stored state of an acknowledged execution: its events are numbered without gaps, one for the
 * start and one for each step.
 */
function expected({ id, isEnded, journal }: Acknowledged): unknown {
  const events = [1, ...journal.map((_, index) => index + 2)];
  return { id, status: isEnded ? 'completed' : 'running', journal, events };
}

async function suspendAndResume(store: ExecutionStore, id: string): Promise<string> {
  const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  await store.create({ id, ...values, events: [] }, { requestId: id });
  const claimed = await store.claim(id, { runner: 'a', leaseMs: 60_000 });
  const place = { path: 'approve', stepId: 'approve', stepIndex: 0, executionId: id };
  await store.commit({
    executionId: id,
    creationId: id,
    epoch: claimed?.execution.epoch ?? 0,
    commitId: 'suspend',
    expectedSeq: 0,
    entries: [],
    changes: [{ id, status: 'suspended', events: [] }],
    settled: [],
    suspensions: [{ id: 's', ...place, kind: 'step', reason: 'waits', suspendedAt: 1 }],
    timers: [],
    release: { dueAt: null, expectedSignals: 0 },
  });
  return store.resume('anyone', { executionId: id, suspensionId: 's', data: 'yes', requestId: id });
}
