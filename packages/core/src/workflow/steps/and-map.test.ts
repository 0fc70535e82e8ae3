import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andGuardrail } from './and-guardrail.ts';

describe('andMap', () => {
  it('reads each field from its source', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({
          id: 'price',
          execute: ({ setWorkflowState }) => (setWorkflowState({ seen: true }), { total: { net: 5, 'a.b': 1 } }),
        })
        .andThen({ id: 'data', execute: () => ['first', { second: 2 }] })
        .andMap({
          id: 'map',
          map: {
            made: async ({ data }) => data.length,
            fixed: { value: { at: new Date(0) } },
            all: { from: 'data' },
            item: { from: 'data', path: '1.second' },
            input: { from: 'input', path: 'order' },
            context: { from: 'context', path: 'on' },
            state: { from: 'workflowState', path: 'seen' },
            net: { from: 'step', stepId: 'price', path: 'total.net' },
            none: { from: 'data', path: 'no.such.place' },
            proto: { from: 'input', path: '__proto__' },
          },
        }),
    );
    expect((await kit.run({ order: 7 }, { context: { on: true } })).result).toEqual({
      made: 2,
      fixed: { at: '1970-01-01T00:00:00.000Z' },
      all: ['first', { second: 2 }],
      item: 2,
      input: 7,
      context: true,
      state: true,
      net: 5,
      none: null,
      proto: null,
    });
  });

  it('fails when a source step has not finished', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andMap({ id: 'map', map: { x: { from: 'step', stepId: 'later' } } }),
    );
    expect((await kit.run()).error).toMatchObject({
      stepId: 'map',
      message: expect.stringContaining('later') as string,
    });
  });
});

describe('andGuardrail', () => {
  it('passes data, changes it for the next guardrail, or fails the execution with a reason', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'text', execute: ({ data }) => String(data) })
        .andGuardrail({
          id: 'guard',
          guardrails: [
            { name: 'trim', check: (data) => ({ action: 'modify', data: data.trim() }) },
            {
              name: 'polite',
              check: (data) => (data === 'rude' ? { action: 'block', reason: 'be polite' } : { action: 'allow' }),
            },
          ],
        }),
    );
    expect(await kit.run(' fine ')).toMatchObject({ status: 'completed', result: 'fine' });
    expect((await kit.run(' rude ')).error).toMatchObject({
      stepId: 'guard',
      message: expect.stringContaining('Guardrail "polite" blocked') as string,
    });
    expect(() => andGuardrail({ id: 'guard', guardrails: [] })).toThrow('at least one guardrail');
  });
});
