import type { ClaimedExecution, ExecutionStore } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, type TestRunner } from './test-runner.ts';

export const checkpointCases: readonly ExecutionStoreCase[] = [
  {
    name: 'returns with a claim only the entries that its checkpoint names, and later ones, and the data of the checkpoint',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ entries: [sampleEntry('a'), sampleEntry('b'), sampleEntry('c')] });
      const data = { odd: 'x\0', list: [1, null] };
      await runner.write({ entries: [sampleEntry('d'), sampleEntry('e')], checkpoint: { ...named('a', 'e'), data } });
      await runner.rest(0, { entries: [sampleEntry('f'), sampleEntry('a2')] });
      const claimed = await claim(store);
      checkEqual(
        claimed.journal,
        ['a', 'e', 'f', 'a2'].map((path) => sampleEntry(path)),
        'The journal of the claim',
      );
      checkEqual(claimed.checkpoint, data, 'The data');
    },
  },
  {
    name: 'has no data of a checkpoint in a claim without one',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.rest(0, { entries: [sampleEntry('a')] });
      const claimed = await claim(store);
      checkEqual([claimed.checkpoint, claimed.journal], [undefined, [sampleEntry('a')]], 'The claim');
    },
  },
  {
    name: 'leaves out for good what a checkpoint has left out, also after another checkpoint that names it',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ entries: [sampleEntry('a'), sampleEntry('b')], checkpoint: named('b') });
      await runner.write({ entries: [sampleEntry('c'), sampleEntry('d')] });
      await runner.rest(0, { checkpoint: { ...named('a', 'b', 'd'), data: 2 } });
      const claimed = await claim(store);
      checkEqual([pathsOf(claimed), claimed.checkpoint], [['b', 'd'], 2], 'The claim');
    },
  },
  {
    name: 'keeps all entries and events for everyone who reads them',
    run: async ({ store }) => {
      const runner = await begin(store);
      const events = [sampleEvent('step-complete', 'a', 'x'.repeat(5_000))];
      const entries = [sampleEntry('a', 'x'.repeat(5_000)), sampleEntry('b')];
      await runner.write({ entries, changes: [{ events }], checkpoint: named('b') });
      await runner.rest(0);
      await claim(store);
      checkEqual(await store.journal('anyone', 'run'), entries, 'The journal');
      const stored = await store.events('anyone', 'run', { after: 1, limit: 9 });
      checkEqual(
        stored.map(({ event }) => event),
        events,
        'The events',
      );
    },
  },
  {
    name: 'returns large outputs of the entries that are still needed',
    run: async ({ store }) => {
      const runner = await begin(store);
      const output = 'x'.repeat(5_000);
      const events = [sampleEvent('step-complete', 'a', output)];
      await runner.write({ entries: [sampleEntry('a', output)], changes: [{ events }], checkpoint: named('a') });
      await runner.rest(0);
      checkEqual((await claim(store)).journal, [sampleEntry('a', output)], 'The journal of the claim');
    },
  },
  {
    name: 'returns with a claim the sub-workflows that its checkpoint names, those that have not ended, and later ones',
    run: async ({ store }) => {
      const runner = await begin(store);
      const child = (id: string) => ({ id, created: sampleChild('run', `at/${id}`) });
      await runner.write({ changes: ['c-1', 'c-2', 'c-3'].map(child) });
      await runner.write({
        changes: ['c-1', 'c-2'].map((id) => ({ id, status: 'completed' as const, output: id })),
        checkpoint: { ...named(), children: ['c-2'] },
      });
      await runner.rest(0, { changes: [child('c-4'), { id: 'c-3', status: 'cancelled' }] });
      const claimed = await claim(store);
      checkEqual(idsOf(claimed), ['c-2', 'c-3', 'c-4'], 'The sub-workflows of the claim');
      const all = await store.list('anyone', { parentExecutionId: 'run', limit: 9, offset: 0 });
      checkEqual(all.total, 4, 'The number of sub-workflows');
    },
  },
  {
    name: 'returns everything after a rewind, and no data of a checkpoint',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'a'), status: 'completed' }] });
      const entries = ['a', 'b', 'c'].map((path) => sampleEntry(path));
      await runner.write({ entries, checkpoint: named('c') });
      await runner.suspend(sampleSuspension('s-1', 'd'));
      const rewind = { executionId: 'run', expectedSeq: runner.seq, expectedSignals: 0, paths: ['c'], entries: [] };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      const claimed = await claim(store);
      checkEqual(
        [pathsOf(claimed), idsOf(claimed), claimed.checkpoint],
        [['a', 'b'], ['child'], undefined],
        'The claim',
      );
    },
  },
  {
    name: 'writes no checkpoint of a commit that is refused',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ entries: [sampleEntry('a'), sampleEntry('b')] });
      const late = runner.commitOf({ checkpoint: named('b'), expectedSeq: runner.seq + 1 });
      checkEqual((await store.commit(late)).status, 'fenced', 'A commit that expects another event');
      const release = { dueAt: 0, expectedSignals: 1 };
      const unread = runner.commitOf({ checkpoint: named('b'), release });
      checkEqual((await store.commit(unread)).status, 'signalled', 'A commit that expects another signal');
      await runner.rest(0);
      checkEqual(pathsOf(await claim(store)), ['a', 'b'], 'The journal of the claim');
    },
  },
  {
    name: 'changes nothing of another execution with the same paths',
    run: async ({ store }) => {
      const [runner, other] = [await begin(store), await begin(store, { id: 'other' })];
      for (const one of [runner, other]) await one.write({ entries: [sampleEntry('a'), sampleEntry('b')] });
      await runner.rest(0, { checkpoint: named('b') });
      await other.rest(0);
      checkEqual(pathsOf(await claim(store)), ['b'], 'The journal of the claim');
      checkEqual(pathsOf(await claim(store, other)), ['a', 'b'], 'The journal of the other');
    },
  },
];

function named(...entries: readonly string[]): { entries: readonly string[]; children: readonly string[]; data: null } {
  return { entries, children: [], data: null };
}

async function claim(store: ExecutionStore, { id }: Pick<TestRunner, 'id'> = { id: 'run' }): Promise<ClaimedExecution> {
  return checkFound(await store.claim(id, { runner: 'next', leaseMs }), `A claim of ${id}`);
}

function pathsOf({ journal }: ClaimedExecution): readonly string[] {
  return journal.map(({ path }) => path);
}

function idsOf({ children }: ClaimedExecution): readonly string[] {
  return children.map(({ id }) => id);
}
