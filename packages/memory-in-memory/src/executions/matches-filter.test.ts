import type { JsonObject } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { matchesFilter } from './matches-filter.ts';
import { newRecord } from './stored-execution.ts';

it.each<[JsonObject, JsonObject, boolean]>([
  [{ tags: ['a', 'b'] }, { tags: ['a', 'b'] }, true],
  [{ tags: ['a', 'b'] }, { tags: ['a', 'c'] }, false],
  [{ tags: ['a', 'b'] }, { tags: ['a'] }, false],
  [{ tags: ['a'] }, { tags: ['a', 'b'] }, false],
  [{ tags: ['a'] }, { tags: { 0: 'a' } }, false],
  [{ tags: { 0: 'a' } }, { tags: ['a'] }, false],
  [{ tags: [] }, { tags: {} }, false],
  [{ tags: '' }, { tags: [] }, false],
  [{ tags: {} }, { tags: 1 }, false],
  [{ tags: 1 }, { tags: {} }, false],
])('compares the metadata %j with %j', (metadata, wanted, matches) => {
  const values = { workflowId: 'w', workflowName: 'w', input: null, context: {}, workflowState: {} };
  const root = { id: 'run', creationId: 'run', parentExecutionId: null, rootExecutionId: 'run', path: '', metadata };
  expect(matchesFilter(newRecord({ ...values, ...root }, 0), { metadata: wanted }, undefined)).toBe(matches);
});
