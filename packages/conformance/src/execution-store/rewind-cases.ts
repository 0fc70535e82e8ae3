import type { RewindRequest } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleExecution, sampleSuspension } from './sample-records.ts';
import { snapshotOf } from './snapshot.ts';
import { begin, takeOver } from './test-runner.ts';
import { dueInMs } from './what-is-due.ts';

const below = ['a', 'a/x', 'a#condition', 'a:3', 'a:3/x', 'a:3#step-0/model'];
const beside = ['ab', 'a-b', 'a.b', 'ab/x', 'ab#condition', 'b', 'b/a', 'A', 'b#a'];

export const rewindCases: readonly ExecutionStoreCase[] = [
  {
    name: 'deletes the records of a path, of the paths below it, and of its instances and decisions, and nothing else',
    run: async ({ store }) => {
      const runner = await begin(store);
      const paths = [...below, ...beside].toSorted((one, other) => one.length - other.length);
      await runner.write({
        entries: paths.map((path) => sampleEntry(path)),
        suspensions: paths.map((path) => sampleSuspension(`s ${path}`, path)),
        timers: paths.map((path) => ({ path, wakeAt: 5_000 })),
      });
      for (const path of ['a/x', 'ab/x']) {
        await store.resume('anyone', {
          executionId: 'run',
          suspensionId: `s ${path}`,
          data: path,
          requestId: `for ${path}`,
        });
      }
      checkEqual(
        await store.rewind('anyone', {
          executionId: 'run',
          expectedSeq: 1,
          expectedSignals: 2,
          paths: ['a'],
          entries: [],
        }),
        'rewound',
        'The answer',
      );
      const stored = paths.filter((path) => beside.includes(path));
      const pathsOf = (items: readonly { readonly path: string }[]): unknown => items.map(({ path }) => path);
      checkEqual(pathsOf(await store.journal('anyone', 'run')), stored, 'What the journal keeps');
      const { suspensions, resumptions, timers } = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(
        pathsOf(suspensions.toSorted((one, other) => paths.indexOf(one.path) - paths.indexOf(other.path))),
        stored.filter((path) => path !== 'ab/x'),
        'The suspensions',
      );
      checkEqual(resumptions, [{ path: 'ab/x', suspensionId: 's ab/x', data: 'ab/x' }], 'The resumptions');
      checkEqual(
        pathsOf(timers.toSorted((one, other) => paths.indexOf(one.path) - paths.indexOf(other.path))),
        stored,
        'The timers',
      );
    },
  },
  {
    name: 'deletes nothing of another execution with the same steps',
    run: async ({ store }) => {
      const journal = [sampleEntry('a'), sampleEntry('a/x'), sampleEntry('b')];
      for (const id of ['run', 'other']) {
        await store.create(sampleExecution(id), { requestId: 'r', journal });
      }
      const rewind = { executionId: 'run', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: ['b'] };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      checkEqual(await store.journal('anyone', 'run'), [], 'What the journal keeps');
      checkEqual(await store.journal('anyone', 'other'), journal, 'What the journal of the other keeps');
    },
  },
  {
    name: 'deletes the given entries alone, and nothing below them',
    run: async ({ store }) => {
      const runner = await begin(store);
      const paths = ['checks', 'checks/stock', 'checks#condition', 'checks/credit'];
      await runner.write({ entries: paths.map((path) => sampleEntry(path)) });
      const rewind = {
        executionId: 'run',
        expectedSeq: 1,
        expectedSignals: 0,
        paths: ['checks/credit'],
        entries: ['checks'],
      };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      checkEqual(
        (await store.journal('anyone', 'run')).map(({ path }) => path),
        ['checks/stock', 'checks#condition'],
        'What the journal keeps',
      );
    },
  },
  {
    name: 'compares the characters of a path literally',
    run: async ({ store }) => {
      const runner = await begin(store);
      const paths = ['a%', 'ab', 'a_', 'a_/x', 'ax/x', 'a\\', 'a*'];
      await runner.write({ entries: paths.map((path) => sampleEntry(path)) });
      const rewind = {
        executionId: 'run',
        expectedSeq: 1,
        expectedSignals: 0,
        paths: ['a_', 'a%', 'a\\'],
        entries: [],
      };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      checkEqual(
        (await store.journal('anyone', 'run')).map(({ path }) => path),
        ['ab', 'ax/x', 'a*'],
        'What the journal keeps',
      );
    },
  },
  {
    name: 'makes a rewound execution due at once, without a runner and with a higher epoch, and records the rewind',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        entries: [sampleEntry('a'), sampleEntry('b')],
        changes: [{ events: [sampleEvent('step-complete', 'a'), sampleEvent('step-complete', 'b')] }],
      });
      await runner.suspend(sampleSuspension('s-1', 'c'));
      const resumption = { path: 'b', suspensionId: '', data: { ok: true }, resumedBy: 'ada' };
      const paths = ['b', 'c'];
      const rewind = { executionId: 'run', expectedSeq: 3, expectedSignals: 0, paths, entries: [], resumption };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      const execution = checkFound(await store.find('anyone', 'run'), 'The execution');
      const { status, runner: holder, suspensions, resumptions, rewinds, seq, signals, epoch } = execution;
      checkEqual(
        { status, holder, suspensions, resumptions, rewinds, seq, signals },
        {
          status: 'running',
          holder: null,
          suspensions: [],
          resumptions: [resumption],
          rewinds: [{ paths, seq: 3 }],
          seq: 3,
          signals: 1,
        },
        'The execution',
      );
      check(epoch > runner.epoch, 'The epoch should have grown');
      checkEqual(await dueInMs(store), 0, 'The time until it is due');
      checkEqual((await store.events('anyone', 'run', { after: 0, limit: 9 })).length, 3, 'The number of events');
      const claimed = await store.claim('run', { runner: 'b', leaseMs: 1_000 });
      checkEqual(claimed?.journal, [sampleEntry('a')], 'The journal');
    },
  },
  {
    name: 'changes the given states of the root and its sub-workflows, and no other',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        entries: [sampleEntry('a')],
        changes: [
          { statePatch: { count: 1, late: true, stays: 1, 'nul \0': 1 } },
          { id: 'open', created: sampleChild('run', 'a') },
          { id: 'beside', created: sampleChild('run', 'b') },
        ],
      });
      await runner.write({
        changes: [
          { id: 'open', statePatch: { count: 2, late: true } },
          { id: 'beside', statePatch: { count: 3 } },
        ],
      });
      const other = await begin(store, { id: 'other' });
      await other.write({ changes: [{ statePatch: { count: 4 } }] });
      const states: RewindRequest['states'] = [
        { id: 'run', unset: ['nul \0', 'late', 'unknown'], set: { count: 0, odd: '\ud800' } },
        { id: 'open', unset: ['count', 'late'], set: {} },
        { id: 'other', unset: [], set: { count: 9 } },
        { id: 'unknown', unset: [], set: { count: 9 } },
      ];
      const rewind = { executionId: 'run', expectedSeq: 1, expectedSignals: 0, paths: ['a/x'], entries: ['a'], states };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      const stateOf = async (id: string): Promise<unknown> =>
        checkFound(await store.find('anyone', id), id).workflowState;
      checkEqual(
        [await stateOf('run'), await stateOf('open'), await stateOf('beside'), await stateOf('other')],
        [{ count: 0, odd: '\ud800', stays: 1 }, {}, { count: 3 }, { count: 4 }],
        'The states',
      );
    },
  },
  {
    name: 'takes a rewound execution from its runner',
    run: async ({ store }) => {
      const runner = await begin(store);
      const rewind = { executionId: 'run', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      const leases = [{ executionId: 'run', epoch: runner.epoch }];
      checkEqual(await store.renew(leases, { runner: 'a runner', leaseMs: 1_000 }), ['run'], 'What is lost');
      const next = await takeOver(store, 'run');
      check(next.epoch > runner.epoch, 'The epoch should have grown');
    },
  },
  {
    name: 'notes which steps of a rewind get new idempotency keys, if these are not all',
    run: async ({ store }) => {
      await begin(store);
      const rewind = { executionId: 'run', expectedSeq: 1, paths: ['a', 'b'], entries: [] };
      const newKeys = ['a', 'b/ü\0'];
      await store.rewind('anyone', { ...rewind, expectedSignals: 0, newKeys });
      await store.rewind('anyone', { ...rewind, expectedSignals: 1, newKeys: [] });
      await store.rewind('anyone', { ...rewind, expectedSignals: 2 });
      const noted = { paths: ['a', 'b'], seq: 1 };
      checkEqual(
        (await store.find('anyone', 'run'))?.rewinds,
        [{ ...noted, newKeys }, { ...noted, newKeys: [] }, noted],
        'The rewinds',
      );
    },
  },
  {
    name: 'replaces the user of the root and its sub-workflows, if a rewind names one',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ changes: [{ id: 'inside', created: sampleChild('run', 'b') }] });
      await begin(store, { id: 'other' });
      const users = async (): Promise<unknown> =>
        Promise.all(['run', 'inside', 'other'].map(async (id) => (await store.find('anyone', id))?.user));
      const [before] = (await users()) as readonly unknown[];
      const rewind = { executionId: 'run', expectedSeq: 1, paths: ['a'], entries: [] };
      await store.rewind('anyone', { ...rewind, expectedSignals: 0 });
      checkEqual(await users(), [before, before, before], 'The users after a rewind without one');
      const user = { id: 'ada', roles: ['none'], 'nul \0': '\ud800' };
      await store.rewind('anyone', { ...rewind, expectedSignals: 1, user });
      checkEqual(await users(), [user, user, before], 'The users after a rewind with one');
    },
  },
  {
    name: 'rewinds nothing when the execution has changed since, or does not exist',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ entries: [sampleEntry('a')], changes: [{ events: [sampleEvent('step-complete', 'a')] }] });
      await store.request('anyone', 'run', { kind: 'suspend', reason: 'wait' });
      const before = await snapshotOf(store, 'run');
      const paths = ['a'];
      const answers = [
        await store.rewind('anyone', { executionId: 'run', expectedSeq: 1, expectedSignals: 1, paths, entries: [] }),
        await store.rewind('anyone', { executionId: 'run', expectedSeq: 2, expectedSignals: 0, paths, entries: [] }),
        await store.rewind('anyone', {
          executionId: 'unknown',
          expectedSeq: 0,
          expectedSignals: 0,
          paths,
          entries: [],
        }),
      ];
      checkEqual(answers, ['outdated', 'outdated', 'outdated'], 'The answers');
      checkEqual(await snapshotOf(store, 'run'), before, 'The execution');
    },
  },
  {
    name: 'accepts one of several concurrent rewinds',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.suspend(sampleSuspension('s-1', 'a'));
      const rewind = { executionId: 'run', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] };
      const answers = await Promise.all(Array.from({ length: 6 }, () => store.rewind('anyone', rewind)));
      checkEqual(answers.filter((answer) => answer === 'rewound').length, 1, 'The number of rewinds');
      checkEqual((await store.find('anyone', 'run'))?.rewinds.length, 1, 'The number of rewinds that are noted');
    },
  },
  {
    name: 'cancels the sub-workflows at the paths that have not ended, and no other',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({
        changes: [
          { id: 'open', created: sampleChild('run', 'a:1'), status: 'suspended' },
          { id: 'deep', created: sampleChild('open', 'a:1/sub') },
          { id: 'ended', created: sampleChild('run', 'a:2'), status: 'completed', output: 1 },
          { id: 'beside', created: sampleChild('run', 'ab') },
        ],
      });
      await store.rewind('anyone', {
        executionId: 'run',
        expectedSeq: 1,
        expectedSignals: 0,
        paths: ['a'],
        entries: [],
      });
      const statusOf = async (id: string): Promise<unknown> => {
        const { status, endedAt } = checkFound(await store.find('anyone', id), id);
        return [status, endedAt !== null];
      };
      checkEqual(
        [await statusOf('open'), await statusOf('deep'), await statusOf('ended'), await statusOf('beside')],
        [
          ['cancelled', true],
          ['cancelled', true],
          ['completed', true],
          ['running', false],
        ],
        'The sub-workflows, and whether they have ended',
      );
    },
  },
  {
    name: 'runs an ended execution again',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ entries: [sampleEntry('a')] });
      await runner.finish();
      const rewind = { executionId: 'run', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer');
      const execution = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual([execution.status, execution.endedAt, execution.output], ['running', null, undefined], 'It');
      checkEqual(await store.purge(0, 9), 0, 'The number of finished executions to delete');
      await (await takeOver(store, 'run')).finish();
      checkEqual((await store.find('anyone', 'run'))?.status, 'completed', 'The status in the end');
    },
  },
];
