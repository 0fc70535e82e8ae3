import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import type { StepContext } from '../../definition/step-context.ts';
import { andAll } from '../../steps/and-all.ts';
import { andForEach } from '../../steps/and-for-each.ts';
import { andMap } from '../../steps/and-map.ts';
import { andThen } from '../../steps/and-then.ts';
import { Gate } from '../../testing/gate.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';

it('has functions that a spread copies', async () => {
  const names: string[] = [];
  const workflow = createWorkflow({ id: 'w' }).andThen({
    id: 'a',
    execute: (context) => {
      names.push(...Object.keys({ ...context }));
      return { ...context }.bail('done');
    },
  });
  expect(await new WorkflowKit(workflow).run()).toMatchObject({ status: 'completed', result: 'done' });
  expect(names).toEqual(expect.arrayContaining(['getStepData', 'setWorkflowState', 'suspend', 'bail', 'abort']));
});

describe('getStepData', () => {
  it('returns the outcome of a step at any depth, and undefined before it has finished', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'a', execute: ({ getStepData }) => [getStepData('a') ?? null, getStepData('none') ?? null] })
        .andAll({ id: 'all', steps: [andAll({ id: 'deep', steps: [andThen({ id: 'b', execute: () => 'B' })] })] })
        .andWhen({ id: 'when', condition: () => false, step: andThen({ id: 'c', execute: () => 'C' }) })
        .andThen({
          id: 'last',
          execute: ({ getStepData }) => ['a', 'b', 'deep', 'when', 'c'].map((id) => getStepData(id) ?? null),
        }),
    );
    expect(await kit.run()).toMatchObject({
      result: [
        { status: 'success', output: [null, null] },
        { status: 'success', output: 'B' },
        { status: 'success', output: ['B'] },
        { status: 'skipped', output: [['B']] },
        null,
      ],
    });
  });

  it('returns the instance of the same loop item, or the one that is named', async () => {
    const cell = andAll({
      id: 'cell',
      steps: [
        andThen({ id: 'make', execute: ({ data }: StepContext<unknown>) => data }),
        andThen({ id: 'other', execute: () => 0 }),
      ],
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andForEach({
          id: 'rows',
          items: () => [['a', 'b'], ['c']],
          step: andForEach({
            id: 'cells',
            items: ({ data }: { readonly data: string[] }) => data,
            step: andMap({
              id: 'seen',
              map: { it: { from: 'data' }, near: ({ getStepData }) => getStepData('seen')?.output ?? null },
            }),
          }),
        })
        .andForEach({ id: 'again', items: () => ['x', 'y'], step: cell })
        .andThen({
          id: 'last',
          execute: ({ getStepData }) => ({
            first: getStepData('seen:0:1')?.output,
            second: getStepData('seen:1:0')?.output,
            inner: getStepData('make:1')?.output,
            vague: getStepData('make') ?? null,
            odd: getStepData('last:1') ?? null,
          }),
        }),
    );
    expect((await kit.run()).result).toEqual({
      first: { it: 'b', near: null },
      second: { it: 'c', near: null },
      inner: 'y',
      vague: null,
      odd: null,
    });
  });

  it('finds a step inside the same loop item', async () => {
    const first = andThen({ id: 'first', execute: ({ data }: StepContext<unknown>) => data });
    const second = andThen({
      id: 'second',
      execute: async (context: StepContext<unknown>) => {
        await yieldToEventLoop();
        return context.getStepData('first')?.output;
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andForEach({
        id: 'each',
        items: () => ['x', 'y'],
        step: andAll({ id: 'both', steps: [first, second] }),
      }),
    );
    expect(await kit.run()).toMatchObject({
      result: [
        ['x', 'x'],
        ['y', 'y'],
      ],
    });
  });
});

describe('the state that steps share', () => {
  const counter = createWorkflow({
    id: 'w',
    state: Type.Object({ count: Type.Number(), by: Type.Optional(Type.String()) }),
  });
  const count = (id: string) =>
    andThen({
      id,
      execute: async ({
        setWorkflowState,
      }: StepContext<
        unknown,
        { input: unknown; resume: unknown; suspend: unknown; state: { count: number; by?: string } }
      >) => {
        for (let times = 0; times < 3; times += 1) {
          setWorkflowState((state) => ({ count: state.count + 1 }));
          await Promise.resolve();
        }
      },
    });

  it('is patched in order, also by functions and in parallel branches', async () => {
    const kit = new WorkflowKit(
      counter
        .andThen({
          id: 'set',
          execute: ({ setWorkflowState, workflowState }) => {
            setWorkflowState({ by: 'Ann' });
            setWorkflowState({ count: 10 });
            return workflowState;
          },
        })
        .andAll({ id: 'all', steps: [count('a'), count('b'), count('c')] })
        .andThen({ id: 'seen', execute: ({ workflowState }) => workflowState }),
    );
    const { executionId: id, result } = await kit.run(null, { workflowState: { count: 1, old: true } });
    expect(result).toEqual({ count: 19, by: 'Ann', old: true });
    expect(await kit.row(id)).toMatchObject({ workflowState: { count: 19, by: 'Ann', old: true } });
  });

  it('is stored after a resume, in another process, and while a body still runs', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      counter.andThen({
        id: 'ask',
        execute: async (context) => {
          const { resumeData, setWorkflowState, suspend, workflowState } = context;
          if (resumeData !== undefined) return workflowState;
          setWorkflowState({ count: 5 });
          await gate.pass(context);
          return suspend('ask');
        },
      }),
    );
    const id = await kit.begin(null, { workflowState: { count: 1 } });
    expect(await kit.row(id)).toMatchObject({ status: 'running', workflowState: { count: 5 } });
    gate.open();
    await kit.settle();
    await kit.restart();
    expect(await kit.resume(id, true)).toMatchObject({ result: { count: 5 } });
  });

  it('refuses values that are not objects or not JSON, and names the step', async () => {
    for (const [patch, text] of [
      [7, 'takes an object'],
      [{ at: 1n }, 'a BigInt in "at"'],
    ] as const) {
      const kit = new WorkflowKit(
        createWorkflow({ id: 'w' }).andThen({
          id: 'set',
          execute: ({ setWorkflowState }) => setWorkflowState(patch as object),
        }),
      );
      const { error } = await kit.run();
      expect(error?.stepId).toBe('set');
      expect(error?.message).toContain(text);
    }
  });
});

