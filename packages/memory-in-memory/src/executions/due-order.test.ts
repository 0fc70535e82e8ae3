import { expect, it } from 'vitest';
import { DueOrder } from './due-order.ts';
import { StoredRoot } from './stored-execution.ts';

it('hands out what is due like a sorted list would, whatever is placed, moved, held and taken out', () => {
  const order = new DueOrder();
  const roots = Array.from({ length: 200 }, (_, index) => storedRoot(index));
  const random = seeded(7);

  for (let turn = 0; turn < 5_000; turn += 1) {
    const root = roots[random(roots.length)] ?? storedRoot(0);
    root.runner = random(3) === 0 ? 'somebody' : null;
    order.place(root, random(4) === 0 ? Infinity : random(50));

    if (turn % 50 !== 0) continue;
    const now = random(50);
    const sorted = roots
      .filter(({ wantsRunnerAt }) => wantsRunnerAt <= now)
      .toSorted((one, other) => one.wantsRunnerAt - other.wantsRunnerAt || one.order - other.order);
    const ofOne = sorted.filter(({ workflowId }) => workflowId === 'w-1');
    expect(order.due(now, new Set(['w-0', 'w-1', 'w-2']), 1_000)).toEqual(sorted);
    expect(order.due(now, new Set(['w-1']), 5)).toEqual(ofOne.slice(0, 5));
    const free = roots.filter(({ runner, wantsRunnerAt }) => runner === null && wantsRunnerAt < Infinity);
    expect(order.nextDueAt()).toBe(
      free.length === 0 ? undefined : Math.min(...free.map(({ wantsRunnerAt }) => wantsRunnerAt)),
    );
  }
});

function storedRoot(order: number): StoredRoot {
  const values = {
    id: `run-${order}`,
    workflowId: `w-${order % 3}`,
    workflowName: 'W',
    input: null,
    context: {},
    workflowState: {},
    metadata: {},
    events: [],
  };
  return new StoredRoot(values, { requestId: 'r' }, order, 0);
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
