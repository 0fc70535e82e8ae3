import type { ExecutionStore } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleSuspension } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

export const resumeCases: readonly ExecutionStoreCase[] = [
  {
    name: 'makes a suspended execution due at once when it is resumed, with the answer',
    run: async ({ store }) => {
      await (await begin(store)).suspend(sampleSuspension('s-1', 'approve'));
      checkEqual([await dueCount(store), await dueInMs(store)], [0, undefined], 'What is due while it waits');
      checkEqual(await answer(store, 's-1', { requestId: 'r', resumedBy: 'ada' }), 'resumed', 'The answer');
      const { status, suspensions, resumptions } = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(
        { status, suspensions, resumptions },
        {
          status: 'running',
          suspensions: [],
          resumptions: [{ path: 'approve', suspensionId: 's-1', data: { ok: true }, resumedBy: 'ada' }],
        },
        'The execution',
      );
      checkEqual(await dueInMs(store), 0, 'The time until it is due');
      const { signals } = await takeOver(store, 'run');
      checkEqual(signals, 1, 'The signals that the claim returns');
    },
  },
  {
    name: 'accepts one of several concurrent answers to a suspension',
    run: async ({ store }) => {
      await (await begin(store)).suspend(sampleSuspension('s-1', 'approve'));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.resume('anyone', {
            executionId: 'run',
            suspensionId: 's-1',
            data: index,
            requestId: `request-${index}`,
          }),
        ),
      );
      check(answers.filter((each) => each === 'resumed').length === 1, `One should win: ${answers.join()}`);
      const { resumptions, signals } = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(
        resumptions,
        [{ path: 'approve', suspensionId: 's-1', data: answers.indexOf('resumed') }],
        'The resumption that its step receives',
      );
      checkEqual(signals, 1, 'The signals');
    },
  },
  {
    name: 'accepts the first of two consecutive answers',
    run: async ({ store }) => {
      await (await begin(store)).suspend(sampleSuspension('s-1', 'approve'));
      checkEqual(await answer(store, 's-1', { requestId: 'one' }), 'resumed', 'The first answer');
      const before = await snapshotOf(store, 'run');
      checkEqual(await answer(store, 's-1', { requestId: 'two' }), 'not-suspended', 'The second answer');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
    },
  },
  {
    name: 'resumes once for a repeated request, with the same result, also after the execution has continued',
    run: async ({ store }) => {
      await (await begin(store)).suspend(sampleSuspension('s-1', 'approve'));
      const answers = [
        await answer(store, 's-1', { requestId: 'one' }),
        await answer(store, 's-1', { requestId: 'one' }),
      ];
      const runner = await takeOver(store, 'run');
      await runner.write({ settled: ['approve'] });
      const before = await snapshotOf(store, 'run');
      answers.push(await answer(store, 's-1', { requestId: 'one' }));
      checkEqual(answers, ['resumed', 'resumed', 'resumed'], 'The answers');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
    },
  },
  {
    name: 'resumes only pending suspensions',
    run: async ({ store }) => {
      await (await begin(store)).suspend(sampleSuspension('s-1', 'approve'));
      const before = await snapshotOf(store, 'run');
      checkEqual(await answer(store, 's-2', { requestId: 'a' }), 'not-suspended', 'The answer for another suspension');
      const unknown = { executionId: 'unknown', suspensionId: 's-1', data: 1, requestId: 'b' };
      checkEqual(await store.resume('anyone', unknown), 'not-suspended', 'The answer for an unknown execution');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
      checkEqual(await dueCount(store), 0, 'What is due');
    },
  },
  {
    name: 'stores an answer for the current runner, which keeps its lease',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ suspensions: [sampleSuspension('s-1', 'a'), sampleSuspension('s-2', 'b')] });
      checkEqual(await answer(store, 's-2', { requestId: 'r' }), 'resumed', 'The answer');
      const execution = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(
        [execution.runner, execution.epoch, execution.signals, execution.suspensions.map(({ id }) => id)],
        ['a runner', runner.epoch, 1, ['s-1']],
        'The execution',
      );
      checkEqual(await dueCount(store), 0, 'What is due');
      const { signals } = await runner.write({ settled: ['b'] });
      checkEqual(signals, 1, 'The signals that the next commit returns');
    },
  },
  {
    name: 'resumes the suspension of a sub-workflow through the root',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub'), status: 'suspended' }] });
      await runner.suspend(sampleSuspension('s-1', 'sub/approve', { executionId: 'child' }));
      const ofChild = { executionId: 'child', suspensionId: 's-1', data: 1, requestId: 'a' };
      checkEqual(await store.resume('anyone', ofChild), 'not-suspended', 'The answer for the sub-workflow');
      checkEqual(await answer(store, 's-1', { requestId: 'b' }), 'resumed', 'The answer for the root');
      checkEqual((await store.find('anyone', 'child'))?.suspensions, [], 'The suspensions of the sub-workflow');
      checkEqual((await store.find('anyone', 'child'))?.status, 'suspended', 'The status of the sub-workflow');
    },
  },
];

function answer(
  store: ExecutionStore,
  suspensionId: string,
  by: { readonly requestId: string; readonly resumedBy?: string },
): Promise<'resumed' | 'not-suspended'> {
  return store.resume('anyone', { executionId: 'run', suspensionId, data: { ok: true }, ...by });
}
