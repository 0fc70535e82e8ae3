import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { dueCount } from './what-is-due.ts';

export const leaseCases: readonly ExecutionStoreCase[] = [
  {
    name: 'grants one of several concurrent claims',
    run: async ({ store }) => {
      await store.create(sampleExecution('run'), { requestId: 'r' });
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) => store.claim('run', { runner: `runner-${index}`, leaseMs })),
      );
      const won = claims.filter((claim) => claim !== undefined);
      checkEqual(won.length, 1, 'The number of claims that won');
      const winner = claims.findIndex((claim) => claim !== undefined);
      checkEqual((await store.find('anyone', 'run'))?.runner, `runner-${winner}`, 'The runner that holds it');
    },
  },
  {
    name: 'lists the runners with a lease, and lost ones as long as they have executions',
    run: async ({ store, advance }) => {
      // Optional.
      if (store.runners === undefined) return;
      const list = async () => checkFound(await store.runners?.(), 'The list');
      const counts = async () =>
        (await list())
          .map(({ executions, runner }) => `${runner} ${executions}`)
          .toSorted((one, other) => one.localeCompare(other));
      checkEqual(await counts(), [], 'Those of an empty store');
      for (const id of ['one', 'two', 'three']) await store.create(sampleExecution(id), { requestId: 'r' });
      for (const id of ['one', 'two']) await store.claim(id, { runner: 'a', leaseMs });
      await store.renew([], { runner: 'b', leaseMs: 3 * leaseMs });
      checkEqual(await counts(), ['a 2', 'b 0'], 'A busy one and an idle one');
      const [before] = (await list()).filter(({ runner }) => runner === 'b');
      const { leaseUntil = 0, since = 0 } = before ?? {};
      check(leaseUntil - since < 4 * leaseMs && leaseUntil > since, `A lease from ${since} to ${leaseUntil}`);
      await advance(2 * leaseMs);
      await store.renew([], { runner: 'b', leaseMs: 3 * leaseMs });
      const [after] = (await list()).filter(({ runner }) => runner === 'b');
      checkEqual(after?.since, since, 'When a renewed lease began');
      check((after?.leaseUntil ?? 0) > leaseUntil, 'A renewed lease should end later');
      checkEqual(await counts(), ['a 2', 'b 0'], 'With a lost one');
      for (const id of ['one', 'two']) await store.claim(id, { runner: 'b', leaseMs });
      checkEqual(await counts(), ['b 2'], 'After its executions were claimed');
    },
  },
  {
    name: 'grants one of several concurrent claims when a lease has expired',
    run: async ({ store, advance }) => {
      await begin(store);
      await advance(leaseMs);
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) => store.claim('run', { runner: `runner-${index}`, leaseMs })),
      );
      checkEqual(claims.filter((claim) => claim !== undefined).length, 1, 'The number of claims that won');
    },
  },
  {
    name: 'returns everything that a runner needs with a claim',
    run: async ({ store }) => {
      await store.create(sampleExecution('run'), { requestId: 'r' });
      const first = checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'The claim');
      const { status, runner, epoch } = first.execution;
      checkEqual({ status, runner }, { status: 'running', runner: 'a' }, 'What is claimed');
      checkEqual((await store.find('anyone', 'run'))?.epoch, epoch, 'The epoch');
      checkEqual([first.journal, first.children, first.claimsWithoutCommit], [[], [], 1], 'What belongs to it');
      const { createdAt } = first.execution;
      check(first.now >= createdAt && first.now < createdAt + leaseMs, `The time should be the store's: ${first.now}`);
    },
  },
  {
    name: 'returns the journal and the sub-workflows of the whole tree with a later claim',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        entries: [sampleEntry('a'), sampleEntry('sub/b')],
        changes: [
          { id: 'child', created: sampleChild('run', 'sub') },
          { id: 'grandchild', created: sampleChild('child', 'sub/deep') },
        ],
      });
      await runner.rest(0);
      const claimed = checkFound(await store.claim('run', { runner: 'b', leaseMs }), 'The claim');
      checkEqual(claimed.journal, [sampleEntry('a'), sampleEntry('sub/b')], 'The journal');
      checkEqual(
        claimed.children.map(({ id, parentExecutionId, rootExecutionId, path }) => ({
          id,
          parentExecutionId,
          rootExecutionId,
          path,
        })),
        [
          { id: 'child', parentExecutionId: 'run', rootExecutionId: 'run', path: 'sub' },
          { id: 'grandchild', parentExecutionId: 'child', rootExecutionId: 'run', path: 'sub/deep' },
        ],
        'The sub-workflows',
      );
    },
  },
  {
    name: 'grants no claim of a second runner before the lease of the first has expired',
    run: async ({ store, advance }) => {
      const first = await begin(store);
      checkEqual(await store.claim('run', { runner: 'b', leaseMs }), undefined, 'A claim at once');
      await advance(leaseMs / 2);
      checkEqual(await store.claim('run', { runner: 'b', leaseMs }), undefined, 'A claim half a lease later');
      checkEqual(await dueCount(store), 0, 'What is due half a lease later');
      await advance(leaseMs / 2);
      const claimed = checkFound(await store.claim('run', { runner: 'b', leaseMs }), 'A claim after the lease');
      checkEqual(claimed.execution.runner, 'b', 'The runner that holds it');
      check(claimed.execution.epoch > first.epoch, 'The epoch should have grown');
    },
  },
  {
    name: 'renews the lease of everything that a runner has claimed',
    run: async ({ store, advance }) => {
      const held = await Promise.all(
        ['one', 'two'].map(async (id) => ({ executionId: id, epoch: (await begin(store, { id })).epoch })),
      );
      await advance(leaseMs / 2);
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), [], 'What is lost');
      await advance(leaseMs / 2);
      checkEqual(await dueCount(store), 0, 'What is due when the first lease is over');
      await advance(leaseMs / 2);
      checkFound(await store.claim('two', { runner: 'b', leaseMs }), 'A claim when the renewed lease is over');
    },
  },
  {
    name: 'extends the lease with each claim, and never shortens it',
    run: async ({ store, advance }) => {
      for (const id of ['first', 'second']) await store.create(sampleExecution(id), { requestId: 'r' });
      await takeOver(store, 'first');
      await advance(leaseMs / 2);
      const { epoch } = await takeOver(store, 'second');
      const held = [{ executionId: 'second', epoch }];
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs: 1 }), [], 'What is lost by a short renewal');
      await advance(leaseMs / 2);
      checkEqual(await dueCount(store), 0, 'What is due when the first lease is over');
    },
  },
  {
    name: 'reports what a runner has lost, and does not renew the lease of its new runner',
    run: async ({ store, advance }) => {
      const [old, stored] = [await begin(store), await begin(store, { id: 'stored' })];
      await store.rewind('anyone', {
        executionId: 'run',
        expectedSeq: old.seq,
        expectedSignals: old.signals,
        paths: [],
        entries: [],
      });
      checkFound(await store.claim('run', { runner: 'b', leaseMs: leaseMs - 1_000 }), 'The claim of the new runner');
      const held = [
        { executionId: 'run', epoch: old.epoch },
        { executionId: 'stored', epoch: stored.epoch },
        { executionId: 'unknown', epoch: 1 },
      ];
      const lost = await store.renew(held, { runner: 'a runner', leaseMs });
      checkEqual(lost.toSorted(), ['run', 'unknown'], 'What is lost');
      await advance(leaseMs - 1_000);
      checkEqual(await dueCount(store), 1, 'What is due');
    },
  },
  {
    name: 'does not renew a lease that has run out',
    run: async ({ store, advance }) => {
      const { epoch } = await begin(store);
      await advance(leaseMs);
      const held = [{ executionId: 'run', epoch }];
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), ['run'], 'What is lost');
      await begin(store, { id: 'other' });
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), ['run'], 'What is lost with a new lease');
      checkFound(await store.claim('run', { runner: 'b', leaseMs }), 'A claim of another runner');
    },
  },
  {
    name: 'takes from a runner what it does not know that it has claimed, one lease after the claim',
    run: async ({ store, advance }) => {
      const { epoch } = await begin(store);
      await begin(store, { id: 'forgotten' });
      const held = [{ executionId: 'run', epoch }];
      await advance(leaseMs / 2);
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), [], 'What is lost');
      checkEqual(await dueCount(store), 0, 'What is due before');
      await advance(leaseMs / 2);
      checkEqual(await store.renew(held, { runner: 'a runner', leaseMs }), [], 'What is lost then');
      checkEqual(await dueCount(store), 1, 'How many are due');
      checkEqual((await store.find('anyone', 'forgotten'))?.runner, null, 'Its runner');
    },
  },
  {
    name: 'raises the epoch with each claim',
    run: async ({ store }) => {
      const first = await begin(store);
      await first.rest(0);
      const epochs = [first.epoch];
      for (let time = 0; time < 3; time += 1) {
        const runner = await takeOver(store, 'run');
        epochs.push(runner.epoch);
        await runner.rest(0);
      }
      check(
        epochs.every((value, index) => index === 0 || value > (epochs[index - 1] ?? 0)),
        `Epochs should grow: ${epochs.join()}`,
      );
    },
  },
  {
    name: 'grants no claim on an execution that waits for a signal, has ended, is unknown, or is a sub-workflow',
    run: async ({ store, advance }) => {
      const waiting = await begin(store, { id: 'waiting' });
      await waiting.suspend(sampleSuspension('s-1', 'a', { executionId: 'waiting' }));
      const ended = await begin(store, { id: 'ended' });
      await ended.write({
        changes: [{ id: 'child', created: sampleChild('ended', 'sub') }],
      });
      await ended.finish();
      await advance(leaseMs * 10);
      for (const id of ['waiting', 'ended', 'child', 'unknown']) {
        checkEqual(await store.claim(id, { runner: 'b', leaseMs }), undefined, `A claim of ${id}`);
      }
    },
  },
  {
    name: 'counts consecutive claims without a commit',
    run: async ({ store, advance }) => {
      await store.create(sampleExecution('run'), { requestId: 'r' });
      const counts: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const claimed = checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'The claim');
        counts.push(claimed.claimsWithoutCommit);
        await advance(leaseMs);
      }
      await (await takeOver(store, 'run')).write({ entries: [sampleEntry('a')] });
      await advance(leaseMs);
      counts.push((await store.claim('run', { runner: 'a', leaseMs }))?.claimsWithoutCommit ?? 0);
      checkEqual(counts, [1, 2, 3, 1], 'The counts');
    },
  },
];