describe('the context of a body', () => {
  it('is a copy that the body can change without effect elsewhere', async () => {
    const spoil = (value: unknown): void => {
      const object = value as Record<string, unknown>;
      object['spoilt'] = true;
      for (const inner of Object.values(object)) if (typeof inner === 'object' && inner !== null) spoil(inner);
    };
    const all = (context: StepContext<unknown>): unknown[] => {
      const { context: given, data, getStepData, input, resumeData, state, user, workflowState } = context;
      return [data, given, input, state, user, workflowState, resumeData, getStepData('first')?.output];
    };
    const seen: string[] = [];
    const body = (context: StepContext<unknown>): unknown => {
      const values = all(context).filter((value) => value !== undefined);
      seen.push(JSON.stringify(values));
      for (const value of values) spoil(value);
      if (context.resumeData === undefined) return context.suspend('ask');
      return { made: { of: 'data' } };
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'first', execute: () => ({ list: [{}] }) })
        .andAll({ id: 'all', steps: [andThen({ id: 'a', execute: body }), andThen({ id: 'b', execute: body })] })
        .andThen({ id: 'last', execute: (context) => all(context) }),
    );
    const options = {
      context: { inner: { on: true } },
      workflowState: { inner: {} },
      metadata: { inner: {} },
      user: { id: 'ann', claims: { inner: {} } },
    };
    const given = structuredClone(options);
    const input = { inner: {} };
    const { executionId: id } = await kit.run(input, options);
    await kit.answer(id, { inner: {} });
    const { result } = await kit.resume(id, { inner: {} });
    expect(JSON.stringify(seen)).not.toContain('spoilt');
    expect(JSON.stringify(result)).not.toContain('spoilt');
    expect(JSON.stringify([await kit.row(id), await kit.journal(id), await kit.events(id)])).not.toContain('spoilt');
    expect({ input, options }).toEqual({ input: { inner: {} }, options: given });
  });

  it('describes the execution', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', name: 'Work' }).andThen({
        id: 'a',
        execute: ({ context, input, state, user }) => ({ context, input, state, user }),
      }),
    );
    const options = {
      executionId: 'mine',
      userId: 'ann',
      conversationId: 'talk',
      context: { on: true },
      metadata: { order: 7 },
    };
    expect((await kit.run('x', { ...options, user: { id: 'ann', claims: {} } })).result).toMatchObject({
      input: 'x',
      context: { on: true },
      user: { id: 'ann' },
      state: {
        executionId: 'mine',
        workflowId: 'w',
        workflowName: 'Work',
        startAt: '2026-01-01T00:00:00.000Z',
        userId: 'ann',
        conversationId: 'talk',
        metadata: { order: 7 },
      },
    });
  });
});

