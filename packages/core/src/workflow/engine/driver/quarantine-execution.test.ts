import type { Execution, ExecutionEvent, ExecutionStore, ExhaustedExecution, NextExecutions } from '@halyard/contracts';
import { describe, expect, it, vi } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import { outsidePath } from '../../interpreter/waits/waits.ts';
import { Gate } from '../../testing/gate.ts';
import { job, leaseMs, openTwoProcesses, settled, type TwoProcesses } from '../../testing/two-processes.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';

const exhausted = (fields: Partial<ExhaustedExecution> = {}): NextExecutions => ({
  claimed: [],
  exhausted: [{ ...job, claimsWithoutCommit: 8, ...fields }],
  nextDueInMs: undefined,
  hasLeftOut: false,
});

/** Processes that claim the execution and die before they commit anything. */
async function dieInTurn({ clock, store }: TwoProcesses, processes: number): Promise<void> {
  for (let number = 1; number <= processes; number += 1) {
    await store.claim(job.executionId, { runner: `dead-${number}`, leaseMs });
    clock.advance(leaseMs);
  }
}

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
      {
        id: expect.stringMatching(/^9\.1-/),
        path: outsidePath(''),
        executionId: 'run',
        stepId: 'pay',
        stepIndex: 0,
        suspendedAt: clock.now(),
      },
    ]);
    expect(lines).toEqual([{ level: 'error', message: 'an execution was quarantined: no process can run it' }]);
  });

  it('does not happen one claim earlier', async () => {
    const opened = await openTwoProcesses();
    const { body, here, store } = opened;
    await dieInTurn(opened, 7);
    body.open();
    await here.sweep();
    // It is left alone at first.
    opened.clock.advance(1.5 * 2 ** 6 * leaseMs);
    await here.sweep();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 8 });
  });

  it('does not happen to an execution that another process has continued in the meantime', async () => {
    const { here, lines, store } = await openTwoProcesses();
    vi.spyOn(store, 'claimNext').mockResolvedValue(exhausted());
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
      vi.spyOn(store, 'claimNext').mockResolvedValue(exhausted(fields));
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
    opened.clock.advance(leaseMs);
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
    for (let restarts = 0; restarts < 300 && (await kit.row(id)).quarantinedAt === null; restarts += 1)
      await kit.restart();
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
    for (let restarts = 0; restarts < 20; restarts += 1) await kit.restart();
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
