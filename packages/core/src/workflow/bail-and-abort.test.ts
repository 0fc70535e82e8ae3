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
import { andWhen } from './steps/and-when.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const stops = (execute: (context: StepContext<unknown>) => never): Step<unknown, unknown> =>
  andThen({ id: 'stop', execute });

const nestings: readonly (readonly [string, (step: Step<unknown, unknown>) => Step<unknown, unknown>])[] = [
  ['at the top', (step) => step],
  ['in a condition', (step) => andWhen({ id: 'when', condition: () => true, step })],
  ['in a race', (step) => andRace({ id: 'race', steps: [step] })],
  ['in a list', (step) => andForEach({ id: 'each', items: () => [1], step })],
  ['in a loop', (step) => andDoWhile({ id: 'loop', condition: () => true, step })],
  [
    'deep inside',
    (step) =>
      andAll({
        id: 'deep',
        steps: [andRace({ id: 'race', steps: [andForEach({ id: 'each', items: () => [1], step })] })],
      }),
  ],
];

function around(step: Step<unknown, unknown>): { kit: WorkflowKit; gate: Gate; after: unknown[] } {
  const gate = new Gate();
  const after: unknown[] = [];
  const workflow = createWorkflow({ id: 'w' })
    .andAll({
      id: 'all',
      steps: [
        andThen({ id: 'slow', execute: (context) => gate.pass(context) }),
        andThen({ id: 'ask', execute: ({ suspend }) => suspend('ask') }),
        step,
      ],
    })
    .andThen({ id: 'after', execute: ({ data }) => after.push(data) });
  return { kit: new WorkflowKit(workflow), gate, after };
}

describe.each(nestings)('%s', (_, nest) => {
  it('a bail completes the workflow with its result and stops parallel steps', async () => {
    const { after, gate, kit } = around(nest(stops(({ bail }) => bail({ early: true }))));
    const { executionId: id, ...run } = await kit.run();
    expect(run).toMatchObject({ status: 'completed', result: { early: true } });
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(after).toEqual([]);
    expect((await kit.history(id)).slice(-2)).toEqual(['workflow-complete w', 'workflow-result w']);
    expect(await kit.row(id)).toMatchObject({ suspensions: [] });
  });

  it('an abort cancels the execution and stops parallel steps', async () => {
    const { after, gate, kit } = around(nest(stops(({ abort }) => abort('enough'))));
    const { executionId: id, ...run } = await kit.run();
    expect(run).toMatchObject({ status: 'cancelled', result: null });
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(after).toEqual([]);
    expect((await kit.events(id)).at(-2)).toMatchObject({ type: 'workflow-cancelled', reason: 'enough' });
  });
});

describe('bail', () => {
  it('works in a tap, and when the body catches the thrown signal', async () => {
    const tap = andTap({
      id: 'tap',
      execute: ({ bail, suspend }) => {
        try {
          return bail('first');
        } catch {
          return suspend('second');
        }
      },
    });
    expect(await new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [tap] })).run()).toMatchObject({
      status: 'completed',
      result: 'first',
    });
  });

  it('returns a result that must fit the result schema', async () => {
    const typed = createWorkflow({ id: 'w', result: Type.Object({ n: Type.Number() }) });
    const kit = (result: unknown): WorkflowKit =>
      new WorkflowKit(typed.andThen({ id: 'stop', execute: ({ bail }) => bail(result as { n: number }) }));
    expect(await kit({ n: 1 }).run()).toMatchObject({ status: 'completed', result: { n: 1 } });
    const { error } = await kit({ n: 'x' }).run();
    expect(error?.message).toContain('result/n must be number');
    expect(await kit(new Map()).run()).toMatchObject({ status: 'error', error: { stepId: 'stop' } });
  });

  it('is not lost when the process dies right after it', async () => {
    const hook = new Gate();
    let bails = 0;
    const kit = new WorkflowKit(
      createWorkflow({
        id: 'w',
        hooks: { onStepEnd: () => (bails === 1 ? hook.pass({ signal: new AbortController().signal }) : undefined) },
      })
        .andAll({
          id: 'all',
          steps: [
            andThen({ id: 'ask', execute: ({ suspend }) => suspend('ask') }),
            andThen({
              id: 'stop',
              execute: ({ bail }) => {
                bails += 1;
                return bail('early');
              },
            }),
          ],
        })
        .andThen({ id: 'after', execute: () => 'late' }),
    );
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'running' });
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'early' });
    expect(bails).toBe(1);
  });
});

describe('andTap', () => {
  const fails = (): never => {
    throw new TypeError('no');
  };

  it('passes its input on whether it succeeds or fails, and records the failure', async () => {
    let tries = 0;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andTap({ id: 'fine', execute: () => 'dropped' })
        .andTap({ id: 'broken', retries: { attempts: 2, delayMs: 0 }, execute: () => (tries++, fails()) })
        .andThen({ id: 'after', execute: ({ data, getStepData }) => ({ data, broken: getStepData('broken') }) }),
    );
    const { executionId: id, result, status } = await kit.run('x');
    expect({ result, status, tries }).toEqual({
      status: 'completed',
      tries: 2,
      result: { data: 'x', broken: { status: 'error', output: null, error: { message: 'Step "broken" failed' } } },
    });
    expect(await kit.history(id)).toContain('step-error broken');
    expect(await kit.journal(id)).toMatchObject([{ status: 'success' }, { status: 'error', attempts: 2 }, {}]);
  });
});
