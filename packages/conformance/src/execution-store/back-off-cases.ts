import type { ExecutionStore, NextExecutions } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase, ExecutionStoreHarness } from './execution-store-harness.ts';
import { sampleEntry, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, TestRunner } from './test-runner.ts';

/** Much longer than a case takes. */
const minute = 60_000;
const lease = { runner: 'a', leaseMs };
const definitions = { orders: 'orders' };

async function create(store: ExecutionStore, ids: readonly string[]): Promise<void> {
  for (const id of ids) await store.create(sampleExecution(id), { requestId: id });
}

function idsOf({ claimed }: NextExecutions): readonly string[] {
  return claimed.map(({ execution }) => execution.id);
}

async function claimIds(store: ExecutionStore, limit: number, runner = 'a'): Promise<readonly string[]> {
  return idsOf(await store.claimNext({ runner, leaseMs }, { definitions, limit }));
}

/**
 * Claims an execution several times with `claimNext`; each lease ends without a commit, and each
 * back-off passes.
 */
async function claimInVain({ advance, store }: ExecutionStoreHarness, times: number): Promise<void> {
  for (let time = 1; time <= times; time += 1) {
    checkEqual(await claimIds(store, 1, `p-${time}`), ['run'], `Claim ${time}`);
    await advance(leaseMs);
    if (time > 1 && time < times) await advance(leaseMs * Math.min(2 ** (time - 1), 16) * 1.5);
  }
}

