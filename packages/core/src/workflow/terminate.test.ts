import { type Execution, silentLogger, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fixedClock } from '../testing/fixed-clock.ts';
import { createWorkflow } from './create-workflow.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import { Gate } from './testing/gate.ts';
import type { AnyWorkflow } from './workflow.ts';

const asks = createWorkflow({ id: 'order' }).andThen({ id: 'ask', execute: ({ suspend }) => suspend('how many?') });
const inner = createWorkflow({ id: 'inner' }).andThen({ id: 'ask', execute: ({ suspend }) => suspend('how many?') });
const other = createWorkflow({ id: 'other' }).andThen({ id: 'go', execute: () => 'gone' });
const key = { owner: 'anyone', workflowId: 'order', executionId: 'run' } as const;

/** A process that starts nothing by itself. */
function open(storage: Storage, ...workflows: AnyWorkflow[]): WorkflowRuntime {
  const runtime = new WorkflowRuntime({ workflows, storage, services: { logger: silentLogger } });
  runtime.startByHand();
  onTestFinished(() => runtime.stop(0));
  return runtime;
}

/** An execution of steps that only a stopped process had. */
async function abandoned(workflow: AnyWorkflow = asks): Promise<Storage> {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const gone = open(storage, workflow);
  await gone.execute('order', null, { executionId: 'run' });
  await gone.stop(0);
  // Its lease ends.
  clock.advance(60_000);
  return storage;
}

async function lastEvents({ executions }: Storage, id = 'run'): Promise<readonly unknown[]> {
  const events = await executions.events('anyone', id, { after: 0, limit: 99 });
  return events.slice(-2).map(({ event: { reason, status, type } }) => ({ type, status, reason }));
}

describe('terminate', () => {
  it('ends an execution that no process can run, with the events of a cancellation', async () => {
    const storage = await abandoned();
    const ended = await open(storage, other).terminate(key, 'gone for good');
    expect(ended).toMatchObject({ status: 'cancelled', suspensions: [], endedAt: expect.any(Number) });
    expect(await lastEvents(storage)).toEqual([
      { type: 'workflow-cancelled', reason: 'gone for good' },
      { type: 'workflow-result', status: 'cancelled' },
    ]);
    expect(await storage.executions.purge(0, 9)).toBe(1);
  });

  it('fences the process that runs it, ends its step, and undoes nothing', async () => {
    const [storage, gate] = [createInMemoryStorage(), new Gate()];
    let undone = 0;
    const workflow = createWorkflow({ id: 'order' })
      .andThen({ id: 'pay', execute: () => 'paid', compensate: () => void (undone += 1) })
      .andThen({ id: 'ship', execute: (context) => gate.passOrAbort(context) });
    const here = open(storage, workflow);
    const result = here.execute('order', null, { executionId: 'run' });
    await gate.entered;
    await open(storage, other).terminate(key);
    expect(await result).toMatchObject({ status: 'cancelled', result: null });
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(undone).toBe(0);
    expect(await lastEvents(storage)).toEqual([
      { type: 'workflow-cancelled', reason: 'Terminated on request' },
      { type: 'workflow-result', status: 'cancelled' },
    ]);
  });

  it('ends the sub-workflows too, and of a sub-workflow the execution that started it', async () => {
    const storage = await abandoned(createWorkflow({ id: 'order' }).andWorkflow({ id: 'sub', workflow: inner }));
    const children = async (): Promise<readonly Execution[]> =>
      (await storage.executions.list('anyone', { parentExecutionId: 'run', limit: 9, offset: 0 })).executions;
    const [child] = await children();
    const childKey = { owner: 'anyone', workflowId: 'inner', executionId: child?.id ?? '' } as const;
    expect(await open(storage, other).terminate(childKey)).toMatchObject({ status: 'cancelled' });
    expect(await storage.executions.find('anyone', 'run')).toMatchObject({ status: 'cancelled' });
    expect(await lastEvents(storage, childKey.executionId)).toMatchObject([
      { type: 'workflow-cancelled' },
      { type: 'workflow-result' },
    ]);
  });

  it('refuses executions that have ended, are unknown or belong to somebody else', async () => {
    const storage = await abandoned();
    const runtime = open(storage, other);
    const missing = { code: 'EXECUTION_NOT_FOUND' };
    await expect(runtime.terminate({ ...key, executionId: 'x' })).rejects.toMatchObject(missing);
    await expect(runtime.terminate({ ...key, workflowId: 'other' })).rejects.toMatchObject(missing);
    await expect(runtime.terminate({ ...key, owner: { user: 'eve' } })).rejects.toMatchObject(missing);
    await runtime.terminate(key);
    await expect(runtime.terminate(key)).rejects.toMatchObject({ code: 'EXECUTION_NOT_RUNNING' });
  });
});

describe('cancel', () => {
  it('ends an execution that no process can run when the wait is over', async () => {
    const storage = await abandoned();
    expect(await open(storage, other).cancel(key, 'no use', { timeoutMs: 0 })).toMatchObject({ status: 'cancelled' });
    expect(await lastEvents(storage)).toEqual([
      { type: 'workflow-cancelled', reason: 'no use' },
      { type: 'workflow-result', status: 'cancelled' },
    ]);
  });

  it.each([
    ['has its steps', (definition: string) => [definition]],
    ['has not said which steps it has', () => undefined],
  ])('leaves it to another process that %s', async (_, definitionsOf) => {
    const storage = await abandoned();
    const { definition } = (await storage.executions.find('anyone', 'run')) ?? { definition: '' };
    await storage.executions.renew([], { runner: 'there', leaseMs: 60_000 });
    const definitions = definitionsOf(definition);
    if (definitions !== undefined) await ask(storage, definitions);
    const cancelling = open(storage, other).cancel(key, 'no use', { timeoutMs: 0 });
    await expect(cancelling).rejects.toMatchObject({ code: 'STILL_RUNNING' });
    expect(await storage.executions.find('anyone', 'run')).toMatchObject({ status: 'suspended' });
  });

  it('undoes the steps when a process that has them starts during the wait', async () => {
    let undone = 0;
    const paid = createWorkflow({ id: 'order' })
      .andThen({ id: 'pay', execute: () => 'paid', compensate: () => void (undone += 1) })
      .andThen({ id: 'ask', execute: ({ suspend }) => suspend('how many?') });
    const storage = await abandoned(paid);
    const requested = vi.spyOn(storage.executions, 'request');
    const cancelling = open(storage, other).cancel(key, 'no use');
    await vi.waitFor(() => expect(requested).toHaveReturned());
    await requested.mock.results[0]?.value;
    await open(storage, paid).sweep();
    expect(await cancelling).toMatchObject({ status: 'cancelled' });
    expect(undone).toBe(1);
  });

  it('ends it although another process has other steps', async () => {
    const storage = await abandoned();
    await storage.executions.renew([], { runner: 'there', leaseMs: 60_000 });
    await ask(storage, ['order@other-steps']);
    expect(await open(storage, other).cancel(key, 'no use', { timeoutMs: 0 })).toMatchObject({ status: 'cancelled' });
  });
});

/** Another process asks for its executions, and claims no suspended one. */
async function ask({ executions }: Storage, names: readonly string[]): Promise<void> {
  const definitions = Object.fromEntries(names.map((name) => [name, name]));
  await executions.claimNext({ runner: 'there', leaseMs: 60_000 }, { definitions, limit: 9 });
}
