import { ConfigurationError, InvalidInputError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import type { Step } from '../definition/step.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andAll } from './and-all.ts';
import { andForEach } from './and-for-each.ts';
import { andThen } from './and-then.ts';
import { andTry, type TryFailure } from './and-try.ts';
import { andWorkflow } from './and-workflow.ts';

type AnyData = Step<unknown, unknown>;

/** Steps that note their data when they run. */
function noting(): {
  readonly log: (readonly [id: string, data: unknown])[];
  readonly gives: (id: string, output: unknown) => AnyData;
  readonly fails: (id: string, message?: string) => AnyData;
  readonly asks: (id: string) => AnyData;
} {
  const log: (readonly [string, unknown])[] = [];
  return {
    log,
    gives: (id, output) => andThen({ id, execute: ({ data }) => (log.push([id, data]), output) }),
    fails: (id, message) =>
      andThen({
        id,
        execute: ({ data }) => {
          log.push([id, data]);
          throw message === undefined ? new TypeError('a driver’s text') : new InvalidInputError(message);
        },
      }),
    asks: (id) =>
      andThen({
        id,
        execute: ({ data, resumeData, suspend }) => {
          log.push([id, data]);
          return resumeData ?? suspend('ask');
        },
      }),
  };
}

const failure = (
  data: unknown,
  stepId: string,
  message = `Step "${stepId}" failed`,
  code = 'STEP_FAILED',
): TryFailure<unknown> => ({ data, error: { message, stepId, code } });

describe('andTry', () => {
  it('gives `catch` the data and the error, and its output replaces that of the step', async () => {
    const { fails, gives, log } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: fails('charge', 'the card has expired'),
        catch: gives('invoice', 'sent'),
        finally: gives('tidy', 'not used'),
      }),
    );
    const { executionId, ...run } = await kit.run('order');
    expect(run).toMatchObject({ status: 'completed', result: 'sent' });
    expect(log).toEqual([
      ['charge', 'order'],
      ['invoice', failure('order', 'charge', 'Step "charge" failed: the card has expired', 'INVALID_INPUT')],
      ['tidy', 'order'],
    ]);
    expect(await kit.history(executionId)).toEqual([
      'workflow-start w',
      'step-start safe',
      'step-start charge',
      'step-error charge',
      'step-start invoice',
      'step-complete invoice',
      'step-start tidy',
      'step-complete tidy',
      'step-complete safe',
      'workflow-complete w',
      'workflow-result w',
    ]);
  });

  it('does not run `catch` after a success', async () => {
    const { fails, gives, log } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: gives('charge', 'paid'),
        catch: fails('invoice'),
        finally: gives('tidy', 'not used'),
      }),
    );
    expect(await kit.run('order')).toMatchObject({ status: 'completed', result: 'paid' });
    expect(log.map(([id]) => id)).toEqual(['charge', 'tidy']);
  });

  it.each([
    ['the step, without `catch`', {}, 'charge'],
    ['`catch`', { catch: 'fails' }, 'invoice'],
  ])('runs `finally` and fails with the error of %s', async (_what, handlers: { readonly catch?: string }, failing) => {
    const { fails, gives, log } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: fails('charge'),
        ...(handlers.catch !== undefined && { catch: fails('invoice') }),
        finally: gives('tidy', 'not used'),
      }),
    );
    expect(await kit.run('order')).toMatchObject({ status: 'error', error: { stepId: failing } });
    expect(log.at(-1)).toEqual(['tidy', 'order']);
  });

  it('fails with the error of `finally`', async () => {
    const { fails, gives } = noting();
    const tried = { id: 'safe', step: gives('charge', 'paid'), finally: fails('tidy') };
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andTry(tried));
    expect(await kit.run('order')).toMatchObject({ status: 'error', error: { stepId: 'tidy' } });
  });

  it('catches after the retries of the step, and names the step inside that failed', async () => {
    let calls = 0;
    const flaky = andThen({
      id: 'call',
      retries: { attempts: 2, delayMs: 1_000 },
      execute: () => {
        calls += 1;
        throw new TypeError('down');
      },
    });
    const { asks, gives, log } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: andAll({ id: 'both', steps: [asks('approve'), flaky] }),
        catch: gives('report', 'reported'),
      }),
    );
    const id = await kit.begin('order');
    await kit.advance(1_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'reported' });
    expect(calls).toBe(2);
    expect(log.at(-1)).toEqual(['report', failure('order', 'call')]);
    expect(await kit.row(id)).toMatchObject({ suspensions: [], timers: [] });
  });

  it('catches the failure of a sub-workflow, and of each item of a loop', async () => {
    const { fails } = noting();
    const child = createWorkflow({ id: 'child' }).andAll({ id: 'all', steps: [fails('inner')] });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andForEach({
        id: 'each',
        items: () => [1, 2],
        step: andTry({
          id: 'safe',
          step: andWorkflow({ id: 'sub', workflow: child }),
          catch: andThen({ id: 'note', execute: ({ data }) => data }),
        }),
      }),
    );
    const { executionId, result } = await kit.run();
    const message = (stepId: string): string => `Step "${stepId}" failed: Step "inner" failed`;
    expect(result).toEqual([failure(1, 'sub:0', message('sub:0')), failure(2, 'sub:1', message('sub:1'))]);
    const children = await kit.children(executionId);
    expect(children.map(({ status }) => status)).toEqual(['error', 'error']);
  });

  it('runs only unrecorded steps after the process died in `catch` or `finally`', async () => {
    const gate = new Gate();
    const { fails, log } = noting();
    const slow = (id: string): AnyData =>
      andThen({
        id,
        execute: async (context) => {
          log.push([id, 'begun']);
          if (log.filter(([one]) => one === id).length === 1) await gate.pass(context);
          return id;
        },
      });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'first', execute: ({ data }) => data })
        .andTry({ id: 'safe', step: fails('charge'), catch: slow('invoice'), finally: slow('tidy') }),
    );
    const id = await kit.begin('order');
    await kit.restart();
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'invoice' });
    expect(log.map(([one]) => one)).toEqual(['charge', 'invoice', 'invoice', 'tidy', 'tidy']);
  });

  it('can suspend in `catch`, and a rewind to the step runs both again', async () => {
    const { asks, gives, log } = noting();
    let failures = 1;
    const charge = andThen({
      id: 'charge',
      execute: () => {
        log.push(['charge', failures]);
        failures -= 1;
        if (failures >= 0) throw new TypeError('declined');
        return 'paid';
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andTry({ id: 'safe', step: charge, catch: asks('decide'), finally: gives('tidy', 'x') })
        .andThen({ id: 'last', execute: ({ data, resumeData, suspend }) => resumeData ?? suspend(String(data)) }),
    );
    const { executionId: id } = await kit.run('order');
    expect(await kit.resume(id, 'waive')).toMatchObject({ status: 'suspended', suspension: { reason: 'waive' } });
    expect(await kit.resume(id, undefined, 'charge')).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'paid' },
    });
    expect(log.map(([one]) => one)).toEqual(['charge', 'decide', 'decide', 'tidy', 'charge', 'tidy']);
  });

  it.each(['bail', 'abort', 'cancel'] as const)('runs neither handler after %s', async (end) => {
    const { gives, log } = noting();
    const gate = new Gate();
    const leaves = andThen({
      id: 'work',
      execute: async (context) => {
        if (end === 'bail') context.bail('early');
        if (end === 'abort') context.abort();
        await gate.pass(context);
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: leaves,
        catch: gives('caught', 1),
        finally: gives('tidy', 1),
      }),
    );
    const id = await kit.begin();
    if (end === 'cancel') await kit.cancel(id);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: end === 'bail' ? 'completed' : 'cancelled' });
    expect(log).toEqual([]);
  });

  it('needs `catch` or `finally`', () => {
    const { gives } = noting();
    expect(() => andTry({ id: 'safe', step: gives('a', 1) })).toThrow(
      new ConfigurationError('Step "safe" (andTry) needs `catch` or `finally`'),
    );
    expect(() => createWorkflow({ id: 'w' }).andTry({ id: 'safe', step: gives('a', 1), catch: gives('a', 1) })).toThrow(
      'has two steps with the id "a"',
    );
  });

  it('names the items of a list whose step is tried', async () => {
    const { gives } = noting();
    const step = andForEach({ id: 'lines', items: () => [1], step: gives('line', 1) });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andTry({ id: 'safe', step, finally: gives('tidy', 1) }));
    const { executionId } = await kit.run();
    expect((await kit.journal(executionId)).map(({ path }) => path)).toContain('safe/lines:0/line');
  });
});
