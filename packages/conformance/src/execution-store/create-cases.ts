import type { CreateOptions } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import { ada } from '../sample-owners.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { everyRoot, sampleChild, sampleEntry, sampleEvent, sampleExecution } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

export const createCases: readonly ExecutionStoreCase[] = [
  {
    name: 'creates a root that is running, has no runner and is due at once',
    run: async ({ store }) => {
      checkEqual(await store.create(sampleExecution('run'), { requestId: 'r' }), 'created', 'The answer');
      const execution = checkFound(await store.find('anyone', 'run'), 'The execution');
      const { status, parentExecutionId, rootExecutionId, path, endedAt, runner, seq } = execution;
      checkEqual(
        { status, parentExecutionId, rootExecutionId, path, endedAt, runner, seq },
        {
          status: 'running',
          parentExecutionId: null,
          rootExecutionId: 'run',
          path: '',
          endedAt: null,
          runner: null,
          seq: 1,
        },
        'What is found',
      );
      const { suspensions, resumptions, timers, rewinds, request } = execution;
      checkEqual(
        { suspensions, resumptions, timers, rewinds, request },
        { suspensions: [], resumptions: [], timers: [], rewinds: [], request: null },
        'What it waits for',
      );
      checkEqual(await dueInMs(store), 0, 'The time until it is due');
      checkEqual(await dueCount(store), 1, 'What is due');
    },
  },
  {
    name: 'tells the executions apart that have the same id one after the other',
    run: async ({ store, advance }) => {
      const old = await begin(store);
      checkEqual(old.creationId, 'create run', 'What the first claim returns');
      await old.finish();
      await advance(60_000);
      await store.purge(1_000, 9);
      await store.create(sampleExecution('run'), { requestId: 'create again' });
      const runner = await takeOver(store, 'run');
      const events = [sampleEvent('workflow-start')];
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub'), events }] });
      const { executions } = await store.list('anyone', everyRoot);
      checkEqual(
        [
          runner.creationId,
          (await store.find('anyone', 'run'))?.creationId,
          ...executions.map(({ creationId }) => creationId),
        ],
        ['create again', 'create again', 'create again'],
        'What is returned of the second',
      );
      checkEqual((await store.find('anyone', 'child'))?.creationId, 'child', 'What is found of a sub-workflow');
      const countEvents = async (id: string, creationId: string): Promise<number> =>
        (await store.events('anyone', id, { after: 0, limit: 9, creationId })).length;
      checkEqual(
        [await countEvents('run', 'create run'), await countEvents('run', 'create again')],
        [0, 1],
        'The number of events of the first and of the second',
      );
      checkEqual(await countEvents('child', 'child'), 1, 'The number of events of the sub-workflow');
    },
  },
  {
    name: 'creates an execution that is due later and cannot be claimed before',
    run: async ({ store, advance }) => {
      await store.create(sampleExecution('run'), { requestId: 'r', dueInMs: 120_000 });
      checkEqual(await dueCount(store), 0, 'What is due at once');
      check((await store.claim('run', { runner: 'a', leaseMs })) === undefined, 'It should not be claimed before');
      const waitMs = checkFound(await dueInMs(store), 'The time until it is due');
      check(waitMs > 60_000 && waitMs <= 120_000, `It should be about two minutes: ${waitMs}`);
      await advance(waitMs);
      checkEqual(await dueCount(store), 1, 'What is due then');
      checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'A claim then');
    },
  },
  {
    name: 'creates no execution with the id of a sub-workflow, and lets no runner claim that id',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub') }] });
      const outcome = await store.create(sampleExecution('child'), { requestId: 'another' });
      checkEqual(outcome, 'taken', 'The answer');
      checkEqual((await store.find('anyone', 'child'))?.parentExecutionId, 'run', 'Whose sub-workflow it is');
      checkEqual(await store.claim('child', { runner: 'a', leaseMs }), undefined, 'A claim of it');
    },
  },
  {
    name: 'lets a delayed execution be cancelled at once',
    run: async ({ store }) => {
      await store.create(sampleExecution('run'), { requestId: 'r', dueInMs: 120_000 });
      checkEqual(
        await store.request('anyone', 'run', { kind: 'cancel', reason: 'no longer' }),
        'requested',
        'The answer',
      );
      checkFound(await store.claim('run', { runner: 'a', leaseMs }), 'A claim');
    },
  },
  {
    name: 'stores all values of a new execution',
    run: async ({ store }) => {
      const given = sampleExecution('run', {
        workflowState: { count: 1 },
        metadata: { tenant: 't-1' },
        userId: 'ada',
        conversationId: 'talk',
        user: { id: 'ada', roles: ['clerk'] },
      });
      await store.create(given, { requestId: 'r' });
      const found = checkFound(await store.find(ada, 'run'), 'The execution');
      const { id, workflowId, workflowName, input, context, workflowState, metadata } = found;
      const { userId, conversationId, user } = found;
      const { events, ...values } = given;
      checkEqual(
        { id, workflowId, workflowName, input, context, workflowState, metadata, userId, conversationId, user },
        values,
        'The execution',
      );
      checkEqual(found.createdAt, found.updatedAt, 'The time it was changed');
      checkEqual(
        await store.events(ada, 'run', { after: 0, limit: 9 }),
        events.map((event) => ({ seq: 1, event })),
        'Its events',
      );
    },
  },
  {
    name: 'numbers the first events from 1',
    run: async ({ store }) => {
      const events = [sampleEvent('workflow-start'), sampleEvent('step-start', 'a')];
      await store.create(sampleExecution('run', { events }), { requestId: 'r' });
      checkEqual(
        await store.events('anyone', 'run', { after: 0, limit: 9 }),
        events.map((event, index) => ({ seq: index + 1, event })),
        'Its events',
      );
      checkEqual((await store.find('anyone', 'run'))?.seq, 2, 'The number of the last event');
    },
  },
  {
    name: 'refuses an id that is in use, and does not change its execution',
    run: async ({ store }) => {
      await store.create(sampleExecution('run'), { requestId: 'one' });
      const before = await snapshotOf(store, 'run');
      const other = sampleExecution('run', { input: 'another', events: [sampleEvent('another')] });
      checkEqual(await store.create(other, { requestId: 'two' }), 'taken', 'The answer');
      checkEqual(await snapshotOf(store, 'run'), before, 'What has the id');
    },
  },
  {
    name: 'gives a repeated create request the same result, and changes nothing',
    run: async ({ store }) => {
      const execution = sampleExecution('run');
      const answers = [];
      for (let time = 0; time < 2; time += 1) answers.push(await store.create(execution, { requestId: 'one' }));
      await store.claim('run', { runner: 'a', leaseMs });
      const before = await snapshotOf(store, 'run');
      answers.push(await store.create(execution, { requestId: 'one' }));
      checkEqual(answers, ['created', 'created', 'created'], 'The answers');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
    },
  },
  {
    name: 'creates one execution when concurrent requests use one id',
    run: async ({ store }) => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.create(sampleExecution('run', { input: index }), { requestId: `request ${index}` }),
        ),
      );
      check(
        answers.filter((answer) => answer === 'created').length === 1,
        `One should be created: ${JSON.stringify(answers)}`,
      );
      const winner = answers.indexOf('created');
      checkEqual((await store.find('anyone', 'run'))?.input, winner, 'The input of the one that was created');
      checkEqual((await store.events('anyone', 'run', { after: 0, limit: 9 })).length, 1, 'The number of its events');
    },
  },
  {
    name: 'creates nothing for a user of whom as many executions wait as may, and counts only those of the same definition and priority that are due',
    run: async ({ advance, store }) => {
      const create = (id: string, userId: string | undefined, options: Partial<CreateOptions> = {}) =>
        store.create(sampleExecution(id, userId === undefined ? {} : { userId }), {
          requestId: id,
          maxWaiting: 2,
          ...options,
        });
      for (const id of ['later-1', 'later-2']) await create(id, 'ada', { dueInMs: 60_000 });
      for (const id of ['other-1', 'other-2']) await create(id, 'ada', { definition: 'orders@2' });
      for (const id of ['urgent-1', 'urgent-2']) await create(id, 'ada', { priority: 1 });
      for (const id of ['none-1', 'none-2', 'none-3'])
        checkEqual(await create(id, undefined), 'created', 'Without a user');
      checkEqual(await create('first', 'ada'), 'created', 'The first');
      checkEqual(await create('second', 'ada'), 'created', 'The second');
      checkEqual(await create('third', 'ada'), 'full', 'The third');
      checkEqual(await store.find('anyone', 'third'), undefined, 'What is stored of it');
      checkEqual(await create('second', 'ada'), 'created', 'The second, requested again');
      checkEqual(await create('third', 'eve'), 'created', 'That of another user');
      await store.claim('first', { runner: 'a', leaseMs });
      checkEqual(await create('fourth', 'ada'), 'created', 'One when the first runs');
      checkEqual(await create('fifth', 'ada'), 'full', 'The next');
      checkEqual(await create('fifth', 'ada', { maxWaiting: 3 }), 'created', 'The same with a higher limit');
      await advance(60_000);
      checkEqual(await create('sixth', 'ada', { maxWaiting: 5 }), 'full', 'One when the later ones are due');
    },
  },
  {
    name: 'gives the first step the resumption that the execution was created with',
    run: async ({ store }) => {
      const resumptions = [{ path: 'b', suspensionId: '', data: { ok: true }, resumedBy: 'ada' }];
      const journal = [sampleEntry('a')];
      await store.create(sampleExecution('run'), { requestId: 'r', journal, resumptions });
      checkEqual((await store.find('anyone', 'run'))?.resumptions, resumptions, 'The resumptions');
      const claimed = await store.claim('run', { runner: 'a', leaseMs });
      checkEqual(claimed?.execution.resumptions, resumptions, 'The resumptions that the claim gives');
      checkEqual(claimed?.execution.signals, 0, 'The signals');
    },
  },
  {
    name: 'treats steps of a given journal as done',
    run: async ({ store }) => {
      const journal = [sampleEntry('a'), sampleEntry('b')];
      await store.create(sampleExecution('run'), { requestId: 'r', journal });
      checkEqual(await store.journal('anyone', 'run'), journal, 'The journal');
      const claimed = await store.claim('run', { runner: 'a', leaseMs });
      checkEqual(claimed?.journal, journal, 'The journal that the claim gives');
    },
  },
];
