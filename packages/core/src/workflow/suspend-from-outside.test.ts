import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { andAll } from './steps/and-all.ts';
import { andSleep } from './steps/and-sleep.ts';
import { andThen } from './steps/and-then.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

describe('an execution that is suspended from outside', () => {
  it('aborts the signal of the running body, stops before the next step, and passes the answer to that step', async () => {
    const gate = new Gate();
    let runs = 0;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({
          id: 'work',
          execute: async (context) => {
            runs += 1;
            await gate.pass(context);
            return 'made';
          },
        })
        .andThen({ id: 'next', execute: ({ data, resumeData }) => ({ data, resumeData }) }),
    );
    const id = await kit.begin();
    const suspending = kit.suspend(id, 'lunch');
    await kit.settle();
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(await kit.row(id)).toMatchObject({ status: 'running' });
    gate.open();
    const suspended = await suspending;
    expect(suspended).toMatchObject({ status: 'suspended', runner: null, request: null });
    expect(suspended.suspensions).toMatchObject([{ kind: 'request', reason: 'lunch', stepId: 'next', stepIndex: 1 }]);
    expect((await kit.history(id)).slice(-2)).toEqual(['workflow-suspended w', 'workflow-result w']);

    await kit.restart();
    const run = await kit.resume(id, { by: 'Ann' });
    expect(run).toMatchObject({ status: 'completed', result: { data: 'made', resumeData: { by: 'Ann' } } });
    expect(runs).toBe(1);
  });

  it('runs a body again that stopped because of its signal', async () => {
    const gate = new Gate();
    const seen: unknown[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', retries: { attempts: 1 } }).andThen({
        id: 'work',
        execute: async (context) => {
          seen.push([context.resumeData, context.retryCount]);
          if (seen.length === 1) await gate.passOrAbort(context);
          return context.resumeData ?? 'made';
        },
      }),
    );
    const id = await kit.begin();
    expect(await kit.suspend(id)).toMatchObject({ suspensions: [{ stepId: 'work', kind: 'request' }] });
    expect(await kit.resume(id)).toMatchObject({ status: 'completed', result: 'made' });
    expect(seen).toEqual([
      [undefined, 0],
      [undefined, 0],
    ]);
    const history = await kit.history(id);
    expect(history.filter((line) => line === 'step-start work')).toHaveLength(1);
    expect(history).not.toContain('step-error work');
  });

  it('continues to sleep, and passes the answer to the next step', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andSleep({ id: 'nap', durationMs: 60_000 })
        .andThen({ id: 'next', execute: ({ resumeData }) => ({ resumeData }) })
        .andThen({ id: 'last', execute: ({ data, resumeData }) => ({ data, resumeData }) }),
    );
    const id = await kit.begin();
    expect(await kit.suspend(id)).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'nap' }] });
    await kit.advance(100_000);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
    expect(await kit.resume(id, 'hello')).toMatchObject({ result: { data: { resumeData: 'hello' } } });
    expect((await kit.waitUntilIdle(id)).result).toEqual({ data: { resumeData: 'hello' } });

    const other = await kit.begin();
    await kit.suspend(other);
    await kit.answer(other, 'early');
    expect(await kit.row(other)).toMatchObject({ status: 'running', runner: null, timers: [{ path: 'nap' }] });
    await kit.restart();
    await kit.advance(60_000);
    expect(await kit.waitUntilIdle(other)).toMatchObject({ result: { data: { resumeData: 'early' } } });
  });

  it('stops between attempts, and continues to retry when it is resumed', async () => {
    let tries = 0;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({
        id: 'work',
        retries: { attempts: 3, delayMs: 1_000 },
        execute: ({ retryCount }) => {
          tries += 1;
          if (tries === 1) throw new TypeError('no');
          return retryCount;
        },
      }),
    );
    const id = await kit.begin();
    await kit.suspend(id);
    await kit.advance(10_000);
    expect(tries).toBe(1);
    expect(await kit.resume(id)).toMatchObject({ status: 'completed', result: 1 });
  });

  it('stops all branches, also when one of them is answered or wakes', async () => {
    const gate = new Gate();
    const calls: string[] = [];
    const blocked = (id: string) =>
      andThen({
        id,
        execute: async (context) => {
          calls.push(id);
          if (calls.length <= 2) await gate.passOrAbort(context);
          return id;
        },
      });
    const ask = andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
    const nap = andSleep({ id: 'nap', durationMs: 1_000 });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [ask, blocked('a'), andAll({ id: 'inner', steps: [blocked('b'), nap] })],
      }),
    );
    const id = await kit.begin('x');
    expect(calls).toEqual(['a', 'b']);
    const { suspensions } = await kit.suspend(id);
    expect(suspensions).toMatchObject([{ stepId: 'ask' }, { stepId: 'a', kind: 'request' }]);
    await kit.advance(2_000);
    await kit.answer(id, 'yes', 'ask');
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'a' }] });
    expect(calls).toEqual(['a', 'b']);
    expect(await kit.resume(id)).toMatchObject({ status: 'completed', result: ['yes', 'a', ['b', 'x']] });
    expect(calls).toEqual(['a', 'b', 'a', 'b']);
  });

  it('stops inside a sub-workflow, which is suspended too, and continues from either', async () => {
    const gate = new Gate();
    let runs = 0;
    const child = createWorkflow({ id: 'child' }).andThen({
      id: 'work',
      execute: async (context) => {
        runs += 1;
        if (runs % 2 === 1) await gate.passOrAbort(context);
        return context.resumeData ?? null;
      },
    });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andWorkflow({ id: 'sub', workflow: child }), child);
    for (const from of ['root', 'child']) {
      const id = await kit.begin();
      const [row] = await kit.children(id);
      await kit.suspend(from === 'root' ? id : (row?.id ?? ''));
      expect(await kit.children(id)).toMatchObject([{ status: 'suspended', suspensions: [{ stepId: 'work' }] }]);
      expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
      await kit.answer(from === 'root' ? (row?.id ?? '') : id, from);
      expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: from });
      expect(await kit.children(id)).toMatchObject([{ status: 'completed', output: from }]);
    }
  });

  it('continues after a rewind to an earlier step, including the parallel step that was stopped', async () => {
    const gate = new Gate();
    const calls: string[] = [];
    const blocked = andThen({
      id: 'blocked',
      execute: async (context) => {
        calls.push('blocked');
        if (calls.length <= 2) await gate.passOrAbort(context);
        return context.resumeData ?? 'blocked';
      },
    });
    const done = andThen({ id: 'done', execute: ({ resumeData }) => [calls.push('done'), resumeData ?? null][1] });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [done, blocked] }));
    const id = await kit.begin();
    await kit.suspend(id);
    expect(await kit.resume(id, 'again', 'done')).toMatchObject({ status: 'completed', result: ['again', 'blocked'] });
    // Both steps run again, in parallel.
    expect(calls.slice(0, 2)).toEqual(['done', 'blocked']);
    expect(calls.slice(2).toSorted()).toEqual(['blocked', 'done']);
  });

  it('accepts an answer that arrives at the same time, and is still suspended', async () => {
    const gate = new Gate();
    const ask = andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
    const slow = andThen({
      id: 'slow',
      execute: async (context) => {
        if (gate.signals.length === 0) await gate.passOrAbort(context);
        return 'slow';
      },
    });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [ask, slow] }));
    const id = await kit.begin();
    await Promise.all([kit.suspend(id), kit.answer(id, 'yes', 'ask')]);
    expect((await kit.row(id)).suspensions).toMatchObject([{ kind: 'request' }]);
    expect(await kit.resume(id)).toMatchObject({ status: 'completed', result: ['yes', 'slow'] });
  });

  it('is cancelled when that is requested as well', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({ id: 'slow', execute: (context) => gate.pass(context) }),
    );
    const id = await kit.begin();
    const suspending = Promise.allSettled([kit.suspend(id), kit.suspend(id, 'again')]);
    await kit.settle();
    expect(await kit.cancel(id)).toMatchObject({ status: 'cancelled' });
    for (const { status } of await suspending) expect(status).toBe('rejected');
  });

  it('is refused for a suspended or ended execution; one that ends first is returned as it is', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({ id: 'work', execute: (context) => gate.pass(context) }),
    );
    const id = await kit.begin();
    const suspending = kit.suspend(id);
    gate.open();
    await expect(suspending).rejects.toMatchObject({
      code: 'EXECUTION_NOT_RUNNING',
      message: expect.stringContaining('completed') as string,
    });
    await expect(kit.suspend(id)).rejects.toMatchObject({ code: 'EXECUTION_NOT_RUNNING' });
    await expect(kit.cancel(id)).rejects.toMatchObject({ code: 'EXECUTION_NOT_RUNNING' });
  });

  it('is suspended by the next process when the one that runs it dies first', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({
        id: 'work',
        execute: async (context) => {
          if (gate.signals.length === 0) await gate.pass(context);
          return 'made';
        },
      }),
    );
    const id = await kit.begin();
    await kit.storage.executions.request('anyone', id, { kind: 'suspend', reason: 'lunch' });
    await kit.settle();
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'lunch', stepId: 'work' },
    });
    expect(await kit.resume(id)).toMatchObject({ status: 'completed', result: 'made' });
  });
});

