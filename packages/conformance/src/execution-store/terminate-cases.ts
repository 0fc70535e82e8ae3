import type { Termination } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleExecution, sampleSuspension } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

const last = [sampleEvent('workflow-cancelled'), sampleEvent('workflow-result')];
const termination: Termination = { run: last, child: last, grandchild: last, ended: last };

export const terminateCases: readonly ExecutionStoreCase[] = [
  {
    name: 'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        changes: [
          { id: 'child', created: sampleChild('run', 'sub') },
          { id: 'grandchild', created: sampleChild('child', 'sub/sub') },
          { id: 'ended', created: sampleChild('run', 'other'), status: 'completed', output: 1 },
        ],
      });
      await runner.write({
        suspensions: [sampleSuspension('s', 'a')],
        timers: [{ path: 'nap', wakeAt: 5_000 }],
        entries: [sampleEntry('price')],
      });
      await store.request('anyone', 'run', { kind: 'cancel', reason: 'no use' });
      const before = checkFound(await store.find('anyone', 'run'), 'The execution before');
      const ended = await snapshotOf(store, 'ended');
      checkEqual(await store.terminate('anyone', 'run', termination), 'terminated', 'The answer');

      const row = checkFound(await store.find('anyone', 'run'), 'The execution');
      const { request, resumptions, runner: holder, status, suspensions, timers } = row;
      checkEqual(
        { request, resumptions, holder, status, suspensions, timers },
        { request: null, resumptions: [], holder: null, status: 'cancelled', suspensions: [], timers: [] },
        'The row',
      );
      check(row.endedAt !== null, 'The row should say when it ended');
      check(row.epoch > before.epoch, `The epoch ${row.epoch} should have grown`);
      for (const id of ['run', 'child', 'grandchild']) {
        const { endedAt, seq, status: reached } = checkFound(await store.find('anyone', id), `The execution ${id}`);
        checkEqual([reached, endedAt], ['cancelled', row.endedAt], `The status and end of ${id}`);
        const events = await store.events('anyone', id, { after: seq - last.length, limit: 9 });
        checkEqual(
          events,
          last.map((event, index) => ({ seq: seq - last.length + index + 1, event })),
          `The last events of ${id}`,
        );
      }
      checkEqual(await snapshotOf(store, 'ended'), ended, 'The sub-workflow that had ended');
      checkEqual(
        (await store.journal('anyone', 'run')).map(({ path }) => path),
        ['price'],
        'The journal',
      );
      checkEqual(await dueCount(store), 0, 'What is due');
      checkEqual(await dueInMs(store), undefined, 'When the next is due');
      checkEqual(await store.claim('run', { runner: 'b', leaseMs }), undefined, 'A claim');
    },
  },
  {
    name: 'fences the runner of a terminated execution',
    run: async ({ store }) => {
      const runner = await begin(store);
      await store.terminate('anyone', 'run', termination);
      const after = await snapshotOf(store, 'run');
      const held = [{ executionId: 'run', epoch: runner.epoch }];
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), ['run'], 'What the runner has lost');
      const { seq } = checkFound(await store.find('anyone', 'run'), 'The execution');
      for (const expectedSeq of [runner.seq, seq]) {
        const late = runner.commitOf({ entries: [sampleEntry('late')], expectedSeq });
        checkEqual(await store.commit(late), { status: 'fenced' }, `A late commit after event ${expectedSeq}`);
      }
      checkEqual(await snapshotOf(store, 'run'), after, 'The execution');
    },
  },
  {
    name: 'terminates an execution whose definition no process has, and lets it be purged',
    run: async ({ store, advance }) => {
      await store.create(sampleExecution('run'), { requestId: 'r', definition: 'orders@gone' });
      await advance(1);
      checkEqual(await store.terminate('anyone', 'run', {}), 'terminated', 'The answer');
      checkEqual(await store.dueElsewhere(['orders'], [], 9), [], 'What is due with other definitions');
      await advance(1_000);
      checkEqual(await store.purge(1_000, 9), 1, 'How many are purged');
    },
  },
  {
    name: 'terminates no execution that has ended, is unknown, is of another user, or is a sub-workflow',
    run: async ({ store }) => {
      const runner = await begin(store, { userId: 'ada' });
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub', { userId: 'ada' }) }] });
      checkEqual(await store.terminate('anyone', 'child', termination), 'not-found', 'The answer for a sub-workflow');
      checkEqual(await store.terminate('anyone', 'unknown', {}), 'not-found', 'The answer for an unknown one');
      const before = await snapshotOf(store, 'run');
      checkEqual(await store.terminate({ user: 'eve' }, 'run', termination), 'not-found', 'The answer to another user');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
      checkEqual(await store.terminate({ user: 'ada' }, 'run', termination), 'terminated', 'The answer to its user');
      const ended = await snapshotOf(store, 'run');
      checkEqual(await store.terminate('anyone', 'run', termination), 'idle', 'A second answer');
      checkEqual(await snapshotOf(store, 'run'), ended, 'The execution that has ended');
    },
  },
  {
    name: 'gives the place of a terminated execution to another one, and its singleton key too',
    run: async ({ store }) => {
      const concurrency = { key: 'eu', limit: 1 };
      const singleton = { key: 'only', onBusy: 'skip' } as const;
      await store.create(sampleExecution('run'), { requestId: 'r', concurrency, singleton });
      await takeOver(store, 'run');
      await store.create(sampleExecution('next'), { requestId: 'n', concurrency });
      checkEqual(await store.claim('next', { runner: 'b', leaseMs }), undefined, 'A claim while the place is taken');
      await store.terminate('anyone', 'run', {});
      const next = await store.claimNext({ runner: 'b', leaseMs }, { definitions: { orders: 'orders' }, limit: 9 });
      checkEqual(
        next.claimed.map(({ execution }) => execution.id),
        ['next'],
        'What is due',
      );
      checkEqual(
        await store.create(sampleExecution('other'), { requestId: 'o', singleton }),
        'created',
        'The next with the key',
      );
    },
  },
  {
    name: 'names the definitions for which each runner with a lease has asked',
    run: async ({ store, advance }) => {
      // Optional.
      if (store.runners === undefined) return;
      const definitionsOf = async (name: string): Promise<unknown> =>
        (await store.runners?.())?.find(({ runner }) => runner === name)?.definitions;
      const held = await begin(store);
      checkEqual(await definitionsOf('a runner'), undefined, 'Those of a runner that has not asked');
      const definitions = { 'orders@1': 'orders@2', 'orders@2': 'orders@2' };
      await store.claimNext({ runner: 'a runner', leaseMs }, { definitions, limit: 9 });
      checkEqual(await definitionsOf('a runner'), ['orders@1', 'orders@2'], 'Those of a runner that has asked');
      await advance(leaseMs);
      checkEqual(await definitionsOf('a runner'), [], 'Those of a runner whose lease has run out');
      check(held.epoch > 0, 'The execution of the lost runner');
    },
  },
];
