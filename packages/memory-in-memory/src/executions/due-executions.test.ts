import { expect, it } from 'vitest';
import { DueExecutions } from './due-executions.ts';
import { mayBeClaimedAt, newRecord, type StoredRoot } from './stored-execution.ts';

it('returns the same executions as a sorted list, for random moves and leases', () => {
  let now = 0;
  const due = new DueExecutions({ now: () => now });
  const roots = Array.from({ length: 200 }, (_, index) => storedRoot(index));
  const random = seeded(7);
  const leases = ['one', 'two', 'three'].map((runner, index) => due.leases.extend(runner, 10 + 15 * index, 0));

  for (let turn = 0; turn < 5_000; turn += 1) {
    const root = roots[random(roots.length)] ?? storedRoot(0);
    due.move(root, () => {
      root.lease = random(3) === 0 ? leases[random(leases.length)] : undefined;
      root.claimableAt = random(4) === 0 ? Infinity : random(50);
    });

    if (turn % 50 !== 0) continue;
    now = random(50);
    const sorted = roots
      .filter((one) => mayBeClaimedAt(one) <= now)
      .toSorted((one, other) => mayBeClaimedAt(one) - mayBeClaimedAt(other) || one.order - other.order);
    const ofOne = sorted.filter(({ record }) => record.definition === 'w-1');
    expect(due.due(now, () => true, 1_000)).toEqual(sorted);
    expect(due.due(now, ({ definition }) => definition === 'w-1', 5)).toEqual(ofOne.slice(0, 5));
    const waiting = roots.filter(
      ({ claimableAt, lease, record }) => record.definition === 'w-1' && lease === undefined && claimableAt < Infinity,
    );
    expect(due.nextDueAt(({ record }) => record.definition === 'w-1')).toBe(
      waiting.length === 0 ? undefined : Math.min(...waiting.map(({ claimableAt }) => claimableAt)),
    );
  }
});

it('reads no more of a user than the limit, however many are due', () => {
  const due = new DueExecutions({ now: () => 0 });
  const read = new Set<StoredRoot>();
  const roots = Array.from({ length: 3_000 }, (_, index) => storedRoot(3 * index, index < 2_999 ? 'eve' : 'ada'));
  for (const root of roots)
    due.move(root, () => {
      root.claimableAt = 0;
    });
  for (const root of roots) {
    const { record } = root;
    Object.defineProperty(root, 'record', { get: () => (read.add(root), record) });
  }
  const found = due.next(0, { 'w-0': 'w-0' }, 10, new Map()).slice(0, 10);
  expect(found.map(({ order }) => order)).toEqual([0, 3 * 2_999, 3, 6, 9, 12, 15, 18, 21, 24]);
  expect(read.size).toBe(11);
});

function storedRoot(order: number, subject?: string): StoredRoot {
  const id = `run-${order}`;
  const values = {
    id,
    workflowId: `w-${order % 3}`,
    workflowName: 'W',
    input: null,
    context: {},
    workflowState: {},
    metadata: {},
    creationId: id,
    parentExecutionId: null,
    rootExecutionId: id,
    path: '',
  };
  return {
    record: { ...newRecord(values, 0), definition: values.workflowId },
    events: [],
    children: [],
    order,
    subject,
    journal: [],
    checkpoint: undefined,
    descendants: [],
    claimsWithoutCommit: 0,
    lease: undefined,
    claimableAt: Infinity,
    claimEndsAt: -Infinity,
    lastCommitId: undefined,
    lastCommitSignals: 0,
    resumeRequestIds: [],
    channels: [],
    received: [],
    ended: undefined,
  };
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
