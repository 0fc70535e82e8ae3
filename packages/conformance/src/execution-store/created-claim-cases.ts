import type { CreateOptions, ExecutionStore } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleEntry, sampleEvent, sampleExecution } from './sample-records.ts';
import { leaseMs, TestRunner } from './test-runner.ts';
import { dueCount } from './what-is-due.ts';

const claim = { runner: 'a', leaseMs };

/** Creates an execution with a claim. @returns the runner that has it, or why there is none. */
async function create(
  store: ExecutionStore,
  id: string,
  options: Partial<CreateOptions> = {},
): Promise<TestRunner | string> {
  const outcome = await store.create(sampleExecution(id), { requestId: id, claim, ...options });
  return typeof outcome === 'object' ? new TestRunner(store, outcome) : outcome;
}

export const createdClaimCases: readonly ExecutionStoreCase[] = [
  {
    name: 'claims an execution with its creation, and returns everything that its runner needs',
    run: async ({ store }) => {
      const values = { userId: 'ada', workflowState: { count: 1 }, metadata: { tenant: 't-1' } };
      const journal = [sampleEntry('b'), sampleEntry('a')];
      const resumptions = [{ path: 'c', suspensionId: '', data: { ok: true }, resumedBy: 'ada' }];
      const options = { requestId: 'r', journal, resumptions, priority: 3, definition: 'orders@2', claim };
      const created = await store.create(sampleExecution('run', values), options);
      if (typeof created !== 'object') return check(false, `It should be claimed, but is ${created}`);
      checkEqual(created.execution, checkFound(await store.find('anyone', 'run'), 'The execution'), 'What is returned');
      const { epoch, runner, status } = created.execution;
      checkEqual({ epoch, runner, status }, { epoch: 1, runner: 'a', status: 'running' }, 'What it becomes');
      const { checkpoint, children, claimsWithoutCommit, subject } = created;
      checkEqual(
        { checkpoint, children, claimsWithoutCommit, subject },
        { checkpoint: undefined, children: [], claimsWithoutCommit: 1, subject: 'user:ada' },
        'The claim',
      );
      checkEqual(created.journal, journal, 'The journal');
      checkEqual(await store.journal('anyone', 'run'), journal, 'The stored journal');
      check(Math.abs(created.now - created.execution.createdAt) < 60_000, 'The time should be that of the store');
      const first = new TestRunner(store, created);
      await first.write({ changes: [{ events: [sampleEvent('step-start', 'c')] }] });
      await first.finish();
      checkEqual((await store.find('anyone', 'run'))?.status, 'completed', 'The status at the end');
    },
  },
  {
    name: 'gives nobody else an execution that was claimed with its creation, until the lease of its runner ends',
    run: async ({ store, advance }) => {
      const first = await create(store, 'run');
      if (typeof first !== 'object') return check(false, `It should be claimed, but is ${first}`);
      const [lease, options] = [
        { runner: 'b', leaseMs },
        { definitions: { orders: 'orders' }, limit: 9 },
      ];
      checkEqual(await store.claim('run', lease), undefined, 'A claim of another process');
      checkEqual((await store.claimNext(lease, options)).claimed.length, 0, 'How many it claims of all that is due');
      checkEqual(await dueCount(store), 0, 'What is due');
      checkEqual(await store.renew([{ executionId: 'run', epoch: 1 }], claim), [], 'What its runner has lost');
      await advance(leaseMs + 1);
      const next = checkFound(await store.claim('run', lease), 'A claim after the lease');
      checkEqual(
        [next.execution.epoch, next.claimsWithoutCommit],
        [2, 2],
        'Its epoch, and the claims without a commit',
      );
      checkEqual((await store.commit(first.commitOf())).status, 'fenced', 'A commit of the first runner');
    },
  },
  {
    name: 'returns a claim once: a repeated creation gives it to no runner',
    run: async ({ store }) => {
      check(typeof (await create(store, 'run')) === 'object', 'It should be claimed');
      checkEqual(await create(store, 'run'), 'created', 'The answer to the same call');
      checkEqual(await create(store, 'run', { claim: { runner: 'b', leaseMs } }), 'created', 'That to another process');
      checkEqual(await create(store, 'run', { requestId: 'another' }), 'taken', 'That to another request');
      const { epoch, runner } = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual({ epoch, runner }, { epoch: 1, runner: 'a' }, 'Who has it');
      await store.create(sampleExecution('waits'), { requestId: 'waits' });
      checkEqual(await create(store, 'waits'), 'created', 'The answer for one that waits');
      checkEqual((await store.find('anyone', 'waits'))?.epoch, 0, 'Its epoch');
    },
  },
  {
    name: 'claims with its creation no execution that is due later, has a concurrency key or is refused',
    run: async ({ store }) => {
      const outcomes = [
        await create(store, 'delayed', { dueInMs: 60_000 }),
        await create(store, 'debounced', { debounce: { key: 'd', delayMs: 60_000 } }),
        await create(store, 'limited', { concurrency: { key: 'c', limit: 1 } }),
      ];
      checkEqual(outcomes, ['created', 'created', 'created'], 'The answers');
      const throttle = { key: 't', limit: 1, periodMs: 60_000 };
      check(typeof (await create(store, 'first', { throttle })) === 'object', 'The first of a throttle is claimed');
      checkEqual(await create(store, 'second', { throttle }), 'created', 'The second');
      const singleton = { key: 's', onBusy: 'skip' } as const;
      check(typeof (await create(store, 'only', { singleton })) === 'object', 'The first of a singleton is claimed');
      checkEqual(await create(store, 'another', { singleton }), 'skipped', 'The second');
      await store.create(sampleExecution('due'), { requestId: 'due', subject: 'eve' });
      checkEqual(await create(store, 'more', { subject: 'eve', maxWaiting: 1 }), 'full', 'One more than may wait');
      for (const id of ['delayed', 'debounced', 'limited', 'second']) {
        const { epoch, runner } = checkFound(await store.find('anyone', id), id);
        checkEqual({ epoch, runner }, { epoch: 0, runner: null }, `Who has ${id}`);
      }
    },
  },
];
