import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import { andDoWhile } from './steps/and-do-while.ts';
import { andForEach } from './steps/and-for-each.ts';
import { andThen } from './steps/and-then.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const counting = createWorkflow({ id: 'w', input: Type.Number() });
const add = andThen({ id: 'add', execute: ({ data }: { readonly data: number }) => data + 1 });

describe('a loop on its own output', () => {
  it('runs at least once, while its condition is true or until it is', async () => {
    const asWhile = new WorkflowKit(counting.andDoWhile({ id: 'loop', step: add, condition: ({ data }) => data < 3 }));
    const asUntil = new WorkflowKit(counting.andDoUntil({ id: 'loop', step: add, condition: ({ data }) => data >= 3 }));
    for (const kit of [asWhile, asUntil]) {
      expect(await kit.run(0)).toMatchObject({ status: 'completed', result: 3 });
      expect(await kit.run(7)).toMatchObject({ status: 'completed', result: 8 });
    }
  });

  it('fails after maxIterations iterations', async () => {
    const kit = new WorkflowKit(
      counting.andDoWhile({ id: 'loop', step: add, condition: () => true, maxIterations: 5 }),
    );
    const { error, executionId: id } = await kit.run(0);
    expect(error).toMatchObject({
      stepId: 'loop',
      message: 'Step "loop" failed: the loop has not ended after 5 iterations',
    });
    expect((await kit.journal(id)).filter(({ type }) => type === 'andThen')).toHaveLength(5);
    const enough = counting.andDoUntil({
      id: 'loop',
      step: add,
      condition: ({ data }) => data === 5,
      maxIterations: 5,
    });
    expect(await new WorkflowKit(enough).run(0)).toMatchObject({ status: 'completed', result: 5 });
    const endless = new WorkflowKit(counting.andDoUntil({ id: 'loop', step: add, condition: () => false }));
    expect((await endless.run(0)).error?.message).toContain('1000 iterations');
    for (const maxIterations of [0, -1, 1.5, Number.NaN])
      expect(() => andDoWhile({ id: 'loop', step: add, condition: () => true, maxIterations })).toThrow(
        'maxIterations',
      );
  });

  it('calls its condition once per iteration, even after restarts', async () => {
    const asked: unknown[] = [];
    const gate = new Gate();
    const kit = new WorkflowKit(
      counting.andDoWhile({
        id: 'loop',
        condition: ({ data }) => asked.push(data) < 3,
        step: andThen({
          id: 'add',
          execute: async (context: StepContext<number>) => {
            if (context.data === 2 && gate.signals.length === 0) await gate.pass(context);
            return context.data + 1;
          },
        }),
      }),
    );
    const id = await kit.begin(0);
    expect(asked).toEqual([1, 2]);
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ result: 3 });
    expect(asked).toEqual([1, 2, 3]);
  });
});

describe('andForEach', () => {
  it('runs items one by one, or as many at a time as configured, and keeps their order', async () => {
    for (const [concurrency, most] of [
      [undefined, 1],
      [2, 2],
      [10, 4],
    ] as const) {
      let [running, seen] = [0, 0];
      const gates = [new Gate(), new Gate(), new Gate(), new Gate()];
      const kit = new WorkflowKit(
        createWorkflow({ id: 'w', input: Type.Array(Type.Number()) }).andForEach({
          id: 'each',
          ...(concurrency !== undefined && { concurrency }),
          step: andThen({
            id: 'item',
            execute: async (context: StepContext<number>) => {
              running += 1;
              seen = Math.max(seen, running);
              await gates[context.data]?.pass(context);
              running -= 1;
              return context.data * 10;
            },
          }),
        }),
      );
      const id = await kit.begin([0, 1, 2, 3]);
      for (const gate of gates.toReversed()) {
        gate.open();
        await kit.settle();
      }
      expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: [0, 10, 20, 30] });
      expect(seen).toBe(most);
    }
  });

  it('continues with the unfinished items after a restart', async () => {
    const gate = new Gate();
    const log: number[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Array(Type.Number()) }).andForEach({
        id: 'each',
        concurrency: 2,
        step: andThen({
          id: 'item',
          execute: async (context: StepContext<number>) => {
            log.push(context.data);
            if (context.data === 1 && gate.signals.length === 0) await gate.pass(context);
            return context.data;
          },
        }),
      }),
    );
    const id = await kit.begin([0, 1, 2, 3]);
    expect(log).toEqual([0, 1, 2, 3]);
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ result: [0, 1, 2, 3] });
    expect(log).toEqual([0, 1, 2, 3, 1]);
  });

  it('counts a waiting item towards its concurrency', async () => {
    const log: number[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Array(Type.Number()) }).andForEach({
        id: 'each',
        step: andThen({
          id: 'item',
          execute: ({ data, resumeData, suspend }: StepContext<number>) => {
            log.push(data);
            return data === 1 ? (resumeData ?? suspend('ask')) : data;
          },
        }),
      }),
    );
    const { executionId: id } = await kit.run([0, 1, 2]);
    expect(log).toEqual([0, 1]);
    expect(await kit.resume(id, 'one', 'item:1')).toMatchObject({ result: [0, 'one', 2] });
    expect(log).toEqual([0, 1, 1, 2]);
  });

  it('accepts an empty list, and fails with the name of the step when the data is not a list', async () => {
    const each = createWorkflow({ id: 'w' }).andForEach({
      id: 'each',
      step: andThen({ id: 'item', execute: () => 1 }),
    });
    expect(await new WorkflowKit(each).run([])).toMatchObject({ status: 'completed', result: [] });
    const { error } = await new WorkflowKit(each).run({});
    expect(error).toMatchObject({ stepId: 'each', message: expect.stringContaining('must be a list') as string });
    expect(() => andForEach({ id: 'each', concurrency: 0, step: add })).toThrow('concurrency');
  });

  it('stops at the first failure, and names the item', async () => {
    const log: number[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Array(Type.Number()) }).andForEach({
        id: 'each',
        step: andThen({
          id: 'item',
          execute: ({ data }: StepContext<number>) => {
            log.push(data);
            if (data === 1) throw new TypeError('no');
            return data;
          },
        }),
      }),
    );
    expect(await kit.run([0, 1, 2])).toMatchObject({ status: 'error', error: { stepId: 'item:1' } });
    expect(log).toEqual([0, 1]);
  });
});
