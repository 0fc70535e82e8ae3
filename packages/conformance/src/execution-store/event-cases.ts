import { checkEqual } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleChild, sampleEvent, sampleExecution } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';

export const eventCases: readonly ExecutionStoreCase[] = [
  {
    name: 'finds no event after a number that no event has',
    run: async ({ store }) => {
      await begin(store);
      for (const after of [1, 3e9, 1e300, Infinity])
        checkEqual(await store.events('anyone', 'run', { after, limit: 9 }), [], `The events after ${after}`);
      const all = await store.events('anyone', 'run', { after: -1e300, limit: 9 });
      checkEqual(all.length, 1, 'The number of events after a negative number');
    },
  },
  {
    name: 'numbers events from 1 without gaps in each execution, whatever else is written',
    run: async ({ store, advance }) => {
      let run = await begin(store);
      const other = await begin(store, { id: 'other' });
      await run.write({ changes: [{ id: 'child', created: sampleChild('run', 'sub') }] });
      for (let time = 0; time < 4; time += 1) {
        await other.write({ changes: [{ events: [sampleEvent(`other-${time}`)] }] });
        await run.write({
          changes: [
            { events: [sampleEvent(`a-${time}`), sampleEvent(`b-${time}`)] },
            { id: 'child', events: [sampleEvent(`child-${time}`)] },
          ],
        });
        await store.commit({ ...run.commitOf({ changes: [{ events: [sampleEvent('refused')] }] }), expectedSeq: 0 });
      }
      await advance(leaseMs);
      run = await takeOver(store, 'run');
      await run.write({ changes: [{ events: [sampleEvent('last')] }] });

      const types = async (id: string): Promise<readonly string[]> =>
        (await store.events('anyone', id, { after: 0, limit: 99 })).map(({ seq, event }) => `${seq} ${event.type}`);
      const written = ['workflow-start', ...[0, 1, 2, 3].flatMap((time) => [`a-${time}`, `b-${time}`]), 'last'];
      checkEqual(
        await types('run'),
        written.map((type, index) => `${index + 1} ${type}`),
        'The events of the root',
      );
      checkEqual(
        await types('child'),
        [0, 1, 2, 3].map((time) => `${time + 1} child-${time}`),
        'Those of the child',
      );
      checkEqual((await types('other')).length, 5, 'The number of events of the other execution');
      checkEqual((await store.find('anyone', 'run'))?.seq, 10, 'The number of the last event of the root');
    },
  },
  {
    name: 'adds the events of both changes when a commit changes one execution twice',
    run: async ({ store }) => {
      const runner = await begin(store);
      const outcome = await runner.write({
        changes: [
          { id: 'child', created: sampleChild('run', 'sub'), events: [sampleEvent('one')] },
          { events: [sampleEvent('two')] },
          { id: 'child', events: [sampleEvent('three')], status: 'completed' },
          { events: [sampleEvent('four')] },
        ],
      });
      checkEqual([outcome.seq, outcome.childSeqs], [3, { child: 2 }], 'The numbers of the last events');
      const events = await store.events('anyone', 'child', { after: 0, limit: 9 });
      checkEqual(
        events.map(({ seq, event }) => `${seq} ${event.type}`),
        ['1 one', '2 three'],
        'The events of the child',
      );
    },
  },
  {
    name: 'reads events after a number, in order, at most as many as requested',
    run: async ({ store }) => {
      const events = Array.from({ length: 9 }, (_, index) => sampleEvent(`event-${index + 1}`));
      await store.create(sampleExecution('run', { events }), { requestId: 'r' });
      const read = async (after: number, limit: number): Promise<readonly number[]> =>
        (await store.events('anyone', 'run', { after, limit })).map(({ seq }) => seq);
      checkEqual(await read(0, 3), [1, 2, 3], 'The first three');
      checkEqual(await read(3, 3), [4, 5, 6], 'The next three');
      checkEqual(await read(7, 3), [8, 9], 'The last');
      checkEqual(await read(9, 3), [], 'Those after the last');
      checkEqual(await read(99, 3), [], 'Those long after the last');
      checkEqual(await store.events('anyone', 'unknown', { after: 0, limit: 3 }), [], 'Those of an unknown execution');
    },
  },
  {
    name: 'reads the first events of several executions, without unknown ones',
    run: async ({ store }) => {
      const events = ['a', 'b', 'c'].map((type) => sampleEvent(type));
      await store.create(sampleExecution('long', { events }), { requestId: 'r' });
      await store.create(sampleExecution('short', { events: events.slice(0, 1) }), { requestId: 'r' });
      await store.create(sampleExecution('silent', { events: [] }), { requestId: 'r' });
      const histories = await store.histories('anyone', ['short', 'unknown', 'long', 'silent'], 2);
      checkEqual(
        Object.fromEntries([...histories].map(([id, history]) => [id, history.map(({ seq, event }) => [seq, event])])),
        {
          short: [[1, events[0]]],
          long: [
            [1, events[0]],
            [2, events[1]],
          ],
          silent: [],
        },
        'The histories',
      );
      checkEqual((await store.histories('anyone', [], 2)).size, 0, 'The number of histories of none');
    },
  },
  {
    name: 'leaves out the later events of several executions where they would have more than `maxBytes`',
    run: async ({ store }) => {
      const output = 'x'.repeat(20_000);
      const events = ['a', 'b', 'c', 'd'].map((from) => sampleEvent('step-complete', from, output));
      const ids = ['first', 'second', 'third'];
      for (const id of ids) await store.create(sampleExecution(id, { events }), { requestId: 'r' });
      const lengths = async (maxBytes?: number): Promise<readonly number[]> => {
        const histories = await store.histories('anyone', ids, 9, maxBytes);
        for (const history of histories.values())
          checkEqual(
            history,
            events.slice(0, history.length).map((event, index) => ({ seq: index + 1, event })),
            'The first events',
          );
        return ids.map((id) => histories.get(id)?.length ?? -1);
      };
      checkEqual(await lengths(), [4, 4, 4], 'All');
      checkEqual(await lengths(1_000_000), [4, 4, 4], 'All within a large limit');
      checkEqual(await lengths(1), [0, 0, 0], 'None within a small limit');
      const some = (await lengths(130_000)).reduce((sum, length) => sum + length, 0);
      checkEqual(some >= 1 && some <= 6, true, `Whether ${some} events of 20 KB are within 130 KB`);
    },
  },
  {
    name: 'ends the events of an execution where they would have more than `maxBytes`, but not before the first',
    run: async ({ store }) => {
      const output = 'x'.repeat(20_000);
      const events = ['a', 'b', 'c', 'd'].map((from) => sampleEvent('step-complete', from, output));
      await store.create(sampleExecution('long', { events }), { requestId: 'r' });
      for (const maxBytes of [1, 50_000, 1_000_000]) {
        const read: unknown[] = [];
        let pages = 0;
        for (;;) {
          const page = await store.events('anyone', 'long', { after: read.length, limit: 9, maxBytes });
          if (page.length === 0) break;
          read.push(...page);
          pages += 1;
        }
        checkEqual(
          read,
          events.map((event, index) => ({ seq: index + 1, event })),
          `The events in pages of ${maxBytes} bytes`,
        );
        checkEqual(
          maxBytes === 1 ? pages === 4 : maxBytes === 50_000 ? pages > 1 : pages === 1,
          true,
          `Whether ${pages} pages of ${maxBytes} bytes are as many as needed`,
        );
      }
      const one = await store.events('anyone', 'long', { after: 1, limit: 1, maxBytes: 1_000_000 });
      checkEqual(one, [{ seq: 2, event: events[1] }], 'One event within a large limit');
    },
  },
];
