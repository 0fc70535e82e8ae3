import { NotFoundError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import type { Step } from './definition/step.ts';
import { andAll } from './steps/and-all.ts';
import { andDoWhile } from './steps/and-do-while.ts';
import { andForEach } from './steps/and-for-each.ts';
import { andRace } from './steps/and-race.ts';
import { andTap } from './steps/and-tap.ts';
import { andThen } from './steps/and-then.ts';
import { andTry } from './steps/and-try.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

type AnyData = Step<unknown, unknown>;

/** Steps that note their calls. Those that fail stop failing when `repair` is called. */
function noting(): {
  readonly log: string[];
  readonly keys: string[];
  readonly repair: () => void;
  readonly gives: (id: string, output?: unknown) => AnyData;
  readonly breaks: (id: string, output?: unknown) => AnyData;
} {
  const log: string[] = [];
  const keys: string[] = [];
  let isBroken = true;
  const noted = (id: string, give: (context: StepContext<unknown>) => unknown): AnyData =>
    andThen({
      id,
      execute: (context) => {
        log.push(id);
        keys.push(context.idempotencyKey);
        return give(context);
      },
    });
  return {
    log,
    keys,
    repair: () => {
      isBroken = false;
      log.length = 0;
      keys.length = 0;
    },
    gives: (id, output = id) => noted(id, () => output),
    breaks: (id, output = id) =>
      noted(id, ({ setWorkflowState }) => {
        setWorkflowState({ [id]: isBroken });
        if (isBroken) throw new TypeError('down');
        return output;
      }),
  };
}

describe('retrying a failed execution', () => {
  it('runs only the failed step and later ones, with the same idempotency key', async () => {
    const { breaks, gives, keys, log, repair } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll({ id: 'first', steps: [gives('price')] })
        .andAll({ id: 'second', steps: [breaks('charge')] })
        .andAll({ id: 'third', steps: [gives('ship')] }),
    );
    const { executionId, status } = await kit.run();
    expect(status).toBe('error');
    const [key] = keys.slice(-1);
    repair();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed', result: ['ship'], executionId });
    expect(log).toEqual(['charge', 'ship']);
    expect(keys[0]).toBe(key);
    expect(await kit.row(executionId)).toMatchObject({ status: 'completed', workflowState: { charge: false } });
    expect((await kit.row(executionId)).error).toBeUndefined();
  });

  it('can fail again, and be retried again', async () => {
    const { breaks, repair } = noting();
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [breaks('charge')] }));
    const { executionId } = await kit.run();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'error', error: { stepId: 'charge' } });
    repair();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed' });
  });

  it.each<readonly [string, (steps: ReturnType<typeof noting>) => AnyData, readonly string[]]>([
    ['a parallel branch', ({ breaks, gives }) => andAll({ id: 'it', steps: [gives('ok'), breaks('bad')] }), ['bad']],
    [
      'a race, whose first branch then wins',
      ({ breaks }) => andRace({ id: 'it', steps: [breaks('one'), breaks('two')] }),
      ['one'],
    ],
    [
      'items of a loop',
      ({ breaks }) => andForEach({ id: 'it', items: () => [1, 2], step: breaks('item') }),
      ['item', 'item'],
    ],
    [
      'an iteration',
      ({ breaks }) => andDoWhile({ id: 'it', step: breaks('round'), condition: () => false }),
      ['round'],
    ],
    [
      'a `catch`, and then `finally` again',
      ({ breaks, gives }) =>
        andTry({
          id: 'it',
          step: andThen({
            id: 'tried',
            execute: (): never => {
              throw new TypeError('always');
            },
          }),
          catch: breaks('handle'),
          finally: gives('tidy'),
        }),
      ['handle', 'tidy'],
    ],
    [
      'a tried step without `catch`',
      ({ breaks, gives }) => andTry({ id: 'it', step: breaks('tried'), finally: gives('tidy') }),
      ['tried', 'tidy'],
    ],
    [
      'a sub-workflow, from its first step',
      ({ breaks, gives }) =>
        andWorkflow({
          id: 'it',
          workflow: createWorkflow({ id: 'child' })
            .andAll({ id: 'a', steps: [gives('one')] })
            .andAll({ id: 'b', steps: [breaks('two')] }),
        }),
      ['one', 'two'],
    ],
  ])('runs again the failed part of %s', async (_what, make, again) => {
    const steps = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll({ id: 'before', steps: [steps.gives('first')] })
        .andAll({ id: 'around', steps: [make(steps)] }),
    );
    const { executionId, status } = await kit.run();
    expect(status).toBe('error');
    steps.repair();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed' });
    expect(steps.log).toEqual(again);
    const paths = (await kit.journal(executionId)).map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('keeps failures that the workflow handled', async () => {
    const { breaks, gives, log, repair } = noting();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andTry({ id: 'safe', step: breaks('optional'), catch: gives('instead') })
        .andAll({
          id: 'all',
          steps: [
            andTap({
              id: 'count',
              execute: () => {
                log.push('count');
                throw new TypeError('not counted');
              },
            }),
            breaks('charge'),
          ],
        }),
    );
    const { executionId } = await kit.run();
    repair();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed' });
    expect(log).toEqual(['charge']);
  });

  it('runs the last step again when its output did not fit the result', async () => {
    let output: unknown = 'text';
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', result: Type.Number() })
        .andThen({ id: 'first', execute: () => null })
        .andThen({ id: 'last', execute: () => output as number }),
    );
    const { executionId } = await kit.run();
    output = 5;
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed', result: 5 });
  });

  it('continues after a restart, and delivers all events to who follows from the beginning', async () => {
    const { breaks, repair } = noting();
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll({ id: 'all', steps: [breaks('charge')] })
        .andThen({ id: 'slow', execute: (context) => gate.pass(context).then(() => 'done') }),
    );
    const { executionId: id } = await kit.run();
    repair();
    await kit.runtime.retry(await kit.key(id));
    await kit.settle();
    const followed: string[] = [];
    const following = (async () => {
      for await (const { event } of await kit.runtime.follow(await kit.key(id), 0)) followed.push(event.type);
    })();
    await kit.settle();
    gate.open();
    await following;
    expect(followed.filter((type) => type === 'workflow-result')).toHaveLength(2);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'done' });
  });

  it('refuses an execution that has not failed, and one that does not exist', async () => {
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 1 }));
    const { executionId } = await kit.run();
    await expect(kit.retry(executionId)).rejects.toMatchObject({
      code: 'EXECUTION_NOT_FAILED',
      message: `Execution is completed, and only a failed one can be retried: ${executionId}`,
    });
    await expect(kit.runtime.retry({ owner: { user: 'eve' }, workflowId: 'w', executionId })).rejects.toThrow(
      NotFoundError,
    );
  });

  it('lets only one of two parallel requests retry', async () => {
    const { breaks } = noting();
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [breaks('charge')] }));
    const { executionId } = await kit.run();
    const outcomes = await Promise.allSettled([kit.retry(executionId), kit.retry(executionId)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});