/** Executions of lost runners are claimed again, later each time. */
export const backOffCases: readonly ExecutionStoreCase[] = [
  {
    name: 'claims what a lost runner had, at once after the first claim without a commit',
    run: async ({ store, advance }) => {
      const lost = await begin(store, { id: 'lost' });
      await begin(store, { id: 'saved' }).then((runner) => runner.write({ entries: [sampleEntry('a')] }));
      checkEqual(await claimIds(store, 9), [], 'What is claimed during the lease');
      await advance(leaseMs);
      checkEqual((await claimIds(store, 9)).toSorted(), ['lost', 'saved'], 'What is claimed after it');
      checkEqual((await store.commit(lost.commitOf())).status, 'fenced', 'A commit of the lost runner');
      const held = [{ executionId: 'lost', epoch: lost.epoch }];
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), ['lost'], 'What it has lost');
    },
  },
  {
    name: 'leaves an execution alone that was claimed several times without a commit, longer each time up to 16 leases',
    run: async (harness) => {
      const { advance, store } = harness;
      await create(store, ['run']);
      await claimInVain(harness, 2);
      checkEqual(await claimIds(store, 1), [], 'After the second claim');
      await advance(2 * leaseMs - minute);
      checkEqual(await claimIds(store, 1), [], 'Before twice the lease has passed');
      const { nextDueInMs } = await store.claimNext(lease, { definitions, limit: 1 });
      check((nextDueInMs ?? 0) > 0 && (nextDueInMs ?? 0) <= minute + leaseMs, `It is due in ${nextDueInMs}`);
      await advance(leaseMs + minute);
      checkEqual(await claimIds(store, 1), ['run'], 'After three times the lease');
      await advance(leaseMs);
      checkEqual(await claimIds(store, 1), [], 'After the third claim');
      await advance(4 * leaseMs - minute);
      checkEqual(await claimIds(store, 1), [], 'Before four times the lease has passed');
      await advance(2 * leaseMs + minute);
      const [again] = (await store.claimNext(lease, { definitions, limit: 1 })).claimed;
      const runner = new TestRunner(store, checkFound(again, 'The claim after six times the lease'));
      checkEqual(again?.claimsWithoutCommit, 4, 'The claims without a commit');
      await runner.write({ entries: [sampleEntry('a')] });
      await advance(leaseMs);
      checkEqual(await claimIds(store, 1), ['run'], 'When a commit was written');
      for (const leases of [0, 3, 6, 12, 24, 24, 24]) {
        await advance(leaseMs);
        await advance(leases * leaseMs);
        checkEqual(await claimIds(store, 1), ['run'], `When ${leases} leases have passed`);
      }
    },
  },
  {
    name: 'returns executions that were lost together at different times',
    run: async ({ advance, store }) => {
      const ids = Array.from({ length: 24 }, (_, index) => `run-${index}`);
      await create(store, ids);
      for (const runner of ['p-1', 'p-2']) {
        await store.claimNext({ runner, leaseMs }, { definitions, limit: 24 });
        await advance(leaseMs);
      }
      checkEqual(await claimIds(store, 24), [], 'What is claimed when two runners were lost');
      await advance(2.5 * leaseMs);
      const early = (await claimIds(store, 24)).length;
      check(early > 0 && early < 24, `Half of them should have returned: ${early}`);
      await advance(leaseMs / 2);
      checkEqual((await claimIds(store, 24, 'b')).length, 24 - early, 'The number of the others later');
    },
  },
  {
    name: 'carries out a request of an execution that is left alone',
    run: async (harness) => {
      const { advance, store } = harness;
      await create(store, ['run']);
      await claimInVain(harness, 2);
      checkEqual(await claimIds(store, 1), [], 'What is claimed');
      await store.request('anyone', 'run', { kind: 'cancel', reason: '' });
      checkEqual(await claimIds(store, 1), ['run'], 'What is claimed after the request');
      await advance(leaseMs);
      checkEqual(await claimIds(store, 1), ['run'], 'What is claimed when that runner is lost, too');
    },
  },
  {
    name: 'claims an execution with a request until it has twice as many claims without a commit, and does not quarantine it before',
    run: async (harness) => {
      const { advance, store } = harness;
      const next = async (): Promise<readonly unknown[]> => {
        const found = await store.claimNext(lease, { definitions, limit: 2, maxClaims: 2 });
        return [idsOf(found), found.exhausted.map(({ claimsWithoutCommit }) => claimsWithoutCommit)];
      };
      const suspension = sampleSuspension('q', '#request', { executionId: 'run', kind: 'request' });
      const quarantine = { minClaims: 2, suspension, events: [] };
      await create(store, ['run']);
      await claimInVain(harness, 2);
      checkEqual(await next(), [[], [2]], 'What is claimed, and what is reported');
      await store.request('anyone', 'run', { kind: 'cancel', reason: '' });
      checkEqual(await store.quarantine('run', quarantine), false, 'A quarantine after the request');
      for (const time of ['first', 'second']) {
        checkEqual(await next(), [['run'], []], `The ${time} time after the request`);
        await advance(leaseMs);
      }
      checkEqual(await next(), [[], [4]], 'When that was in vain');
      checkEqual(await store.quarantine('run', quarantine), true, 'A quarantine then');
    },
  },
  {
    name: 'reports an execution with too many claims without a commit once in a lease instead of claiming it, until it is quarantined',
    run: async (harness) => {
      const { advance, store } = harness;
      await create(store, ['run']);
      await claimInVain(harness, 2);
      await create(store, ['other']);
      const next = async (): Promise<readonly unknown[]> => {
        const found = await store.claimNext(lease, { definitions, limit: 2, maxClaims: 2 });
        for (const one of found.claimed) await new TestRunner(store, one).finish();
        return [idsOf(found), found.exhausted];
      };
      const run = { executionId: 'run', workflowId: 'orders', claimsWithoutCommit: 2 };
      checkEqual(await next(), [['other'], [run]], 'What is claimed and reported');
      checkEqual(await next(), [[], []], 'What is reported again');
      await advance(leaseMs);
      checkEqual(await next(), [[], [run]], 'What is reported a lease later');
      const suspension = sampleSuspension('q', '#request', { executionId: 'run', kind: 'request' });
      const isDone = await store.quarantine('run', { minClaims: 2, suspension, events: [] });
      checkEqual(isDone, true, 'Whether it is quarantined');
      await advance(leaseMs);
      checkEqual(await next(), [[], []], 'What is reported then');
    },
  },
  {
    name: 'runs one at a time of the executions that have half of the claims without a commit after which they are exhausted',
    run: async ({ store, advance }) => {
      await create(store, ['one', 'two', 'three']);
      for (const runner of ['p-1', 'p-2']) {
        await store.claimNext({ runner, leaseMs }, { definitions, limit: 3 });
        await advance(leaseMs);
      }
      await advance(2 * leaseMs);
      await create(store, ['other']);
      const options = { definitions, limit: 9, maxClaims: 4 };
      await store.claimNext({ runner: 'c', leaseMs: 1_000 }, { definitions: {}, limit: 9, maxClaims: 4 });
      await advance(leaseMs);
      const next = await store.claimNext(lease, options);
      const found = idsOf(next);
      checkEqual([found.length, found.includes('other')], [2, true], 'How many are claimed, and whether the other is');
      check((next.nextDueInMs ?? 0) > 0, `The others should be due later: ${next.nextDueInMs}`);
      checkEqual(idsOf(await store.claimNext(lease, options)), [], 'What is claimed at once');
      await advance(leaseMs - minute);
      const held = next.claimed.map(({ execution }) => ({ executionId: execution.id, epoch: execution.epoch }));
      await store.renew(held, lease);
      await advance(minute);
      checkEqual(idsOf(await store.claimNext(lease, options)), [], 'What is claimed a lease later');
      const other = await store.claimNext({ runner: 'b', leaseMs }, options);
      checkEqual(other.claimed.length, 0, 'How many another runner claims, which the first has left alone');
      await store.renew(held, lease);
      for (const one of next.claimed) await new TestRunner(store, one).write({ entries: [sampleEntry('a')] });
      await advance(leaseMs - minute);
      await store.renew(held, lease);
      await advance(minute);
      checkEqual(
        (await store.claimNext(lease, options)).claimed.length,
        1,
        'How many when the first has made a commit',
      );
      checkEqual((await store.claimNext({ runner: 'b', leaseMs }, options)).claimed.length, 0, 'How many are due then');
    },
  },
];
