import { checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleExecution } from './sample-records.ts';
import { leaseMs, takeOver } from './test-runner.ts';
import { dueCount, dueInMs as nextDueInMs } from './what-is-due.ts';

const lease = { runner: 'a', leaseMs };

export const definitionCases: readonly ExecutionStoreCase[] = [
  {
    name: 'stores the definition of a root, which is the id of its workflow unless it is given',
    run: async ({ store }) => {
      await store.create(sampleExecution('run'), { requestId: 'r', definition: 'orders@1' });
      await store.create(sampleExecution('plain'), { requestId: 'r' });
      const runner = await takeOver(store, 'run');
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub') }] });
      const rows = await Promise.all(['run', 'plain', 'child'].map((id) => store.find('anyone', id)));
      checkEqual(
        rows.map((row) => row?.definition),
        ['orders@1', 'orders', ''],
        'The definitions',
      );
    },
  },
  {
    name: 'grants a claim only for the given definitions, and replaces the definition with it',
    run: async ({ store, advance }) => {
      await store.create(sampleExecution('run'), { requestId: 'r', definition: 'orders@2' });
      const older = { definitions: { 'orders@1': 'orders@1', __proto__: 'x' } };
      checkEqual(await store.claim('run', lease, older), undefined, 'A claim with an older definition');
      const first = checkFound(
        await store.claim('run', lease, { definitions: { 'orders@2': 'orders@2' } }),
        'The claim',
      );
      checkEqual(first.execution.definition, 'orders@2', 'The definition');
      await advance(leaseMs);
      const newer = { definitions: { 'orders@2': 'orders@3', 'orders@3': 'orders@3' } };
      const second = checkFound(await store.claim('run', lease, newer), 'The claim with a newer definition');
      checkEqual(second.execution.definition, 'orders@3', 'The definition afterwards');
      await advance(leaseMs);
      checkEqual(
        await store.claim('run', lease, { definitions: { 'orders@2': 'orders@2' } }),
        undefined,
        'A late claim',
      );
      checkEqual(await store.claim('run', lease, { definitions: {} }), undefined, 'A claim without definitions');
    },
  },
  {
    name: 'finds due executions by their definition, and those that are due elsewhere by their workflow',
    run: async ({ store, advance }) => {
      for (const [id, definition, dueInMs] of [
        ['now', 'orders@1', 0],
        ['newer', 'orders@2', 0],
        ['later', 'orders@2', 60_000],
      ] as const) {
        await store.create(sampleExecution(id), { requestId: 'r', definition, dueInMs });
        await advance(1);
      }
      await store.create(sampleExecution('other', { workflowId: 'mails' }), { requestId: 'r' });
      const ids = (due: readonly { readonly executionId: string }[]): readonly string[] =>
        due.map(({ executionId }) => executionId);
      checkEqual(await dueCount(store, ['orders@1']), 1, 'How many are due with the first');
      checkEqual(await dueCount(store, ['orders@2', 'orders@1']), 2, 'How many are due with both');
      checkEqual(await dueCount(store, ['orders']), 0, 'How many are due with the id of the workflow');
      checkEqual(await nextDueInMs(store, ['orders@3']), undefined, 'When one with another definition is due');
      const elsewhere = await store.dueElsewhere(['orders'], ['orders@1'], 9);
      checkEqual(
        elsewhere.map(({ executionId, workflowId }) => [executionId, workflowId]),
        [['newer', 'orders']],
        'What is due elsewhere',
      );
      checkEqual(ids(await store.dueElsewhere(['orders', 'mails'], [], 2)), ['now', 'newer'], 'The first two');
      await advance(60_000);
      checkEqual(ids(await store.dueElsewhere(['orders'], ['orders@1'], 9)), ['newer', 'later'], 'A minute later');
      await store.claim('newer', lease);
      checkEqual(ids(await store.dueElsewhere(['orders'], ['orders@1'], 9)), ['later'], 'What no process runs');
    },
  },
];
