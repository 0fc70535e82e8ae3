import { silentLogger, type Storage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime, type WorkflowRuntimeOptions } from '@halyard/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage, createOpener, type PostgresStorageOptions } from '../postgres-storage.ts';
import { runConversations, storedConversation } from '../testing/conversation-workload.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';
import { runSteps } from '../testing/steps-workload.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migration.ts';
import { storageMigrations } from './migrations.ts';

/** A migration of a later version. Migrations only add. */
const later: Migration = {
  number: storageMigrations.migrations.length + 1,
  name: 'of_a_later_version',
  sql: (schema) => `
create table ${schema}.inventions (id text primary key);
alter table ${schema}.executions add column invented text, add column counted integer not null default 0;
alter table ${schema}.conversations add column invented text;
alter table ${schema}.streams add column invented text;
alter table ${schema}.messages add column counted integer not null default 0;
create index executions_invented on ${schema}.executions (invented) where invented is not null;
create function ${schema}.commit_executions_well(batch jsonb) returns void language plpgsql as $function$ begin end $function$;`,
};
const laterMigrations = { ...storageMigrations, migrations: [...storageMigrations.migrations, later] };

describe('a rolling deploy', () => {
  let server: PostgresServer;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(() => server.remove());

  const open = (options: Partial<PostgresStorageOptions> = {}): Storage => {
    const { connectionString } = server;
    const storage = createPostgresStorage({ connectionString, maxConnections: 5, logger: silentLogger, ...options });
    closing.push(() => storage.close());
    return storage;
  };
  /** Migrates the schema as a process of a later version does when it starts. */
  const upgrade = async (schema: string): Promise<void> => {
    const opened = await createOpener({ connectionString: server.connectionString }).open(AbortSignal.timeout(10_000));
    await migrate(opened.pool, laterMigrations, { schema, autoMigrate: true });
    await opened.close();
  };

  it('works without errors while a later version migrates the schema', async () => {
    const [old, other] = [open({ schema: 'below' }), open({ schema: 'below' })];
    await Promise.all([old, other].map(({ executions }) => executions.backlog(['order'], 1)));
    let [started, last] = [0, Number.POSITIVE_INFINITY];
    const { promise: underLoad, resolve: isUnderLoad } = Promise.withResolvers<void>();
    const shouldStop = (): boolean => {
      started += 1;
      if (started === 20) isUnderLoad();
      return started > last;
    };
    const steps = [old, other].map(({ executions }, index) =>
      runSteps(executions, { name: `steps-${index}`, steps: 5, shouldStop }),
    );
    const conversations = [old, other].map((storage, index) =>
      runConversations(storage, { name: `talk-${index}`, turns: 3, shouldStop }),
    );
    await underLoad;
    await upgrade('below');
    last = started + 20;
    const ran = (await Promise.all(steps)).flat();
    const talked = (await Promise.all(conversations)).flat();

    expect(ran.filter(({ isEnded }) => !isEnded)).toEqual([]);
    const journals = ran.map(async ({ id, isEnded }) => ({
      id,
      isEnded,
      journal: (await other.executions.journal('anyone', id)).map(({ path }) => path),
    }));
    expect(await Promise.all(journals)).toEqual(ran);
    expect(await Promise.all(talked.map((one) => storedConversation(other, one)))).toEqual(talked);
  });

  it.each([true, false])(
    'starts with the schema of a later version, and does not change it (autoMigrate: %s)',
    async (autoMigrate) => {
      const schema = `newer_${autoMigrate}`;
      await upgrade(schema);
      const storage = open({ schema, autoMigrate });
      const isFirst = await storage.approvals.consume('first', 9e15);
      expect(isFirst).toBe(true);
      await storage.check();
      let count = 0;
      const [done] = await runSteps(storage.executions, {
        name: 'newer',
        steps: 2,
        shouldStop: () => (count += 1) > 1,
      });
      expect(done).toMatchObject({ isEnded: true });
      expect(await server.query(`select max(number) as last from ${schema}.migrations`)).toEqual([
        { last: later.number },
      ]);
    },
  );

  describe('with another definition of a workflow', () => {
    const anything = { type: 'object' } as const;
    const begin = (id: string) => createWorkflow({ id, purpose: '', input: anything, resumeSchema: anything });
    const give = (id: string) => ({ id, execute: () => id });
    const ask = {
      id: 'ask',
      execute: ({ resumeData, suspend }: { resumeData?: unknown; suspend: (reason: string) => never }) =>
        resumeData === undefined ? suspend('wait') : 'answered',
    };
    const first = begin('order').andThen(give('price')).andThen(ask).andThen(give('ship'));

    const start = (workflows: WorkflowRuntimeOptions['workflows']): WorkflowRuntime => {
      const runtime = new WorkflowRuntime({
        workflows,
        storage: open({ schema: 'definitions' }),
        services: { logger: silentLogger },
      });
      // It does not poll for work, so that only the process that is called runs the execution.
      runtime.startByHand();
      closing.push(() => runtime.stop(1_000));
      return runtime;
    };
    const answer = async (runtime: WorkflowRuntime, executionId: string, workflowId = 'order') => {
      const key = { owner: 'anyone', workflowId, executionId } as const;
      await runtime.resume(key, { resumeData: { yes: true } });
      return runtime.wait(key);
    };

    it.each([
      [
        'another body after the suspension',
        begin('order')
          .andThen(give('price'))
          .andThen(ask)
          .andThen({ id: 'ship', execute: () => 'flown' }),
        'flown',
      ],
      [
        'a new last step',
        begin('order').andThen(give('price')).andThen(ask).andThen(give('ship')).andThen(give('thank')),
        'thank',
      ],
    ])('continues an execution with a new definition that fits: %s', async (_, second, result) => {
      const [old, now] = [start([first]), start([second])];
      const { executionId } = await old.execute('order', {}, {});
      expect(await answer(now, executionId)).toMatchObject({ status: 'completed', result });
    });

    it.each([
      [
        'a recorded step was removed',
        begin('order').andThen(ask).andThen(give('ship')),
        'step "price" was recorded and no longer exists',
      ],
      [
        'a recorded step has another type',
        begin('order').andTap(give('price')).andThen(ask),
        'step "price" was recorded as andThen and is now andTap',
      ],
      [
        'a step was added before a recorded one',
        begin('order').andThen(give('check')).andThen(give('price')).andThen(ask),
        'step "check" was inserted before "price"',
      ],
      [
        'the suspended step was removed',
        begin('order').andThen(give('price')).andThen(give('ship')),
        'step "ask" was recorded and no longer exists',
      ],
    ])('suspends an execution whose replacement does not fit, and names the place: %s', async (_, second, message) => {
      const [old, now] = [start([first]), start([{ ...second, replaces: [first] }])];
      const [{ executionId }, other] = [await old.execute('order', {}, {}), await old.execute('order', {}, {})];
      const waiting = await answer(now, executionId);
      expect(waiting).toMatchObject({ status: 'suspended' });
      expect(waiting.suspension?.reason).toContain(message);
      expect(await answer(old, other.executionId)).toMatchObject({ status: 'completed', result: 'ship' });
    });

    it('leaves an execution to a process with its steps: of an older, a newer and a different definition', async () => {
      const longer = begin('order').andThen(give('price')).andThen(ask).andThen(give('ship')).andThen(give('thank'));
      const different = begin('order').andThen(give('check')).andThen(ask);
      const [old, now, other] = [start([first]), start([longer]), start([different])];
      const { executionId } = await now.execute('order', {}, {});
      const key = { owner: 'anyone', workflowId: 'order', executionId } as const;
      await old.resume(key, { resumeData: { yes: true } });
      for (const runtime of [old, other]) {
        await runtime.sweep();
        expect(await runtime.get(key)).toMatchObject({ status: 'running', runner: null });
      }
      await now.sweep();
      expect(await now.wait(key)).toMatchObject({ status: 'completed', result: 'thank' });
    });

    it('runs an execution of an earlier version that is still registered', async () => {
      const different = begin('order').andThen(give('check')).andThen(ask);
      const [old, now] = [start([first]), start([{ ...different, versions: [first] }])];
      const { executionId } = await old.execute('order', {}, {});
      expect(await answer(now, executionId)).toMatchObject({ status: 'completed', result: 'ship' });
    });

    it('leaves the executions of an unknown workflow to processes that know it', async () => {
      const second = begin('order-2').andThen(give('check')).andThen(ask);
      const [old, now] = [start([first]), start([first, second])];
      const { executionId } = await now.execute('order-2', {}, {});
      const key = { owner: 'anyone', workflowId: 'order-2', executionId } as const;
      await old.resume(key, { resumeData: { yes: true } });
      await old.sweep();
      expect((await old.get(key)).status).not.toBe('error');
      await now.sweep();
      expect(await now.wait(key)).toMatchObject({ status: 'completed', result: 'answered' });
    });
  });
});
