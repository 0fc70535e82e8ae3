import { InvalidInputError, type Logger, silentLogger } from '@halyard/contracts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { providerError } from '../model/testing/provider-error.ts';
import { createWorkflow } from './create-workflow.ts';
import type { CompensationContext } from './definition/step-context.ts';
import type { Step } from './definition/step.ts';
import { andAll } from './steps/and-all.ts';
import { andForEach } from './steps/and-for-each.ts';
import { andThen } from './steps/and-then.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

type AnyData = Step<unknown, unknown>;
type Undo = (context: CompensationContext<unknown>) => unknown;

/** Steps that note their calls and compensations. */
function noting(): {
  readonly log: string[];
  readonly does: (id: string, undo?: Undo, options?: object) => AnyData;
  readonly fails: (id?: string) => AnyData;
} {
  const log: string[] = [];
  return {
    log,
    does: (id, undo = () => null, options = {}) =>
      andThen({
        id,
        ...options,
        execute: ({ data }) => (log.push(`do ${id}`), `${id} of ${String(data)}`),
        compensate: async (context) => {
          log.push(`undo ${id}`);
          await undo(context);
        },
      }),
    fails: (id = 'fail') =>
      andThen({
        id,
        execute: () => {
          throw new InvalidInputError('no room');
        },
      }),
  };
}

const one = (id: string, step: AnyData) => ({ id, steps: [step] as const });
const failed = { status: 'error', error: { message: 'Step "fail" failed: no room', stepId: 'fail' } };

