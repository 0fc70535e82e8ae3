import type { JournalEntry } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEntry, sampleEvent } from './sample-records.ts';
import { begin, type TestRunner } from './test-runner.ts';

/** Long enough that stores may store it once, with characters of one to four bytes. */
const long = { text: '\u{1F600}é"\\\0\uD83E'.repeat(2_000) };
const timestamp = '2026-01-01T00:00:00.000Z';
const started = { type: 'step-start', from: 'b', timestamp, input: long };
const rootEvents = [
  sampleEvent('step-complete', 'a\u{1F600}', long),
  started,
  { type: 'workflow-result', from: 'orders', timestamp, result: long },
];
const childEvents = [sampleEvent('workflow-start'), sampleEvent('step-complete', 'x', long), started];

export const sharedValueCases: readonly ExecutionStoreCase[] = [
  {
    name: 'returns long values that were written again by later commits of the same execution',
    run: async ({ store }) => {
      const runner = await begin(store);
      await writeEverywhere(runner);
      await runner.write({
        entries: [sampleEntry('c', long), sampleEntry('sub/y', long)],
        changes: [
          { events: [started, sampleEvent('step-complete', 'c', long)] },
          { id: 'child', events: [sampleEvent('note'), started, sampleEvent('step-complete', 'y', long)] },
        ],
      });
      const later = await store.events('anyone', 'run', { after: 4, limit: 9 });
      checkEqual(
        later.map(({ event }) => event),
        [started, sampleEvent('step-complete', 'c', long)],
        'The later events',
      );
      checkEqual(JSON.stringify(later[0]?.event), JSON.stringify(started), 'The order of the fields');
      const ofChild = await store.events('anyone', 'child', { after: 3, limit: 9 });
      checkEqual(
        ofChild.map(({ event }) => event),
        [sampleEvent('note'), started, sampleEvent('step-complete', 'y', long)],
        'The later events of the sub-workflow',
      );
      const expected = [...entries, sampleEntry('c', long), sampleEntry('sub/y', long)];
      checkEqual(await store.journal('anyone', 'run'), expected, 'The journal');
    },
  },
  {
    name: 'keeps long values when equal ones are deleted, by a rewind or with another execution',
    run: async ({ advance, store }) => {
      const other = await begin(store, { id: 'other' });
      await other.write({ entries: [sampleEntry('a', long)], changes: [{ events: rootEvents }] });
      await other.finish();
      const runner = await begin(store);
      await writeEverywhere(runner);
      await advance(60_000);
      checkEqual(await store.purge(30_000, 9), 1, 'The number deleted');
      const rewind = { executionId: 'run', expectedSeq: 4, expectedSignals: 0, paths: ['a'], entries: [] };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer to the rewind');
      checkEqual(await store.journal('anyone', 'run'), entries.slice(1), 'The journal');
      const histories = await store.histories('anyone', ['run', 'child'], 9);
      checkEqual(histories.get('run')?.[3]?.event, rootEvents[2], 'The last event of the root');
      checkEqual(histories.get('child')?.[2]?.event, started, 'The last event of the sub-workflow');
    },
  },
];

const entries: readonly JournalEntry[] = [
  sampleEntry('a', long),
  sampleEntry('b', long),
  sampleEntry('sub/x', long),
  sampleEntry('short', 1),
];

async function writeEverywhere(runner: TestRunner): Promise<void> {
  await runner.write({
    entries,
    changes: [
      { events: rootEvents },
      { id: 'child', created: sampleChild(runner.id, 'sub'), output: long, events: childEvents },
    ],
  });
}
