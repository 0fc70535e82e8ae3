import type { OverdueExecution } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { DueReader } from './due-reader.ts';

const due = (executionId: string, dueAt: number): OverdueExecution => ({
  executionId,
  workflowId: 'order',
  userId: null,
  priority: 0,
  claimsWithoutCommit: 0,
  dueAt,
});
const noneLocal = (): boolean => false;

it('leaves out what is local, and what has run here since it was read', async () => {
  const reader = new DueReader();
  const answered = Promise.withResolvers<readonly OverdueExecution[]>();
  const reading = reader.read(
    () => answered.promise,
    (id) => id === 'local',
  );
  reader.hasRun('ran');
  answered.resolve([due('local', 1), due('ran', 2), due('waiting', 3)]);
  expect((await reading).map(({ executionId }) => executionId)).toEqual(['waiting']);
});

it('returns what ran here before it was read', async () => {
  const reader = new DueReader();
  reader.hasRun('again');
  expect(await reader.read(async () => [due('again', 1)], noneLocal)).toHaveLength(1);
});

it('reports how much is due, and for how long the oldest has been', async () => {
  const reader = new DueReader();
  expect(reader.backlog(1_000)).toEqual({ due: 0, oldestDueMs: 0 });
  await reader.read(async () => [due('a', 700), due('b', 400), due('c', 900)], noneLocal);
  expect(reader.backlog(1_000)).toEqual({ due: 3, oldestDueMs: 600 });
  expect(reader.backlog(100)).toEqual({ due: 3, oldestDueMs: 0 });
  await reader.read(async () => [], noneLocal);
  expect(reader.backlog(1_000)).toEqual({ due: 0, oldestDueMs: 0 });
});

it('keeps its report when a read fails', async () => {
  const reader = new DueReader();
  await reader.read(async () => [due('a', 700)], noneLocal);
  await expect(reader.read(() => Promise.reject(new TypeError('no connection')), noneLocal)).rejects.toThrow();
  expect(reader.backlog(1_000)).toEqual({ due: 1, oldestDueMs: 300 });
});
