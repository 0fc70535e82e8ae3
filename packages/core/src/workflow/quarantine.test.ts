import type { ExecutionEvent, ExecutionStore, Logger, Storage } from '@halyard/contracts';
import { silentLogger } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { Gate } from './testing/gate.ts';
import { leaseMs, WorkflowKit } from './testing/workflow-kit.ts';
import type { AnyWorkflow } from './workflow.ts';

/**
 * A step that kills its process, until it is repaired: the test restarts the kit when the step has
 * started.
 */
function deadly(): { readonly workflow: AnyWorkflow; readonly starts: string[]; repair(): void } {
  const starts: string[] = [];
  let isRepaired = false;
  const gate = new Gate();
  return {
    starts,
    repair: () => {
      isRepaired = true;
    },
    workflow: createWorkflow({ id: 'deadly' })
      .andThen({ id: 'before', execute: () => 'ready' })
      .andThen({
        id: 'kill',
        execute: async (context) => {
          if (isRepaired) return 'alive';
          starts.push(context.state.executionId);
          await gate.pass(context);
          return 'never';
        },
      }),
  };
}

/** A step that takes longer than its processes live while a deadly one runs beside it. */
function slow(): { readonly workflow: AnyWorkflow; readonly starts: string[]; readonly gate: Gate } {
  const starts: string[] = [];
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'slow' }).andThen({
    id: 'work',
    execute: async (context) => {
      starts.push(context.state.executionId);
      await gate.pass(context);
      return 'done';
    },
  });
  return { workflow, starts, gate };
}

/** Steps that take a given time in one process. */
function working() {
  const started: { readonly id: string; at: number | undefined; end(): void }[] = [];
  const ended = new Set<string>();
  const workflow = createWorkflow({ id: 'working' }).andThen({
    id: 'work',
    execute: async ({ state: { executionId: id } }) => {
      await new Promise<void>((resolve) => started.push({ id, at: undefined, end: resolve }));
      ended.add(id);
    },
  });
  const endAfter = (durationMs: number, now: number): void => {
    for (const one of started) {
      one.at ??= now;
      if (now >= one.at + durationMs) one.end();
    }
  };
  return { workflow, started, ended, endAfter };
}

const stepMs = 10_000;
/** Longer than any execution is left alone. */
const longestBackOffMs = 1.5 * 2 ** 6 * leaseMs;

/**
 * Restarts the process each time the deadly step has started in it, until that has not happened for
 * long. `onPeace`: called when it has lived for half a minute.
 */
async function restartWhileKilled(kit: WorkflowKit, starts: readonly string[], onPeace = () => {}): Promise<void> {
  let seen = 0;
  for (let peaceMs = 0; peaceMs <= longestBackOffMs; peaceMs += stepMs) {
    if (peaceMs === 30_000) onPeace();
    if (starts.length > seen) {
      seen = starts.length;
      peaceMs = 0;
      await kit.restart();
    } else await kit.advance(stepMs);
  }
}

async function begin(kit: WorkflowKit, workflowId: string): Promise<string> {
  const id = await kit.runtime.begin(workflowId, null, {});
  await kit.settle();
  return id;
}

