import { expect, it } from 'vitest';
import { checkAlike } from './check-ends.ts';
import type { BodyPlan, TreeStep } from './random-tree.ts';
import { Simulation, type SimulationResult } from './simulation.ts';

const plain: BodyPlan = { isSync: false, suspends: false, failures: 0, tries: 3, heedsAbort: true, end: 'output' };

/** Something of everything: side by side, waiting for somebody, in a sub-workflow, sleeping, trying again, racing. */
const tree: readonly TreeStep[] = [
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

it('ends as it should when a process dies at any of its calls to the store, before or after the call is done', async () => {
  const faultless = await endsAt(undefined);
  expect(faultless.calls).toBeGreaterThan(30);
  for (let call = 0; call < faultless.calls; call += 1) {
    for (const isDone of [false, true]) {
      const result = await endsAt({ call, isDone });
      expect(result.calls, `it dies at call ${call}`).toBe(call + 1);
      for (const [index, ended] of result.ended.entries()) {
        const other = faultless.ended[index];
        if (other !== undefined) checkAlike(ended, other);
      }
    }
  }
});

/** The first of two processes ends at this call. */
function endsAt(
  endOfFirst: { readonly call: number; readonly isDone: boolean } | undefined,
): Promise<SimulationResult> {
  return new Simulation({ seed: 1, trees: [tree], faults: { endOfFirst } }).run();
}
