import type { ExecutionStore, Quarantine } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase, ExecutionStoreHarness } from './execution-store-harness.ts';
import { sampleEntry, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { dueCount } from './what-is-due.ts';

const quarantine: Quarantine = {
  minClaims: 3,
  suspension: sampleSuspension('q', '#request', { executionId: 'run', kind: 'request' }),
  events: [{ type: 'workflow-suspended', from: 'orders', timestamp: '2026-01-01T00:00:00.000Z' }],
};

/** Claims an execution several times; each lease ends without a commit. */
async function claimInVain({ advance, store }: ExecutionStoreHarness, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    checkFound(await store.claim('run', { runner: `p-${time}`, leaseMs }), 'The claim');
    await advance(leaseMs);
  }
}

async function quarantined(store: ExecutionStore): Promise<readonly string[]> {
  const filter = { parentExecutionId: null, isQuarantined: true, limit: 9, offset: 0 } as const;
  const { executions, total } = await store.list('anyone', filter);
  checkEqual(total, executions.length, 'The number of quarantined executions');
  return executions.map(({ id }) => id);
}

export const quarantineCases: readonly ExecutionStoreCase[] = [
  {
    name: 'counts the claims in a row without a commit',
    run: async (harness) => {
      const { advance, store } = harness;
      await store.create(sampleExecution('run'), { requestId: 'r' });
      await claimInVain(harness, 2);
      const claimed = checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'The third claim');
      checkEqual(claimed.claimsWithoutCommit, 3, 'The claims');
      await advance(leaseMs);
      await (await takeOver(store, 'run')).write({ entries: [sampleEntry('a')] });
      await advance(leaseMs);
      const again = await store.claim('run', { runner: 'a', leaseMs });
      checkEqual(again?.claimsWithoutCommit, 1, 'The claims after a commit');
    },
  },
  {
    name: 'quarantines an execution after its lease, with its suspension and events, until it is resumed',
    run: async (harness) => {
      const { advance, store } = harness;
      const first = await begin(store);
      await first.write({ entries: [sampleEntry('a')] });
      await advance(leaseMs);
      await claimInVain(harness, 2);
      checkEqual(await store.quarantine('run', quarantine), false, 'A quarantine after two claims');
      const last = await takeOver(store, 'run');
      checkEqual(await store.quarantine('run', quarantine), false, 'A quarantine during a lease');
      await advance(leaseMs);
      const before = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(await store.quarantine('run', quarantine), true, 'A quarantine after three claims');
      checkEqual(await store.quarantine('run', quarantine), false, 'A second quarantine');
      checkEqual(await store.quarantine('unknown', quarantine), false, 'A quarantine of an unknown execution');

      const row = checkFound(await store.find('anyone', 'run'), 'The execution');
      const { epoch, runner, seq, status, suspensions } = row;
      checkEqual(
        { runner, status, suspensions },
        { runner: null, status: 'suspended', suspensions: [quarantine.suspension] },
        'The row',
      );
      check(row.quarantinedAt !== null, 'The row should say when it was quarantined');
      check(epoch > before.epoch && seq === before.seq + 1, `The epoch ${epoch} and the last event ${seq} should grow`);
      const [event] = await store.events('anyone', 'run', { after: before.seq, limit: 9 });
      checkEqual(event, { seq, event: quarantine.events[0] }, 'The event');
      checkEqual(
        (await store.commit(last.commitOf({ entries: [sampleEntry('b')] }))).status,
        'fenced',
        'A late commit',
      );
      checkEqual(
        (await store.journal('anyone', 'run')).map(({ path }) => path),
        ['a'],
        'The journal',
      );
      checkEqual(await dueCount(store), 0, 'What is due');
      await advance(leaseMs);
      checkEqual(await store.claim('run', { runner: 'a', leaseMs }), undefined, 'A claim');

      const resume = { executionId: 'run', suspensionId: 'q', data: null, requestId: 'again' };
      checkEqual(await store.resume('anyone', resume), 'resumed', 'The answer');
      const claimed = checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'The claim');
      checkEqual([claimed.claimsWithoutCommit, claimed.execution.quarantinedAt], [1, null], 'What was claimed');
    },
  },
  {
    name: 'lists the executions that are in quarantine',
    run: async (harness) => {
      const { advance, store } = harness;
      await begin(store, { id: 'healthy' });
      await store.create(sampleExecution('run'), { requestId: 'r' });
      await claimInVain(harness, 3);
      checkEqual(await quarantined(store), [], 'What is in quarantine at first');
      await store.quarantine('run', quarantine);
      checkEqual(await quarantined(store), ['run'], 'What is in quarantine');
      await store.request('anyone', 'run', { kind: 'cancel', reason: 'no use' });
      await advance(1);
      checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'The claim');
      checkEqual(await quarantined(store), [], 'What is in quarantine after a claim');
    },
  },
];
