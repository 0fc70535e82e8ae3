import type { DueExecution, Execution, ExecutionEvent, ExecutionStore } from '@halyard/contracts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import { job, leaseMs, openTwoProcesses, settled, type TwoProcesses } from '../../testing/two-processes.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';
import { outsidePath } from '../waits/waits.ts';

const due = (fields: Partial<DueExecution> = {}) => ({
  ...job,
  userId: null,
  priority: 0,
  claimsWithoutCommit: 0,
  dueAt: 0,
  ...fields,
});

/** Processes that claim the execution and die before they commit anything. */
async function dieInTurn({ clock, store }: TwoProcesses, processes: number): Promise<void> {
  for (let number = 1; number <= processes; number += 1) {
    await store.claim(job.executionId, { runner: `dead-${number}`, leaseMs });
    clock.advance(leaseMs);
  }
}

describe('a suspect', () => {
  it('runs only when it is its turn', async () => {
    const opened = await openTwoProcesses();
    const { body, here, store } = opened;
    await dieInTurn(opened, 1);
    const first = here.run(job);
    await body.entered;
    opened.clock.advance(leaseMs);
    await opened.there.run(job);
    expect(body.signals).toHaveLength(1);

    await opened.there.sweep();
    await settled();
    expect(body.signals).toHaveLength(2);
    body.open();
    await first;
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('waits for the one that runs, also after further sweeps', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen({ id: 'work', execute: (c) => gate.pass(c) }));
    const ids = [await kit.begin(), await kit.begin(), await kit.begin()];
    await kit.restart();
    await kit.restart();
    const before = gate.signals.length;
    await kit.restart();
    await kit.advance(1_000);
    await kit.advance(1_000);
    expect(gate.signals.length - before).toBe(1);
    gate.open();
    for (const id of ids) expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
  });

  it('runs before those that were claimed more often', async () => {
    const { body, here, store } = await openTwoProcesses();
    body.open();
    const claim = vi.spyOn(store, 'claim');
    vi.spyOn(store, 'due').mockResolvedValue([
      due({ executionId: 'fourth', claimsWithoutCommit: 5 }),
      due({ claimsWithoutCommit: 2 }),
      due({ executionId: 'third', claimsWithoutCommit: 4 }),
      due({ executionId: 'second', claimsWithoutCommit: 3 }),
    ]);
    await here.sweep();
    await settled();
    await settled();
    expect(claim.mock.calls.map(([id]) => id)).toEqual(['run', 'second', 'third', 'fourth']);
  });

  it('that a later sweep finds has its turn when the earlier ones have had theirs', async () => {
    const { body, here, store } = await openTwoProcesses();
    body.open();
    const find = vi.spyOn(store, 'due');
    find.mockResolvedValueOnce([due({ executionId: 'deleted', claimsWithoutCommit: 2 })]);
    await here.sweep();
    await settled();
    find.mockResolvedValueOnce([due({ claimsWithoutCommit: 2 })]);
    await here.sweep();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('is left to other processes, without an error, when its process shuts down before its turn', async () => {
    const failures: unknown[] = [];
    const record = (failure: unknown): void => void failures.push(failure);
    process.on('unhandledRejection', record);
    onTestFinished(() => void process.off('unhandledRejection', record));
    const { body, here, store } = await openTwoProcesses();
    const suspects = [due({ claimsWithoutCommit: 2 }), due({ executionId: 'next', claimsWithoutCommit: 3 })];
    vi.spyOn(store, 'due').mockResolvedValueOnce(suspects);
    const claim = vi.spyOn(store, 'claim');
    await here.sweep();
    await body.entered;
    const draining = here.drain(60_000);
    body.open();
    await draining;
    await settled();
    expect(claim.mock.calls.map(([id]) => id)).toEqual(['run']);
    expect(failures).toEqual([]);
  });
});

describe('a quarantine', () => {
  it('is a suspension of the whole execution, with an id of its own, and is logged', async () => {
    const opened = await openTwoProcesses();
    const { clock, here, lines, store } = opened;
    await dieInTurn(opened, 8);
    await here.sweep();
    await settled();
    const row = await store.find('anyone', 'run');
    expect(row).toMatchObject({ status: 'suspended', quarantinedAt: clock.now() });
    expect(row?.suspensions).toMatchObject([
      { id: '9.1', path: outsidePath(''), executionId: 'run', stepId: 'pay', stepIndex: 0, suspendedAt: clock.now() },
    ]);
    expect(lines).toEqual([{ level: 'error', message: 'an execution was quarantined: no process can run it' }]);
  });

  it('does not happen one claim earlier', async () => {
    const opened = await openTwoProcesses();
    const { body, here, store } = opened;
    await dieInTurn(opened, 7);
    body.open();
    await here.sweep();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 8 });
  });

  it('does not happen to an execution that another process has continued in the meantime', async () => {
    const { here, lines, store } = await openTwoProcesses();
    vi.spyOn(store, 'due').mockResolvedValue([due({ claimsWithoutCommit: 8 })]);
    await here.sweep();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'running', quarantinedAt: null });
    expect(lines).toEqual([]);
  });

  it.each([{ executionId: 'deleted' }, { workflowId: 'removed' }])(
    'is not tried for an execution that was deleted, or whose workflow is not here: %j',
    async (fields) => {
      const { here, lines, store } = await openTwoProcesses();
      const claim = vi.spyOn(store, 'claim');
      vi.spyOn(store, 'due').mockResolvedValue([due({ ...fields, claimsWithoutCommit: 8 })]);
      await here.sweep();
      await settled();
      expect(lines).toEqual([]);
      expect(claim).not.toHaveBeenCalled();
    },
  );

  it('that fails does not start the execution', async () => {
    const opened = await openTwoProcesses();
    const { body, here, store } = opened;
    await dieInTurn(opened, 8);
    vi.spyOn(store, 'quarantine').mockRejectedValueOnce(new TypeError('no connection'));
    await here.sweep();
    await settled();
    expect(body.signals).toEqual([]);
    await here.sweep();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'suspended' });
  });
});