describe('an execution that kills its process', () => {
  it('is quarantined, and takes no healthy execution with it', async () => {
    const [killer, healthy] = [deadly(), slow()];
    const errors: object[] = [];
    const logger: Logger = { ...silentLogger, error: (fields, message) => errors.push({ ...fields, message }) };
    const kit = new WorkflowKit(killer.workflow, healthy.workflow).use({ logger });
    const others: string[] = [];
    for (let count = 0; count < 5; count += 1) others.push(await begin(kit, 'slow'));
    const id = await begin(kit, 'deadly');

    await restartWhileKilled(kit, killer.starts, () => healthy.gate.open());

    expect(killer.starts).toHaveLength(9);
    for (const other of others) expect(await kit.row(other)).toMatchObject({ status: 'completed', output: 'done' });
    const row = await kit.row(id);
    expect(row).toMatchObject({ status: 'suspended', runner: null, quarantinedAt: expect.any(Number) });
    expect(row.suspensions).toMatchObject([
      {
        kind: 'request',
        stepId: 'kill',
        stepIndex: 1,
        reason: 'Quarantined: 8 times in a row, the process that ran it died or could not record anything',
      },
    ]);
    expect((await kit.history(id)).slice(-2)).toEqual(['workflow-suspended deadly', 'workflow-result deadly']);
    expect(errors).toContainEqual({
      executionId: id,
      workflowId: 'deadly',
      message: 'an execution was quarantined: no process can run it',
    });
    const filter = { parentExecutionId: null, isQuarantined: true, limit: 9, offset: 0 } as const;
    const { executions } = await kit.storage.executions.list('anyone', filter);
    expect(executions.map((execution) => execution.id)).toEqual([id]);
  });

  it('takes no healthy execution with it when processes die slowly, and steps take longer than that', async () => {
    const [killer, work] = [deadly(), working()];
    const kit = new WorkflowKit(killer.workflow, work.workflow);
    const healthy: string[] = [];
    for (let count = 0; count < 50; count += 1) healthy.push(await begin(kit, 'working'));
    const id = await begin(kit, 'deadly');
    let seen = 0;
    let diesAt = Infinity;
    for (let now = 0; now < 20 * 60 * 60_000; now += stepMs) {
      if (killer.starts.length > seen) diesAt = Math.min(diesAt, now + 60_000);
      seen = killer.starts.length;
      if (now >= diesAt) {
        work.started.length = 0;
        diesAt = Infinity;
        await kit.restart();
      } else await kit.advance(stepMs);
      work.endAfter(300_000, now + stepMs);
      await kit.settle();
      if (work.ended.size === healthy.length && (await kit.row(id)).status === 'suspended') break;
    }
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', quarantinedAt: expect.any(Number) });
    for (const other of healthy)
      expect(await kit.row(other)).toMatchObject({ status: 'completed', quarantinedAt: null });
  });

  it('continues when it is resumed after a repair, and can be cancelled', async () => {
    const killer = deadly();
    const kit = new WorkflowKit(killer.workflow);
    const [first, second] = [await begin(kit, 'deadly'), await begin(kit, 'deadly')];
    await restartWhileKilled(kit, killer.starts);
    for (const id of [first, second]) expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
    killer.repair();
    expect(await kit.resume(first)).toMatchObject({ status: 'completed', result: 'alive' });
    expect(await kit.row(first)).toMatchObject({ quarantinedAt: null });
    expect(await kit.cancel(second)).toMatchObject({ status: 'cancelled' });
  });

  it('is quarantined again when it is resumed without a repair', async () => {
    const killer = deadly();
    const kit = new WorkflowKit(killer.workflow);
    const id = await begin(kit, 'deadly');
    await restartWhileKilled(kit, killer.starts);
    await kit.answer(id);
    await restartWhileKilled(kit, killer.starts);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', suspensions: [{ kind: 'request' }] });
    expect(killer.starts).toHaveLength(17);
  });
});

it('cancels an execution at once that is left alone because its processes have died', async () => {
  const healthy = slow();
  const kit = new WorkflowKit(healthy.workflow);
  // The processes that have died notice nothing.
  Object.assign(kit.storage.executions, { watch: () => () => {} });
  const ids = [await begin(kit, 'slow'), await begin(kit, 'slow')];
  await kit.restart();
  await kit.restart();
  healthy.starts.length = 0;
  await kit.restart();
  expect(healthy.starts).toEqual([]);
  for (const id of ids) expect(await kit.cancel(id)).toMatchObject({ status: 'cancelled' });
  expect(healthy.starts).toEqual([]);
});

it('quarantines an execution whose history cannot be read', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'w' })
    .andThen({ id: 'first', execute: () => 1 })
    .andThen({ id: 'wait', execute: (context) => gate.pass(context) });
  const kit = new WorkflowKit(workflow);
  const id = await kit.begin();
  breakHistory(kit.storage);
  for (let restarts = 0; restarts < 300 && (await kit.row(id)).status === 'running'; restarts += 1) await kit.restart();
  expect(await kit.row(id)).toMatchObject({ status: 'suspended', quarantinedAt: expect.any(Number) });
  expect((await kit.row(id)).epoch).toBeLessThanOrEqual(10);
});

it('quarantines an execution without reading its journal as a whole, whose size may be the reason', async () => {
  const killer = deadly();
  const kit = new WorkflowKit(killer.workflow);
  const { executions } = kit.storage;
  const events = executions.events.bind(executions);
  const sizes: (number | undefined)[] = [];
  let journals = 0;
  Object.assign(executions, {
    journal: () => {
      journals += 1;
      return Promise.reject(new RangeError('too large'));
    },
    events: (...given: Parameters<ExecutionStore['events']>) => {
      sizes.push(given[2].maxBytes);
      return events(...given);
    },
  } satisfies Partial<Record<keyof ExecutionStore, unknown>>);
  const id = await begin(kit, 'deadly');
  await restartWhileKilled(kit, killer.starts);
  expect((await kit.row(id)).suspensions).toMatchObject([{ kind: 'request', stepId: 'kill', stepIndex: 1 }]);
  expect([journals, sizes.includes(undefined)]).toEqual([0, false]);
});

function breakHistory({ executions }: Storage): void {
  const unreadable = (): Promise<readonly ExecutionEvent[]> => Promise.reject(new SyntaxError('not JSON'));
  Object.assign(executions, { events: unreadable, journal: unreadable } satisfies Partial<
    Record<keyof ExecutionStore, unknown>
  >);
}