describe('idempotencyKey', () => {
  it('is the same for each repetition of a step, and different for other steps', async () => {
    const keys: string[] = [];
    const gate = new Gate();
    const work = andThen({
      id: 'work',
      retries: { attempts: 2, delayMs: 0 },
      execute: async (context: StepContext<unknown>) => {
        keys.push(context.idempotencyKey);
        if (keys.length === 1) throw new TypeError('no');
        if (keys.length === 2) await gate.pass(context);
        return context.resumeData ?? context.suspend('ask');
      },
    });
    const other = andThen({ id: 'other', execute: ({ idempotencyKey }) => idempotencyKey });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andForEach({
        id: 'each',
        items: () => [1],
        step: andAll({ id: 'all', steps: [work, other] }),
      }),
    );
    const id = await kit.begin(null, { executionId: 'one' });
    await kit.restart();
    expect(await kit.resume(id, 'done')).toMatchObject({ result: [['done', 'one~run-1/each:0/all/other']] });
    expect(keys).toEqual(Array(4).fill('one~run-1/each:0/all/work'));
  });
});

describe('writer', () => {
  it('writes custom events in order with other events', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andForEach({
        id: 'each',
        items: () => ['x'],
        step: andThen({
          id: 'work',
          execute: async (context: StepContext<unknown>) => {
            const { data, writer } = context;
            writer.write({ type: 'custom-progress', percent: 50, data, from: 'me', seq: 9, at: new Date(0) });
            await gate.pass(context);
            writer.write({ type: 'custom-done' });
          },
        }),
      }),
    );
    const id = await kit.begin();
    const event = { type: 'custom-progress', from: 'work:0', percent: 50, data: 'x', at: '1970-01-01T00:00:00.000Z' };
    expect((await kit.events(id)).at(-1)).toMatchObject({ ...event, timestamp: '2026-01-01T00:00:00.000Z' });
    gate.open();
    await kit.waitUntilIdle(id);
    expect((await kit.history(id)).slice(3, 6)).toEqual([
      'custom-progress work:0',
      'custom-done work:0',
      'step-complete work:0',
    ]);
  });

  it('refuses reserved types and values that are not JSON, and names the step', async () => {
    for (const [event, text] of [
      [{ type: 'workflow-complete' }, 'start with "custom-"'],
      [{ type: 'custom-x', map: new Map() }, 'a Map in "map"'],
      [{}, 'start with "custom-"'],
      [null, 'start with "custom-"'],
    ] as const) {
      const kit = new WorkflowKit(
        createWorkflow({ id: 'w' }).andThen({ id: 'work', execute: ({ writer }) => writer.write(event as never) }),
      );
      const { error } = await kit.run();
      expect(error?.message).toContain('Step "work" failed');
      expect(error?.message).toContain(text);
    }
  });
});
