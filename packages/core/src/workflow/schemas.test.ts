import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Schema } from '../schema/schema.ts';
import { createWorkflow } from './create-workflow.ts';
import { andAll } from './steps/and-all.ts';
import { andThen } from './steps/and-then.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const N = Type.Object({ n: Type.Integer() });

describe('schemas of a workflow', () => {
  it('refuse an invalid input with the name of the field, and insert defaults', async () => {
    const input = z.object({ n: z.int(), unit: z.string().default('kg') });
    const kit = new WorkflowKit(createWorkflow({ id: 'w', input }).andThen({ id: 'a', execute: ({ data }) => data }));
    await expect(kit.run({ n: 'x' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('input/n') as string,
    });
    await expect(kit.run({ n: new Map() })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const { executionId: id, result } = await kit.run({ n: 1 });
    expect(result).toEqual({ n: 1, unit: 'kg' });
    expect(await kit.row(id)).toMatchObject({ input: { n: 1, unit: 'kg' } });
  });

  it('fail the execution when its result does not fit, and name the last step', async () => {
    const typed = createWorkflow({ id: 'w', result: N });
    const kit = new WorkflowKit(
      typed.andThen({ id: 'a', execute: () => 1 }).andThen({ id: 'last', execute: () => ({ n: 0.5 }) }),
    );
    expect((await kit.run()).error).toMatchObject({
      stepId: 'last',
      message: 'Step "last" failed: result/n must be integer',
    });
    expect(await new WorkflowKit(typed.andThen({ id: 'a', execute: () => ({ n: 1 }) })).run()).toMatchObject({
      result: { n: 1 },
    });
  });

  it('apply to suspended steps that have no schemas themselves', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', suspendSchema: N, resumeSchema: N }).andThen({
        id: 'ask',
        execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask', { n: 1 }),
      }),
    );
    const { executionId: id, suspension } = await kit.run();
    expect(suspension).toMatchObject({ suspendData: { n: 1 } });
    for (const answer of [{ n: 'x' }, undefined, null])
      await expect(kit.resume(id, answer)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/^resumeData/u) as string,
      });
    expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
    expect(await kit.resume(id, { n: 2 })).toMatchObject({ result: { n: 2 } });
  });

  it('apply to the steps of a sub-workflow, whether its root or itself is resumed', async () => {
    const child = createWorkflow({ id: 'child', resumeSchema: N }).andThen({
      id: 'ask',
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask'),
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', resumeSchema: Type.String() }).andAll({
        id: 'all',
        steps: [andWorkflow({ id: 'sub', workflow: child })],
      }),
      child,
    );
    const { executionId: id } = await kit.run();
    const [row] = await kit.children(id);
    for (const one of [id, row?.id ?? ''])
      await expect(kit.resume(one, 'text')).rejects.toMatchObject({ message: 'resumeData must be object' });
    expect(await kit.resume(id, { n: 1 })).toMatchObject({ result: [{ n: 1 }] });
  });
});

describe('schemas of a step', () => {
  const kinds: readonly (readonly [string, Schema])[] = [
    ['TypeBox', N],
    ['zod', z.object({ n: z.int() })],
    ['JSON Schema', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }],
  ];

  it.each(kinds)('fail the execution when data or output does not fit: %s', async (_, schema) => {
    const step = (id: 'input' | 'output', value: unknown) =>
      andThen({ id, [id]: schema, retries: { attempts: 3, delayMs: 0 }, execute: () => value });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andAll({ id: 'in', steps: [step('input', 1)] }), step('output', { n: 1 })],
      }),
    );
    expect(await kit.run({ n: 1 })).toMatchObject({ result: [[1], { n: 1 }] });
    const wrong = await kit.run({ n: 'x' });
    expect(wrong.error).toMatchObject({ stepId: 'input' });
    expect(wrong.error?.message).toMatch(/^Step "input" failed: input\/n/u);
    const { error } = await new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [step('output', { n: 'x' })] }),
    ).run();
    expect(error?.message).toMatch(/^Step "output" failed: output\/n/u);
  });

  it('apply to its suspend and resume data, instead of those of its workflow', async () => {
    const step = { id: 'ask', suspendSchema: Type.String(), resumeSchema: Type.Boolean() };
    const workflow = createWorkflow({ id: 'w', suspendSchema: N, resumeSchema: N });
    const kit = new WorkflowKit(
      workflow.andThen({
        ...step,
        execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask', 'text'),
      }),
    );
    const { executionId: id } = await kit.run();
    await expect(kit.resume(id, { n: 1 })).rejects.toMatchObject({ message: 'resumeData must be boolean' });
    expect(await kit.resume(id, true)).toMatchObject({ result: true });
    const { error } = await new WorkflowKit(
      // @ts-expect-error: no string.
      workflow.andThen({ ...step, execute: ({ suspend }) => suspend('ask', { n: 1 }) }),
    ).run();
    expect(error?.message).toBe('Step "ask" failed: suspendData must be string');
  });

  it('insert defaults into the data', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({
        id: 'a',
        input: { type: 'object', properties: { unit: { default: 'kg' } } },
        output: { type: 'object', properties: { done: { default: true } } },
        execute: ({ data }) => data,
      }),
    );
    expect(await kit.run({})).toMatchObject({ result: { unit: 'kg', done: true } });
  });
});

describe('values that are not JSON', () => {
  it.each([
    ['a Map in "deep"', { deep: new Map() }],
    ['a Set', new Set()],
    ['a BigInt in "n"', { n: 1n }],
    ['a function in "run"', { run: () => 1 }],
    ['a symbol', Symbol('s')],
    ['a cycle', cycle()],
  ])('fail the execution with the name of the step: %s', async (what, value) => {
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => value as unknown }));
    const { error } = await kit.run();
    expect(error).toMatchObject({ stepId: 'a', message: expect.stringContaining(`it returned ${what}`) as string });
  });

  it('are converted to JSON when possible: dates, class instances, undefined', async () => {
    class Money {
      readonly cents = 5;
      get euros(): number {
        return this.cents / 100;
      }
    }
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({
          id: 'a',
          execute: () => ({ at: new Date(0), money: new Money(), none: undefined, nan: Number.NaN }),
        })
        .andTap({ id: 'tap', execute: () => new Map() })
        .andThen({ id: 'b', execute: ({ data }) => ({ data }) })
        .andThen({ id: 'c', execute: ({ data, getStepData }) => ({ data, nothing: getStepData('none')?.output }) })
        .andThen({ id: 'none', execute: ({ data }) => void data }),
    );
    const { executionId: id, result } = await kit.run();
    expect(result).toBeNull();
    expect((await kit.journal(id))[0]?.output).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      money: { cents: 5 },
      nan: null,
    });
  });

  it.each([
    ['suspend', 'it suspended with a Map'],
    ['bail', 'it bailed with a Map'],
  ] as const)('are refused by %s', async (how, text) => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({
        id: 'a',
        execute: ({ bail, suspend }) => (how === 'bail' ? bail(new Map()) : suspend('ask', new Map())),
      }),
    );
    expect((await kit.run()).error?.message).toBe(`Step "a" failed: ${text}, which is not JSON`);
  });
});

function cycle(): object {
  const value: Record<string, unknown> = {};
  value['itself'] = value;
  return value;
}