describe('the answer to a suspension from outside', () => {
  const Discount = Type.Object({ discount: Type.Integer({ maximum: 10 }) });
  const ask = (id: string, resumeSchema?: typeof Discount) =>
    andThen({
      id,
      ...(resumeSchema && { resumeSchema }),
      execute: ({ resumeData, resumedBy, suspend }) =>
        resumeData === undefined ? suspend(id) : { [id]: resumeData, by: resumedBy },
    });

  it.each([
    { branches: [ask('a'), ask('b', Discount)], open: 'b', name: 'reaches one of two branches' },
    { branches: [ask('a'), ask('c')], open: 'c', name: 'reaches the first of two branches without a schema' },
  ])('$name', async ({ branches, open }) => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'first', execute: (context) => gate.pass(context) })
        .andAll({ id: 'all', steps: branches }),
    );
    const id = await kit.begin();
    const suspending = kit.suspend(id);
    await kit.settle();
    gate.open();
    await suspending;
    const waiting = await kit.resume(id, { discount: 1_000 });
    expect(waiting).toMatchObject({ status: 'suspended', suspensions: [{ stepId: open, kind: 'step' }] });
    const { result } = await kit.resume(id, { discount: 5 });
    expect(result).toEqual(expect.arrayContaining([{ a: { discount: 1_000 } }, { [open]: { discount: 5 } }]));
  });

  it('is not given to a step after a sleep whose resumeSchema it does not fit', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andSleep({ id: 'nap', durationMs: 60_000 })
        .andAll({ id: 'all', steps: [ask('b', Discount)] }),
    );
    const id = await kit.begin();
    await kit.suspend(id);
    await kit.answer(id, { discount: 1_000 });
    await kit.advance(60_000);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'b', kind: 'step' }] });
    expect(await kit.resume(id, { discount: 5 })).toMatchObject({ result: [{ b: { discount: 5 } }] });
  });
});
