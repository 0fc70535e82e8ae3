import type { JsonObject, JsonValue } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { everyRoot, sampleEntry, sampleEvent, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, takeOver } from './test-runner.ts';

const values: Readonly<Record<string, JsonValue>> = {
  nested: { a: [{ b: [[], {}, [null]] }], '': { '': '' } },
  unicode: { text: 'Größe 漢字 🦆 \u2028', quotes: `"'\\\n\t\u0001`, 'key \u00e9 🦆': 1 },
  'numbers that lose nothing': [0, -1, 1.5, 9_007_199_254_740_991, -9_007_199_254_740_991, 1e21, 5e-324, 1.7e308, 0.1],
  'empty values': ['', [], {}, null, false, 0],
  'a string of 100 kB': 'ä'.repeat(50_000),
  'a long list': Array.from({ length: 2_000 }, (_, index) => ({ index })),
};

export const valueCases: readonly ExecutionStoreCase[] = [
  ...Object.entries(values).map(([name, value]): ExecutionStoreCase => ({
    name: `gives values back as they were given, wherever they are: ${name}`,
    run: async ({ store }) => {
      const runner = await begin(store, { input: value, context: { value }, metadata: { value }, user: { value } });
      await runner.write({
        entries: [sampleEntry('a', value)],
        changes: [{ statePatch: { value }, events: [sampleEvent('step-complete', 'a', value)] }],
        suspensions: [sampleSuspension('s-1', 'b', { data: value }), sampleSuspension('s-2', 'c', { data: value })],
      });
      await store.resume('anyone', { executionId: 'run', suspensionId: 's-2', data: value, requestId: 'r' });
      const waiting = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(waiting.suspensions[0]?.data, value, 'The data of the suspension');
      checkEqual(waiting.resumptions[0]?.data, value, 'The data of the resumption');
      await runner.write({ changes: [{ status: 'completed', output: value }] });

      const execution = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual(execution.input, value, 'The input');
      checkEqual(execution.context, { value }, 'The context');
      checkEqual(execution.metadata, { value }, 'The metadata');
      checkEqual(execution.user, { value }, 'The user');
      checkEqual(execution.workflowState, { value }, 'The state');
      checkEqual(execution.output, value, 'The output');
      checkEqual((await store.journal('anyone', 'run'))[0]?.output, value, 'The output of the step');
      const events = await store.events('anyone', 'run', { after: 1, limit: 1 });
      checkEqual(events[0]?.event['output'], value, 'The event');
      const found = await store.list('anyone', { ...everyRoot, metadata: { value } });
      checkEqual(found.total, 1, 'The number with this metadata');
    },
  })),
  {
    name: 'tells a value that is null from one that is absent',
    run: async ({ store }) => {
      const runner = await begin(store, { input: null });
      checkEqual((await store.find('anyone', 'run'))?.output, undefined, 'The output before the end');
      await runner.write({ suspensions: [sampleSuspension('s-1', 'a'), sampleSuspension('s-2', 'b', { data: null })] });
      const { input, suspensions } = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual([input, ...suspensions.map(({ data }) => data === undefined)], [null, true, false], 'The values');
      await runner.write({ changes: [{ status: 'completed', output: null }] });
      checkEqual((await store.find('anyone', 'run'))?.output, null, 'The output in the end');
    },
  },
  {
    name: 'treats `__proto__` as a key and an id like any other',
    run: async ({ store }) => {
      const hostile = JSON.parse(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}',
      ) as JsonObject;
      const runner = await begin(store, { id: '__proto__', input: hostile, metadata: hostile });
      const { seq } = await runner.write({
        entries: [sampleEntry('__proto__', hostile)],
        changes: [{ statePatch: hostile, events: [sampleEvent('step-complete', '__proto__', hostile)] }],
      });
      checkEqual(seq, 2, 'The number of the last event');
      const execution = checkFound(await store.find('anyone', '__proto__'), 'The execution');
      checkEqual(
        [execution.input, execution.metadata, execution.workflowState],
        [hostile, hostile, hostile],
        'The values',
      );
      checkEqual((await store.journal('anyone', '__proto__'))[0]?.output, hostile, 'The output of the step');
      checkEqual('polluted' in {}, false, 'Whether every object is changed');
      const histories = await store.histories('anyone', ['__proto__', 'constructor'], 9);
      checkEqual([...histories.keys()], ['__proto__'], 'The histories');
      checkEqual((await store.list('anyone', { ...everyRoot, metadata: hostile })).total, 1, 'The number listed');
      const empty = JSON.parse('{"__proto__":{}}') as JsonObject;
      checkEqual((await store.list('anyone', { ...everyRoot, metadata: empty })).total, 0, 'The number of another');
    },
  },
  {
    name: 'takes ids and texts as they are, also those that look like a query',
    run: async ({ store }) => {
      const hostile = `'; DROP TABLE executions; -- %_\\"$1`;
      await store.create(
        sampleExecution('run', {
          workflowId: hostile,
          workflowName: hostile,
          userId: hostile,
          conversationId: hostile,
        }),
        { requestId: hostile },
      );
      await store.create(sampleExecution('other'), { requestId: 'r' });
      const { executions, total } = await store.list({ user: hostile }, { ...everyRoot, workflowId: hostile });
      checkEqual([executions.map(({ id }) => id), total], [['run'], 1], 'The list');
      checkEqual(executions[0]?.conversationId, hostile, 'The conversation');
      checkEqual(await store.find('anyone', hostile), undefined, 'What has this id');
      const runner = await takeOver(store, 'run');
      await runner.write({ entries: [sampleEntry(hostile)], suspensions: [sampleSuspension(hostile, hostile)] });
      checkEqual((await store.journal('anyone', 'run'))[0]?.path, hostile, 'The path');
      checkEqual(
        await store.resume('anyone', { executionId: 'run', suspensionId: hostile, data: hostile, requestId: hostile }),
        'resumed',
        'The answer',
      );
    },
  },
  {
    name: 'hands out records that later writes do not change',
    run: async ({ store }) => {
      const runner = await begin(store, { workflowState: { count: 0 } });
      await runner.write({ entries: [sampleEntry('a')], suspensions: [sampleSuspension('s-1', 'a')] });
      const records = [
        await store.find('anyone', 'run'),
        await store.journal('anyone', 'run'),
        await store.events('anyone', 'run', { after: 0, limit: 9 }),
        await store.list('anyone', everyRoot),
      ];
      const before = JSON.stringify(records);
      await runner.write({
        entries: [sampleEntry('b')],
        changes: [{ statePatch: { count: 1 }, events: [sampleEvent('step-start')] }],
        settled: ['a'],
        suspensions: [sampleSuspension('s-2', 'b')],
        timers: [{ path: 'c', wakeAt: 1 }],
      });
      await runner.finish();
      checkEqual(JSON.stringify(records), before, 'The records');
    },
  },
];