describe('the step at which an execution was quarantined', () => {
  const steps = (gate: Gate) =>
    createWorkflow({ id: 'w' })
      .andThen({ id: 'first', execute: () => 1 })
      .andThen({ id: 'second', execute: (c) => (c.resumeData === undefined ? c.suspend('approval') : 2) })
      .andThen({ id: 'third', execute: (c) => gate.pass(c) });

  async function quarantined(kit: WorkflowKit, id: string): Promise<unknown> {
    for (let restarts = 0; restarts < 12; restarts += 1) await kit.restart();
    const { quarantinedAt, suspensions } = await kit.row(id);
    expect(quarantinedAt).not.toBeNull();
    return suspensions.map(({ stepId, stepIndex }) => [stepId, stepIndex]);
  }

  /** Replaces how the events are read. @returns how often they were. */
  function readEvents(
    { executions }: WorkflowKit['storage'],
    change: (events: readonly ExecutionEvent[]) => readonly ExecutionEvent[],
  ) {
    const read: ExecutionStore['events'] = executions.events.bind(executions);
    return vi.spyOn(executions, 'events').mockImplementation(async (...given) => change(await read(...given)));
  }

  it('is found in one read of a short history, also of a user', async () => {
    const kit = new WorkflowKit(steps(new Gate()));
    const id = await kit.begin(null, { userId: 'ada' });
    await kit.answer(id, 'yes');
    for (let restarts = 0; restarts < 7; restarts += 1) await kit.restart();
    const reads = readEvents(kit.storage, (events) => events);
    expect(await quarantined(kit, id)).toEqual([['third', 2]]);
    const pages = reads.mock.calls.filter(([, , { maxBytes }]) => maxBytes !== undefined);
    expect(new Set(pages.map(([, , { after }]) => after))).toEqual(new Set([0]));
  });

  it('is found although each read returns a part of the history', async () => {
    const kit = new WorkflowKit(steps(new Gate()));
    const id = await kit.begin();
    await kit.answer(id, 'yes');
    readEvents(kit.storage, (events) => events.slice(0, 1));
    expect(await quarantined(kit, id)).toEqual([['third', 2]]);
  });

  it('is one that had completed before the execution was rewound to it', async () => {
    const gate = new Gate();
    const workflow = createWorkflow({ id: 'w' })
      .andThen({ id: 'first', execute: async (c) => (c.resumeData === undefined ? undefined : gate.pass(c)) })
      .andThen({ id: 'second', execute: (c) => c.suspend('approval') });
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin();
    await kit.answer(id, 'again', 'first');
    expect(await quarantined(kit, id)).toEqual([['first', 0]]);
  });

  it.each([
    ['the history cannot be read', () => Promise.reject(new SyntaxError('not JSON'))],
    ['the history is lost', () => Promise.resolve([])],
    [
      'all steps have completed',
      () => {
        const event = { type: 'step-complete', timestamp: '', stepIndex: 0, output: null } as const;
        return Promise.resolve(
          ['first', 'second'].map((from, index) => ({ seq: index + 1, event: { ...event, from } })),
        );
      },
    ],
  ])('is the first one if %s', async (_, events: () => Promise<readonly ExecutionEvent[]>) => {
    const workflow = createWorkflow({ id: 'order' })
      .andThen({ id: 'first', execute: () => 1 })
      .andThen({ id: 'second', execute: () => 2 });
    const opened = await openTwoProcesses({ workflow });
    const { here, store } = opened;
    await dieInTurn(opened, 8);
    vi.spyOn(store, 'events').mockImplementation(events);
    vi.spyOn(store, 'find').mockResolvedValueOnce({ ...(await found(opened)), seq: 2 });
    await here.sweep();
    await settled();
    const { quarantinedAt, suspensions } = await found(opened);
    expect(quarantinedAt).not.toBeNull();
    expect(suspensions).toMatchObject([{ stepId: 'first', stepIndex: 0 }]);
  });
});

async function found({ store }: TwoProcesses): Promise<Execution> {
  const row = await store.find('anyone', job.executionId);
  if (row === undefined) throw new TypeError('the execution is gone');
  return row;
}
