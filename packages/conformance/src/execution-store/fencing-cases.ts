import type { Commit, ExecutionStore } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleExecution, sampleSuspension } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, leaseMs, takeOver, type TestRunner } from './test-runner.ts';

export const fencingCases: readonly ExecutionStoreCase[] = [
  {
    name: 'writes nothing for a runner whose execution was taken over',
    run: async ({ store, advance }) => {
      const old = await begin(store);
      await old.write({ suspensions: [sampleSuspension('s-1', 'a')] });
      await advance(leaseMs);
      await takeOver(store, 'run');
      await refuses(store, fullCommit(old));
      await refuses(store, { ...fullCommit(old), release: { dueAt: null, expectedSignals: 0 } });
    },
  },
  {
    name: 'writes nothing for a runner whose execution was rewound',
    run: async ({ store }) => {
      const old = await begin(store);
      await old.write({ suspensions: [sampleSuspension('s-1', 'a')], entries: [sampleEntry('b')] });
      await store.rewind('anyone', {
        executionId: 'run',
        expectedSeq: 1,
        expectedSignals: 0,
        paths: ['b'],
        entries: [],
      });
      await refuses(store, fullCommit(old));
    },
  },
  {
    name: 'writes nothing for a runner that has released the execution',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.suspend(sampleSuspension('s-1', 'a'));
      await refuses(store, fullCommit(runner));
    },
  },
  {
    name: 'writes nothing to an execution that has ended',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.finish();
      await refuses(store, fullCommit(runner));
    },
  },
  {
    name: 'writes nothing when a commit expects another last event',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ events: [sampleEvent('step-start', 'a')] }] });
      for (const expectedSeq of [0, 1, 3]) await refuses(store, { ...fullCommit(runner), expectedSeq });
    },
  },
  {
    name: 'writes nothing for a runner whose execution was deleted, when its id is used again',
    run: async ({ store, advance }) => {
      const old = await begin(store);
      const last = old.commitOf({ changes: [{ status: 'completed' }] });
      await store.commit(last);
      await advance(60_000);
      checkEqual(await store.purge(1_000, 9), 1, 'The number deleted');
      await store.create(sampleExecution('run'), { requestId: 'create again' });
      const runner = await takeOver(store, 'run');
      await runner.write({ entries: [sampleEntry('a')] });
      for (const commit of [last, fullCommit(old)]) {
        const late = { ...commit, epoch: runner.epoch, expectedSeq: runner.seq };
        await refuses(store, late);
        await refuses(store, { ...late, release: { dueAt: null, expectedSignals: runner.signals } });
      }
      await runner.write({ entries: [sampleEntry('b')] });
    },
  },
  {
    name: 'writes nothing for an unknown execution',
    run: async ({ store }) => {
      const runner = await begin(store);
      const outcome = await store.commit({ ...fullCommit(runner), executionId: 'unknown' });
      checkEqual(outcome, { status: 'fenced' }, 'The answer');
      checkEqual(await store.find('anyone', 'new'), undefined, 'The sub-workflow of the commit');
    },
  },
  {
    name: 'writes one of several concurrent commits that expect the same last event',
    run: async ({ store }) => {
      const runner = await begin(store);
      const commits = Array.from({ length: 6 }, (_, index) =>
        runner.commitOf({
          entries: [sampleEntry(`step-${index}`)],
          changes: [{ events: [sampleEvent('step-complete', `step-${index}`)] }],
        }),
      );
      const outcomes = await Promise.all(commits.map((commit) => store.commit(commit)));
      checkEqual(outcomes.filter(({ status }) => status === 'committed').length, 1, 'The number of commits written');
      const written = outcomes.findIndex(({ status }) => status === 'committed');
      checkEqual(await store.journal('anyone', 'run'), [sampleEntry(`step-${written}`)], 'The journal');
    },
  },
  {
    name: 'accepts a commit after the lease while no other runner has taken over',
    run: async ({ store, advance }) => {
      const runner = await begin(store);
      await advance(leaseMs * 2);
      await runner.write({ entries: [sampleEntry('a')] });
      checkEqual(await store.journal('anyone', 'run'), [sampleEntry('a')], 'The journal');
    },
  },
  {
    name: 'writes a repeated commit once, with the same result',
    run: async ({ store }) => {
      const runner = await begin(store);
      const commit = runner.commitOf({
        entries: [sampleEntry('a')],
        changes: [{ events: [sampleEvent('step-complete', 'a')] }],
        suspensions: [sampleSuspension('s-1', 'b')],
        timers: [{ path: 'c', wakeAt: 9_000 }],
      });
      const first = await store.commit(commit);
      await store.request('anyone', 'run', { kind: 'suspend', reason: 'wait' });
      const before = await snapshotOf(store, 'run');
      checkEqual(await store.commit(commit), first, 'The second answer');
      checkEqual(await snapshotOf(store, 'run'), before, 'What is stored');
    },
  },
  {
    name: 'writes a commit once when it is sent several times concurrently, with the same result for all',
    run: async ({ store }) => {
      const commit = fullCommit(await begin(store));
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => store.commit(commit)));
      const committed = { status: 'committed', signals: 0, seq: 2, childSeqs: { new: 1 } };
      checkEqual(
        outcomes,
        Array.from(outcomes, () => committed),
        'The answers',
      );
      const { journal, execution, events } = await snapshotOf(store, 'run');
      checkEqual(journal, commit.entries, 'The journal');
      checkEqual(execution?.suspensions, commit.suspensions, 'The suspensions');
      checkEqual(events['new']?.length, 1, 'The number of events of the sub-workflow');
    },
  },
  {
    name: 'gives a repeated commit the same result after it released or ended the execution, or another runner has taken over',
    run: async ({ store, advance }) => {
      const resting = await begin(store, { id: 'resting' });
      const rest = resting.commitOf({ release: { dueAt: 0, expectedSignals: 0 } });
      const ending = await begin(store, { id: 'ending' });
      const end = ending.commitOf({ changes: [{ status: 'completed', events: [sampleEvent('workflow-complete')] }] });
      const lost = await begin(store, { id: 'lost' });
      const late = lost.commitOf({ entries: [sampleEntry('a')] });
      const first = [await store.commit(rest), await store.commit(end), await store.commit(late)];
      await advance(leaseMs);
      await takeOver(store, 'lost');
      await takeOver(store, 'resting');
      const second = [await store.commit(rest), await store.commit(end), await store.commit(late)];
      checkEqual(second, first, 'The second answers');
      checkEqual((await store.events('anyone', 'ending', { after: 0, limit: 9 })).length, 2, 'The number of events');
    },
  },
  {
    name: 'writes nothing when a part of a commit cannot be written',
    run: async ({ store }) => {
      await begin(store, { id: 'elsewhere' });
      const runner = await begin(store);
      const faults: readonly (readonly [string, Commit['changes'][number]])[] = [
        ['names an unknown execution', { id: 'unknown', events: [sampleEvent('step-start')] }],
        ['names the execution of another tree', { id: 'elsewhere', events: [sampleEvent('step-start')] }],
        ['creates what is there', { id: 'elsewhere', created: sampleChild('run', 'sub'), events: [] }],
      ];
      for (const [fault, change] of faults) {
        const before = [await snapshotOf(store, 'run'), await snapshotOf(store, 'elsewhere')];
        const commit = fullCommit(runner);
        const rejected = await store.commit({ ...commit, changes: [...commit.changes, change] }).then(
          () => false,
          () => true,
        );
        check(rejected, `A commit that ${fault} should reject`);
        checkEqual([await snapshotOf(store, 'run'), await snapshotOf(store, 'elsewhere')], before, 'What is stored');
      }
      await runner.write({ entries: [sampleEntry('a')] });
    },
  },
];

/** A commit that changes every field. */
function fullCommit(runner: TestRunner): Commit {
  return runner.commitOf({
    entries: [sampleEntry('x')],
    changes: [
      { statePatch: { count: 1 }, events: [sampleEvent('step-complete', 'x')] },
      { id: 'new', created: sampleChild(runner.id, 'sub'), events: [sampleEvent('workflow-start')] },
    ],
    settled: ['a'],
    suspensions: [sampleSuspension('s-9', 'y')],
    timers: [{ path: 'z', wakeAt: 9_000 }],
  });
}

async function refuses(store: ExecutionStore, commit: Commit): Promise<void> {
  const before = await snapshotOf(store, commit.executionId);
  checkEqual(await store.commit(commit), { status: 'fenced' }, 'The answer');
  checkEqual(await snapshotOf(store, commit.executionId), before, 'What is stored');
  checkEqual(await store.find('anyone', 'new'), undefined, 'The sub-workflow of the commit');
}
