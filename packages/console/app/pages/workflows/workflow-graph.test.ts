import { describe, expect, it } from 'vitest';
import { findStep, kindOf, pathOfStep, toGraph, type WorkflowStep } from './workflow-graph.ts';

const step = (id: string, type: WorkflowStep['type'], fields: Partial<WorkflowStep> = {}): WorkflowStep => ({
  id,
  name: `Step ${id}`,
  type,
  purpose: '',
  ...fields,
});
const none: ReadonlySet<string> = new Set();
const steps = [
  step('all', 'andAll', {
    steps: [step('a', 'andThen'), step('loop', 'andForEach', { steps: [step('b', 'andTap')] })],
  }),
  step('sub', 'andWorkflow', { steps: [step('a', 'andThen'), step('c', 'andAgent')] }),
];

describe('toGraph', () => {
  it('is empty without steps', () => {
    expect(toGraph([], none)).toEqual([]);
  });

  it('names steps by their paths, with branches side by side, and sub-workflows folded', () => {
    expect(toGraph(steps, none)).toEqual([
      {
        id: 'all',
        title: 'Step all',
        kind: 'in parallel',
        inner: {
          direction: 'row',
          isOpen: true,
          nodes: [
            { id: 'all/a', title: 'Step a', kind: 'step' },
            {
              id: 'all/loop',
              title: 'Step loop',
              kind: 'for each item',
              inner: {
                direction: 'column',
                isOpen: true,
                nodes: [{ id: 'all/loop/b', title: 'Step b', kind: 'side effect' }],
              },
            },
          ],
        },
      },
      {
        id: 'sub',
        title: 'Step sub',
        kind: 'sub-workflow',
        inner: {
          direction: 'column',
          isOpen: false,
          nodes: [
            { id: 'sub/a', title: 'Step a', kind: 'step' },
            { id: 'sub/c', title: 'Step c', kind: 'agent' },
          ],
        },
      },
    ]);
  });

  it('folds and opens toggled steps', () => {
    const nodes = toGraph(steps, new Set(['all', 'sub']));
    expect(nodes.map(({ inner }) => inner?.isOpen)).toEqual([false, true]);
  });

  it('has the state of each path', () => {
    const nodes = toGraph(steps, none, (path) => (path === 'sub/a' ? { state: 'error', note: 'x' } : undefined));
    expect(nodes[1]?.inner?.nodes[0]).toMatchObject({ id: 'sub/a', state: 'error', note: 'x' });
    expect(nodes[0]?.inner?.nodes[0]).not.toHaveProperty('state');
  });
});

it.each<readonly [WorkflowStep, string]>([
  [step('a', 'andThen', { role: 'catch' }), 'if it fails'],
  [step('a', 'andThen', { role: 'finally' }), 'at the end'],
  [step('a', 'andWaitForEvent', { event: 'paid' }), 'waits for paid'],
  [step('a', 'andStart', { starts: 'delivery' }), 'starts delivery'],
  [step('a', 'andSleep'), 'sleeps'],
])('says what %j does', (each, kind) => {
  expect(kindOf(each)).toBe(kind);
});

it('finds the step at a path', () => {
  expect(findStep(steps, 'sub/c')?.type).toBe('andAgent');
  expect(findStep(steps, 'all/loop/b')?.type).toBe('andTap');
  expect(findStep(steps, 'all')?.type).toBe('andAll');
  for (const path of ['', 'b', 'all/c', 'all/a/b']) expect(findStep(steps, path)).toBeUndefined();
});

it('finds the path of a step, not of one in a sub-workflow', () => {
  expect(['all', 'b', 'sub', 'c', 'gone'].map((id) => pathOfStep(steps, id))).toEqual([
    'all',
    'all/loop/b',
    'sub',
    undefined,
    undefined,
  ]);
  // The same id in a sub-workflow is another step.
  expect(pathOfStep(steps.toReversed(), 'a')).toBe('all/a');
});
