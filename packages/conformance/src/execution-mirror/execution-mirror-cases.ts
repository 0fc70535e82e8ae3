import type { Execution, ExecutionFilter, ExecutionMirror, Owner } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { everyRoot, sampleExecution } from '../execution-store/sample-records.ts';
import { ada } from '../sample-owners.ts';
import type { ExecutionMirrorCase } from './execution-mirror-harness.ts';

function sampleRoot(id: string, values: Partial<Execution> = {}): Execution {
  const { events: _events, ...given } = sampleExecution(id);
  return {
    ...given,
    creationId: `create ${id}`,
    status: 'running',
    definition: 'orders',
    priority: 0,
    concurrency: null,
    waitingSince: null,
    quarantinedAt: null,
    parentExecutionId: null,
    rootExecutionId: id,
    path: '',
    createdAt: 1_000,
    updatedAt: 1_000,
    endedAt: null,
    seq: 1,
    suspensions: [],
    resumptions: [],
    timers: [],
    request: null,
    rewinds: [],
    signals: 0,
    epoch: 0,
    runner: null,
    ...values,
  };
}

async function writeAll(mirror: ExecutionMirror, roots: readonly Execution[]): Promise<void> {
  for (const root of roots) await mirror.write(root, 1);
}

async function idsOf(
  mirror: ExecutionMirror,
  filter: Partial<ExecutionFilter> = {},
  owner: Owner = 'anyone',
): Promise<readonly string[]> {
  const { executions } = await mirror.list(owner, { ...everyRoot, ...filter });
  return executions.map(({ id }) => id);
}

/** The cases of every mirror of executions. */
export const executionMirrorCases: readonly ExecutionMirrorCase[] = [
  {
    name: 'returns what was written',
    run: async ({ mirror }) => {
      const root = sampleRoot('run', { output: { text: 'a\u0000b' }, userId: 'ada', metadata: { tenant: 't' } });
      await mirror.write(root, 1);
      checkEqual((await mirror.list('anyone', everyRoot)).executions, [root], 'The list');
    },
  },
  {
    name: 'keeps the newest revision of an execution, and replaces an earlier one of the same id',
    run: async ({ mirror }) => {
      const statusOf = async (): Promise<string | undefined> =>
        (await mirror.list('anyone', everyRoot)).executions[0]?.status;
      await mirror.write(sampleRoot('run', { status: 'suspended' }), 3);
      await mirror.write(sampleRoot('run'), 2);
      checkEqual(await statusOf(), 'suspended', 'The status after an older revision');
      await mirror.write(sampleRoot('run', { status: 'completed' }), 3);
      checkEqual(await statusOf(), 'completed', 'The status after the same revision');
      await mirror.write(sampleRoot('run', { creationId: 'again' }), 1);
      checkEqual(await statusOf(), 'running', 'The status of another execution with the id');
    },
  },
  {
    name: 'lists the newest first, in pages',
    run: async ({ mirror }) => {
      await writeAll(
        mirror,
        ['a', 'b', 'c', 'd', 'e'].map((id, index) => sampleRoot(id, { createdAt: 1_000 + index })),
      );
      const first = await mirror.list('anyone', { ...everyRoot, limit: 2 });
      checkEqual(
        first.executions.map(({ id }) => id),
        ['e', 'd'],
        'The first page',
      );
      checkEqual([first.hasMore, first.total], [true, 5], 'What follows it');
      checkEqual(await idsOf(mirror, { after: 'd', limit: 2 }), ['c', 'b'], 'The page after it');
      checkEqual(await idsOf(mirror, { offset: 3 }), ['b', 'a'], 'The page at an offset');
      const last = await mirror.list('anyone', { ...everyRoot, after: 'b' });
      checkEqual([last.executions.length, last.hasMore], [1, false], 'The last page');
      checkEqual((await mirror.list('anyone', { ...everyRoot, maxTotal: 3 })).total, 3, 'A total with a limit');
    },
  },
  {
    name: 'lists only what its owner may see and the filter matches',
    run: async ({ mirror }) => {
      await writeAll(mirror, [
        sampleRoot('of-ada', { userId: 'ada', metadata: { tenant: 't', deep: { a: 1 } }, createdAt: 2_000 }),
        sampleRoot('of-eve', { userId: 'eve', status: 'error', workflowId: 'returns' }),
        sampleRoot('lost', { quarantinedAt: 1_500, createdAt: 3_000 }),
      ]);
      checkEqual(await idsOf(mirror, {}, ada), ['of-ada'], 'Those of a user');
      checkEqual(await idsOf(mirror, { userId: 'eve' }, ada), [], 'Those of another user');
      checkEqual(await idsOf(mirror, { status: 'error' }), ['of-eve'], 'By status');
      checkEqual(await idsOf(mirror, { workflowId: 'returns' }), ['of-eve'], 'By workflow');
      checkEqual(await idsOf(mirror, { exceptWorkflowIds: ['orders'] }), ['of-eve'], 'Without a workflow');
      checkEqual(await idsOf(mirror, { ids: ['of-ada', 'none'] }), ['of-ada'], 'By id');
      checkEqual(await idsOf(mirror, { isQuarantined: true }), ['lost'], 'In quarantine');
      checkEqual(await idsOf(mirror, { from: 1_500, to: 2_500 }), ['of-ada'], 'By time');
      checkEqual(await idsOf(mirror, { metadata: { deep: { a: 1 } } }), ['of-ada'], 'By metadata');
      checkEqual(await idsOf(mirror, { metadata: { deep: {} } }), [], 'By other metadata');
      checkEqual(await idsOf(mirror, { after: 'of-ada' }, { user: 'eve' }), [], 'After one of another user');
    },
  },
  {
    name: 'returns no more bytes than asked for, and at least one execution',
    run: async ({ mirror }) => {
      await writeAll(
        mirror,
        ['a', 'b', 'c'].map((id, index) => sampleRoot(id, { createdAt: index, input: 'x'.repeat(10_000) })),
      );
      const page = await mirror.list('anyone', { ...everyRoot, maxBytes: 25_000 });
      check(page.executions.length === 2 && page.hasMore, `Two should be returned: ${page.executions.length}`);
      checkEqual(await idsOf(mirror, { maxBytes: 1 }), ['c'], 'A page of one byte');
    },
  },
  {
    name: 'finds what has ended and what a user has, and removes it',
    run: async ({ mirror }) => {
      await writeAll(mirror, [
        sampleRoot('late', { endedAt: 3_000, userId: 'ada', createdAt: 1 }),
        sampleRoot('early', { endedAt: 2_000 }),
        sampleRoot('open', { userId: 'ada', createdAt: 2 }),
      ]);
      checkEqual(await mirror.endedBy(3_000, 9), ['early', 'late'], 'What has ended');
      checkEqual(await mirror.endedBy(2_999, 9), ['early'], 'What had ended before');
      checkEqual(await mirror.endedBy(3_000, 1), ['early'], 'With a limit');
      checkEqual(await mirror.rootsOf('ada'), ['late', 'open'], 'What the user has');
      await mirror.remove(['early', 'open', 'none']);
      checkEqual(await idsOf(mirror), ['late'], 'What is left');
    },
  },
];
