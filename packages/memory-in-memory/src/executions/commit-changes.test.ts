import type { Commit, Execution } from '@halyard/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { executionFields as fields, stepEntry } from '../testing/run-executions.ts';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';

const created = { ...fields, parentExecutionId: 'run', path: 'sub' };
const error = { name: 'Error', message: 'no' } as NonNullable<Execution['error']>;

let store: InMemoryExecutionStore;
let commits = 0;

beforeEach(async () => {
  store = new InMemoryExecutionStore({ now: () => 1_000 });
  for (const id of ['run', 'other']) {
    await store.create({ ...fields, id, events: [] }, { requestId: id });
    await store.claim(id, { runner: 'here', leaseMs: 1_000 });
  }
});

function commit(parts: Partial<Commit>): ReturnType<InMemoryExecutionStore['commit']> {
  commits += 1;
  const nothing = { entries: [], changes: [], settled: [], suspensions: [], timers: [] };
  return store.commit({
    executionId: 'run',
    creationId: 'run',
    epoch: 1,
    commitId: `commit-${commits}`,
    expectedSeq: 0,
    ...nothing,
    ...parts,
  });
}

describe('a commit writes nothing, and names its fault, if it', () => {
  it.each<[string, Commit['changes'], string]>([
    [
      'creates a sub-workflow whose id is in use',
      [{ id: 'other', created, events: [] }],
      'creates other, whose id is in use',
    ],
    [
      'changes another execution',
      [{ id: 'other', status: 'completed', events: [] }],
      'changes other, which is not one of its sub-workflows',
    ],
    [
      'changes a sub-workflow before it creates it',
      [
        { id: 'child', status: 'completed', events: [] },
        { id: 'child', created, events: [] },
      ],
      'changes child, which is not one of its sub-workflows',
    ],
  ])('%s', async (_what, changes, fault) => {
    await expect(commit({ entries: [stepEntry], changes })).rejects.toMatchObject({
      kind: 'internal',
      code: 'INTERNAL',
      message: `A commit of run ${fault}`,
    });
    expect(await store.journal('anyone', 'run')).toEqual([]);
    expect(await store.find('anyone', 'child')).toBeUndefined();
    expect(await store.find('anyone', 'other')).toMatchObject({ status: 'running' });
  });
});

it.each([{ output: 'paid' }, { error }])(
  'keeps the result of a sub-workflow that a later commit does not name: %j',
  async (result) => {
    await commit({
      changes: [
        { id: 'child', created, events: [] },
        { id: 'child', status: 'completed', ...result, events: [] },
      ],
    });
    await commit({ changes: [{ id: 'child', events: [] }] });
    expect(await store.find('anyone', 'child')).toMatchObject({ status: 'completed', ...result });
  },
);

it('gives the id of a sub-workflow to no other execution', async () => {
  await commit({ changes: [{ id: 'child', created, events: [] }] });
  expect(await store.create({ ...fields, id: 'child', events: [] }, { requestId: 'another' })).toBe('taken');
  expect(await store.find('anyone', 'child')).toMatchObject({ parentExecutionId: 'run' });
  expect(await store.claim('child', { runner: 'here', leaseMs: 1_000 })).toBeUndefined();
});
