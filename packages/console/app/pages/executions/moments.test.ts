import { describe, expect, it } from 'vitest';
import type { WorkflowStep } from '../workflows/workflow-graph.ts';
import type { StoredEvent } from './execution-events.ts';
import { stepRuns } from './execution-model.ts';
import { executionAt, listForks, listMoments } from './moments.ts';

const iso = (second: number): string => new Date(Date.parse('2027-01-01T00:00:00Z') + second * 1_000).toISOString();

const lines: readonly (readonly [type: string, from: string, fields?: object])[] = [
  ['workflow-start', 'claim'],
  ['step-start', 'merge', { stepType: 'andThen', input: 1 }],
  ['step-complete', 'merge', { status: 'success', output: 2 }],
  ['custom-progress', 'approve', { done: 1 }],
  ['step-start', 'approve', { stepType: 'andThen', input: 2 }],
  ['workflow-suspended', 'claim', { suspension: { stepId: 'approve', reason: 'Ada claims 20' } }],
  ['step-start', 'merge', { stepType: 'andThen', input: 1 }],
  ['step-error', 'merge', { error: 'no' }],
  ['workflow-error', 'claim', { error: { message: 'no' } }],
  ['step-complete', 'merge', { status: 'success', output: 3 }],
  ['workflow-complete', 'claim', { output: 3 }],
];
const events = lines.map(([type, from, fields], index): StoredEvent => ({
  seq: index + 1,
  executionId: 'x',
  timestamp: iso(index),
  type,
  from,
  ...fields,
}));
const steps = [
  { id: 'merge', name: 'Put together', type: 'andThen', purpose: '' },
  { id: 'approve', name: 'approve', type: 'andThen', purpose: '' },
] as const satisfies readonly WorkflowStep[];
const rewinds = [
  { paths: ['merge', 'approve'], seq: 6 },
  { paths: [], seq: 9 },
];

function statesAt(seq: number): readonly string[] {
  const past = executionAt(events, seq, { rewinds });
  return stepRuns(past.events, past.status, steps, past.at).map(
    ({ instance, isSuperseded, state }) => `${instance} ${state}${isSuperseded ? ' (superseded)' : ''}`,
  );
}

describe('listMoments', () => {
  it('tells each change of state with the names of the steps', () => {
    expect(listMoments(events, steps).map(({ seq, state, text }) => `${seq} ${state}: ${text}`)).toEqual([
      '1 running: The execution started',
      '2 running: “Put together” started',
      '3 success: “Put together” succeeded',
      '5 running: “approve” started',
      '6 suspended: Waits: Ada claims 20',
      '7 running: “Put together” started',
      '8 error: “Put together” failed',
      '9 error: The execution failed',
      '10 success: “Put together” succeeded',
      '11 completed: The execution completed',
    ]);
  });
});

describe('executionAt', () => {
  it('shows the steps as they were, without what came later', () => {
    expect(statesAt(1)).toEqual([]);
    expect(statesAt(2)).toEqual(['merge running']);
    expect(statesAt(5)).toEqual(['merge success', 'approve running']);
    expect(statesAt(6)).toEqual(['merge success', 'approve suspended']);
    expect(statesAt(7)).toEqual(['merge success (superseded)', 'approve cancelled (superseded)', 'merge running']);
    expect(statesAt(9)).toEqual(['merge success (superseded)', 'approve cancelled (superseded)', 'merge error']);
    expect(statesAt(11).at(-1)).toBe('merge success');
  });

  it('knows whether the execution had ended', () => {
    const statusAt = (seq: number): string => executionAt(events, seq, { rewinds }).status.status;
    expect([2, 6, 9, 10, 11].map(statusAt)).toEqual(['running', 'running', 'error', 'running', 'completed']);
  });
});

describe('listForks', () => {
  it('draws a rewind from where it happened to where the steps had begun', () => {
    const moments = listMoments(events, steps);
    expect(listForks(events, moments, rewinds, steps)).toEqual([
      { from: 4, to: 1, text: 'Rewound to “Put together”' },
      { from: 7, to: 7, text: 'Retried by hand' },
    ]);
  });
});
