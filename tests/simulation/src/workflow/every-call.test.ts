import { expect, it } from 'vitest';
import { checkSameEnd } from './check-ends.ts';
import type { BodyPlan, TreeStep } from './random-tree.ts';
import { Simulation, type SimulationResult } from './simulation.ts';

const plain: BodyPlan = {
  isSync: false,
  suspends: false,
  failures: 0,
  attempts: 3,
  throwsOnAbort: true,
  end: 'output',
};

/** Parallel branches, suspensions, a sub-workflow, a loop, a sleep and retries. */
const variedTree: readonly TreeStep[] = [
  { kind: 'then', id: 'price', body: plain },
  {
    kind: 'all',
    id: 'checks',
    steps: [
      { kind: 'then', id: 'stock', body: { ...plain, failures: 2 } },
      { kind: 'then', id: 'approve', body: { ...plain, suspends: true } },
      { kind: 'sleep', id: 'cool-down', durationMs: 4_000 },
    ],
  },
  {
    kind: 'workflow',
    id: 'ship',
    steps: [
      { kind: 'then', id: 'pack', body: { ...plain, isSync: true } },
      {
        kind: 'forEach',
        id: 'labels',
        items: 2,
        concurrency: 2,
        steps: [{ kind: 'then', id: 'sign', body: { ...plain, suspends: true } }],
      },
      { kind: 'tap', id: 'notify', body: { ...plain, failures: 1 } },
    ],
  },
  { kind: 'then', id: 'thank', body: plain },
];

/** Steps that end early and stop parallel branches, in as few commits as possible. */
const earlyEndTree: readonly TreeStep[] = [
  {
    kind: 'workflow',
    id: 'check',
    steps: [{ kind: 'then', id: 'known', body: { ...plain, isSync: true, end: 'bail' } }],
  },
  {
    kind: 'race',
    id: 'race',
    steps: [
      {
        kind: 'workflow',
        id: 'ask',
        steps: [{ kind: 'then', id: 'person', body: { ...plain, isSync: true, suspends: true } }],
      },
      { kind: 'sleep', id: 'time-up', durationMs: 300 },
      { kind: 'tap', id: 'notify', body: { ...plain, failures: 2 } },
    ],
  },
  {
    kind: 'all',
    id: 'both',
    steps: [
      { kind: 'tap', id: 'pay', body: { ...plain, suspends: true } },
      { kind: 'workflow', id: 'stop', steps: [{ kind: 'then', id: 'abort', body: { ...plain, end: 'abort' } }] },
    ],
  },
];

it.each([
  ['with many kinds of steps', variedTree, 30],
  ['whose steps end early', earlyEndTree, 10],
])(
  'an execution %s ends as expected when a process crashes at any call to its store',
  async (_what, tree, leastCalls) => {
    const faultless = await runWithCrash(tree, undefined);
    expect(faultless.calls).toBeGreaterThan(leastCalls);
    for (let call = 0; call < faultless.calls; call += 1) {
      for (const isExecuted of [false, true]) {
        const result = await runWithCrash(tree, { call, isExecuted });
        expect(result.calls, `crash at call ${call}`).toBe(call + 1);
        for (const [index, ended] of result.ended.entries()) {
          const other = faultless.ended[index];
          if (other !== undefined) checkSameEnd(ended, other);
        }
      }
    }
  },
);

/**
 * Runs a simulation in which the first of two processes crashes at this call, before or after the
 * store has executed it.
 */
function runWithCrash(
  tree: readonly TreeStep[],
  crashOfFirst: { readonly call: number; readonly isExecuted: boolean } | undefined,
): Promise<SimulationResult> {
  return new Simulation({ seed: 1, trees: [tree], faults: { crashOfFirst } }).run();
}
