import { expect, it } from 'vitest';
import { checkAlike } from './check-ends.ts';
import type { BodyPlan, TreeStep } from './random-tree.ts';
import { Simulation, type SimulationResult } from './simulation.ts';

const plain: BodyPlan = { isSync: false, suspends: false, failures: 0, tries: 3, heedsAbort: true, end: 'output' };

/** Something of everything: side by side, waiting for somebody, in a sub-workflow, sleeping, trying again, racing. */
const whole: readonly TreeStep[] = [
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
      { kind: 'tap', id: 'tell', body: { ...plain, failures: 1 } },
    ],
  },
  { kind: 'then', id: 'thank', body: plain },
];

/** What ends early, and closes what is beside it, in as few commits as can be. */
const hasty: readonly TreeStep[] = [
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
      { kind: 'tap', id: 'tell', body: { ...plain, failures: 2 } },
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
  ['of everything', whole, 30],
  ['that ends early', hasty, 10],
])('an execution %s ends as it should when a process dies at any of its calls', async (_what, tree, leastCalls) => {
  const faultless = await endsAt(tree, undefined);
  expect(faultless.calls).toBeGreaterThan(leastCalls);
  for (let call = 0; call < faultless.calls; call += 1) {
    for (const isDone of [false, true]) {
      const result = await endsAt(tree, { call, isDone });
      expect(result.calls, `it dies at call ${call}`).toBe(call + 1);
      for (const [index, ended] of result.ended.entries()) {
        const other = faultless.ended[index];
        if (other !== undefined) checkAlike(ended, other);
      }
    }
  }
});

/** The first of two processes ends at this call, before or after the store has done it. */
function endsAt(
  tree: readonly TreeStep[],
  endOfFirst: { readonly call: number; readonly isDone: boolean } | undefined,
): Promise<SimulationResult> {
  return new Simulation({ seed: 1, trees: [tree], faults: { endOfFirst } }).run();
}
