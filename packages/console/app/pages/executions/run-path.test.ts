import { describe, expect, it } from 'vitest';
import type { WorkflowStep } from '../workflows/workflow-graph.ts';
import { instancesAround, isWithin, runPath } from './run-path.ts';

const step = (id: string, type: WorkflowStep['type'], steps: WorkflowStep[] = []): WorkflowStep => ({
  id,
  name: id,
  type,
  purpose: '',
  steps,
});

const steps = [
  step('orders', 'andForEach', [step('both', 'andAll', [step('lines', 'andDoWhile', [step('approve', 'andThen')])])]),
  step('pay', 'andRun'),
];

describe('runPath', () => {
  it.each([
    ['pay', 'pay'],
    ['orders', 'orders'],
    ['both:2', 'orders:2/both'],
    ['lines:2', 'orders:2/both/lines'],
    ['approve:2:7', 'orders:2/both/lines:7/approve'],
    ['pay/charge', 'pay/charge'],
    ['unknown:4', 'unknown:4'],
  ])('is for %s the path %s', (instance, path) => {
    expect(runPath(instance, steps)).toBe(path);
  });
});

describe('isWithin', () => {
  it.each([
    ['lines:3/approve', 'lines:3/approve', true],
    ['lines:3/approve', 'lines:3', true],
    ['lines:3/approve', 'lines', true],
    ['lines:3/approve', 'lines:2', false],
    ['lines:31/approve', 'lines:3', false],
    ['lines2/approve', 'lines', false],
    ['lines', 'lines:3', false],
    // The definition is not known.
    ['approve:3', 'lines:3/approve', true],
    ['approve:2', 'lines:3/approve', false],
    ['lines:3', 'outer/lines:3', false],
  ])('says of %s within %s: %s', (path, rewound, expected) => {
    expect(isWithin(path, rewound)).toBe(expected);
  });
});

describe('instancesAround', () => {
  it.each([
    ['pay', []],
    ['all/pay', ['all']],
    ['lines:3', ['lines']],
    ['orders:1/lines:3/approve', ['orders', 'lines:1']],
  ])('lists the steps around %s', (path, instances) => {
    expect(instancesAround(path)).toEqual(instances);
  });
});