describe('compensation', () => {
  it('undoes finished steps in reverse order when the workflow fails, and then ends it with its error', async () => {
    const { does, fails, log } = noting();
    const seen: unknown[] = [];
    const undo: Undo = ({ data, idempotencyKey, input, retryCount }) => {
      seen.push({ data, idempotencyKey, input, retryCount });
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight', undo)))
        .andAll(one('b', does('hotel')))
        .andThen({ id: 'plain', execute: ({ data }) => data })
        .andAll(one('c', fails())),
    );
    const { executionId: id, ...run } = await kit.run('trip');
    expect(run).toMatchObject(failed);
    expect(log).toEqual(['do flight', 'do hotel', 'undo hotel', 'undo flight']);
    expect(seen).toEqual([
      { data: 'flight of trip', idempotencyKey: `${id}/a/flight#compensate`, input: 'trip', retryCount: 0 },
    ]);
    const history = await kit.history(id);
    expect(history.slice(history.indexOf('step-error fail'))).toEqual([
      'step-error fail',
      'step-error c',
      'step-compensated hotel',
      'step-compensated flight',
      'workflow-error w',
      'workflow-result w',
    ]);
    const row = await kit.row(id);
    expect(row).toMatchObject({ status: 'error', suspensions: [], timers: [], runner: null });
  });

  it('does nothing when the workflow completes', async () => {
    const { does, log } = noting();
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll(one('a', does('flight'))));
    expect(await kit.run()).toMatchObject({ status: 'completed' });
    expect(log).toEqual(['do flight']);
  });

  it('undoes when the execution is cancelled: running, suspended, sleeping, or by abort', async () => {
    for (const waits of ['runs', 'suspends', 'sleeps', 'aborts'] as const) {
      const { does, log } = noting();
      const gate = new Gate();
      const before = createWorkflow({ id: 'w' }).andAll(one('a', does('flight')));
      const workflow = {
        runs: before.andThen({ id: 'wait', execute: (context) => gate.pass(context) }),
        suspends: before.andThen({ id: 'wait', execute: ({ suspend }) => suspend('ask') }),
        sleeps: before.andSleep({ id: 'wait', durationMs: 60_000 }),
        aborts: before.andThen({ id: 'wait', execute: ({ abort }) => abort('no use') }),
      }[waits];
      const kit = new WorkflowKit(workflow);
      const id = await kit.begin();
      if (waits !== 'aborts') await kit.cancel(id, 'no use');
      expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'cancelled' });
      expect(log).toEqual(['do flight', 'undo flight']);
      expect((await kit.history(id)).slice(-3)).toEqual([
        'step-compensated flight',
        'workflow-cancelled w',
        'workflow-result w',
      ]);
      expect(await kit.row(id)).toMatchObject({ suspensions: [], timers: [], request: null });
    }
  });

  it('undoes after the time limit of the workflow', async () => {
    const { does, log } = noting();
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', timeoutMs: 20 })
        .andAll(one('a', does('flight')))
        .andThen({ id: 'slow', execute: (context) => gate.pass(context) }),
    );
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const id = await kit.begin();
    await gate.entered;
    vi.advanceTimersByTime(20);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'error', error: { code: 'TIME_LIMIT_EXCEEDED' } });
    expect(log).toEqual(['do flight', 'undo flight']);
  });

  it('continues in another process when its process dies', async () => {
    const { does, fails, log } = noting();
    const gate = new Gate();
    let calls = 0;
    const slow: Undo = async (context) => {
      calls += 1;
      if (calls === 1) await gate.pass(context);
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight', slow)))
        .andAll(one('b', does('hotel')))
        .andAll(one('c', fails())),
    );
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'running' });
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject(failed);
    expect(log).toEqual(['do flight', 'do hotel', 'undo hotel', 'undo flight', 'undo flight']);
    gate.open();
    await kit.settle();
    expect((await kit.history(id)).filter((line) => line.startsWith('step-compensated'))).toHaveLength(2);
  });

  it('does not wait for a body that ignores its signal, and discards its result', async () => {
    const { does, log } = noting();
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight')))
        .andThen({ id: 'work', execute: (context) => gate.pass(context) }),
    );
    const id = await kit.begin();
    await gate.entered;
    await kit.runtime.cancel(await kit.key(id));
    expect(log).toEqual(['do flight', 'undo flight']);
    expect(String(gate.signals[0]?.reason)).toContain('The result of the step is no longer needed');
    const history = await kit.history(id);
    gate.open();
    await kit.settle();
    expect(await kit.history(id)).toEqual(history);
    expect(await kit.row(id)).toMatchObject({ status: 'cancelled' });
  });

  it('continues a cancellation in another process, and ignores a second one', async () => {
    const { does, log } = noting();
    const gate = new Gate();
    let calls = 0;
    const slow: Undo = async (context) => {
      calls += 1;
      if (calls === 1) await gate.pass(context);
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight', slow)))
        .andThen({ id: 'ask', execute: ({ suspend }) => suspend('ask') }),
    );
    const id = await kit.begin();
    const cancelled = kit.runtime.cancel(await kit.key(id), 'first', { timeoutMs: 1 });
    await expect(cancelled).rejects.toMatchObject({ code: 'STILL_RUNNING' });
    await kit.storage.executions.request('anyone', id, { kind: 'cancel', reason: 'second' });
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'cancelled' });
    expect(log).toEqual(['do flight', 'undo flight', 'undo flight']);
    expect((await kit.events(id)).find(({ type }) => type === 'workflow-cancelled')).toMatchObject({ reason: 'first' });
  });

  it('retries with the retries of the step, holding nothing in between', async () => {
    const { does, fails, log } = noting();
    const counts: number[] = [];
    const flaky: Undo = ({ retryCount }) => {
      counts.push(retryCount);
      if (retryCount === 0) throw new TypeError('down');
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight', flaky, { retries: { attempts: 2, delayMs: 1_000 } })))
        .andAll(one('b', does('hotel')))
        .andAll(one('c', fails())),
    );
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null });
    await kit.advance(1_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject(failed);
    expect(counts).toEqual([0, 1]);
    expect(log.filter((line) => line.startsWith('undo'))).toEqual(['undo hotel', 'undo flight', 'undo flight']);
  });

  it('records and logs a compensation that fails for good, and undoes the others', async () => {
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (fields, message) => errors.push([message, fields]) };
    const { does, fails, log } = noting();
    const broken: Undo = () => {
      throw providerError('a driver’s text', 400, { input: 'a secret' });
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight')))
        .andAll(one('b', does('hotel', broken)))
        .andAll(one('c', fails())),
    ).use({ logger });
    const { executionId: id, ...run } = await kit.run();
    expect(run).toMatchObject(failed);
    expect(log.slice(2)).toEqual(['undo hotel', 'undo flight']);
    // Not the error: those of model providers contain the request.
    expect(errors).toContainEqual([
      'the compensation of a step failed',
      expect.not.objectContaining({ err: expect.anything() }),
    ]);
    expect(await kit.events(id)).toContainEqual(
      expect.objectContaining({ type: 'step-compensation-error', from: 'hotel', error: 'Step "hotel" failed' }),
    );
    expect(JSON.stringify(await kit.journal(id))).not.toContain('driver');
  });

  it('undoes items of loops, parallel branches, and the steps of sub-workflows in their own state', async () => {
    const { does, fails, log } = noting();
    const states: unknown[] = [];
    const child = createWorkflow({ id: 'child' })
      .andThen({ id: 'note', execute: ({ data, setWorkflowState }) => (setWorkflowState({ of: data }), data) })
      .andAll(
        one(
          'inner',
          does('seat', ({ input, state, workflowState }) => states.push([input, state.workflowId, workflowState])),
        ),
      );
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andForEach({ id: 'lines', items: () => [1, 2], step: does('line') })
        .andAll({ id: 'both', steps: [does('left'), andWorkflow({ id: 'sub', workflow: child, input: () => 'x' })] })
        .andAll(one('c', fails())),
    );
    const { executionId } = await kit.run();
    expect(log.filter((line) => line.startsWith('undo')).toSorted()).toEqual([
      'undo left',
      'undo line',
      'undo line',
      'undo seat',
    ]);
    expect(states).toEqual([['x', 'child', { of: 'x' }]]);
    expect((await kit.history(executionId)).filter((line) => line.startsWith('step-compensated line'))).toEqual([
      'step-compensated line:1',
      'step-compensated line:0',
    ]);
  });

  it('undoes a sub-workflow that fails, also when its failure is caught, and only once', async () => {
    const { does, fails, log } = noting();
    const child = createWorkflow({ id: 'child' })
      .andAll(one('inner', does('seat')))
      .andAll(one('x', fails('full')));
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andTry({
          id: 'safe',
          step: andAll({ id: 'both', steps: [does('flight'), andWorkflow({ id: 'sub', workflow: child })] }),
          catch: andThen({ id: 'caught', execute: () => 'by train' }),
        })
        .andThen({ id: 'end', execute: ({ data }) => data }),
    );
    const { executionId, ...run } = await kit.run();
    expect(run).toMatchObject({ status: 'completed', result: 'by train' });
    expect(log).toEqual(['do flight', 'do seat', 'undo seat']);
    const [row] = await kit.children(executionId);
    expect(await kit.history(row?.id ?? '')).toContain('step-compensated seat');
  });

  it('undoes nothing when a failure is caught in the same workflow', async () => {
    const { does, fails, log } = noting();
    const step = andForEach({ id: 'each', items: () => [1], step: does('line') });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: andAll({ id: 'both', steps: [step, fails()] }),
        catch: andThen({ id: 'caught', execute: () => 'fine' }),
      }),
    );
    expect(await kit.run()).toMatchObject({ status: 'completed' });
    expect(log).not.toContain('undo line');
  });

  it('cannot bail or abort', async () => {
    const { does, fails } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(
          one(
            'a',
            does('flight', (context) => (context as unknown as { bail: () => never }).bail()),
          ),
        )
        .andAll(one('c', fails())),
    );
    const { executionId, status } = await kit.run();
    expect(status).toBe('error');
    expect(await kit.events(executionId)).toContainEqual(
      expect.objectContaining({ error: 'Step "flight" failed: a compensation cannot bail or abort' }),
    );
  });

  it('runs undone steps again when the execution is retried', async () => {
    const { does, log } = noting();
    let isFull = true;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'first', execute: ({ data }) => (log.push('do first'), data) })
        .andAll(one('a', does('flight')))
        .andAll(one('b', does('hotel')))
        .andThen({
          id: 'last',
          execute: () => {
            if (isFull) throw new TypeError('full');
            return 'booked';
          },
        }),
    );
    const { executionId } = await kit.run();
    isFull = false;
    log.length = 0;
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed', result: 'booked' });
    expect(log).toEqual(['do flight', 'do hotel']);
    const journal = await kit.journal(executionId);
    expect(journal.filter(({ type }) => type === 'compensate' || type === 'ending')).toEqual([]);
  });

  it('undoes the steps of a replay in the replay', async () => {
    const { does, fails, log } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight')))
        .andAll(one('c', fails())),
    );
    const { executionId } = await kit.run();
    log.length = 0;
    expect(await kit.replay(executionId, { stepId: 'fail' })).toMatchObject(failed);
    expect(log).toEqual(['undo flight']);
  });

  it('waits for a process that is shutting down to hand it over', async () => {
    const { does, fails, log } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll(one('a', does('flight')))
        .andAll(
          one(
            'b',
            does('hotel', ({ signal }) => {
              if (!signal.aborted) void kit.runtime.stop(1_000);
            }),
          ),
        )
        .andAll(one('c', fails())),
    );
    const id = await kit.begin();
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null });
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject(failed);
    expect(log).toEqual(['do flight', 'do hotel', 'undo hotel', 'undo flight']);
  });
});
