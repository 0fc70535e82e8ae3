import type { JsonObject, NewExecutionEvent } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { hostileText, sampleValues, unstorableText } from '../sample-values.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import {
  everyRoot,
  sampleChild,
  sampleEntry,
  sampleEvent,
  sampleExecution,
  sampleSuspension,
} from './sample-records.ts';
import { begin, takeOver } from './test-runner.ts';
import { dueCount } from './what-is-due.ts';

export const valueCases: readonly ExecutionStoreCase[] = [
  ...Object.entries(sampleValues).map(([name, value]): ExecutionStoreCase => ({
    name: `returns values as they were written: ${name}`,
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
    name: 'returns a large output wherever it was written, also in part and after a rewind',
    run: async ({ store }) => {
      const [large, other] = ['\u0000 large'.repeat(1_000), { list: ['other'.repeat(1_000)] }];
      const eventsOf = (from: string): readonly NewExecutionEvent[] => [
        { type: 'step-complete', from, timestamp: '', output: large },
        { type: 'step-start', from: 'b', timestamp: '', input: large },
        { type: 'step-complete', from: 'b', timestamp: '', output: other },
        { type: 'step-complete', from: 'c', timestamp: '', output: large },
        { type: 'workflow-complete', from, timestamp: '', output: other },
        { type: 'workflow-result', from, timestamp: '', result: large },
      ];
      const runner = await begin(store, { events: [] });
      await runner.write({
        entries: [sampleEntry('a', large), sampleEntry('b', other), sampleEntry('sub/c', large)],
        changes: [
          { events: eventsOf('a') },
          { id: 'child', created: sampleChild('run', 'sub'), events: eventsOf('c') },
        ],
      });
      await runner.write({ entries: [sampleEntry('d', large)], changes: [{ events: eventsOf('d') }] });
      const all = [...eventsOf('a'), ...eventsOf('d')];
      const readFrom = async (after: number, limit: number): Promise<readonly NewExecutionEvent[]> =>
        (await store.events('anyone', 'run', { after, limit })).map(({ event }) => event);
      checkEqual(await readFrom(0, 99), all, 'The events');
      for (const after of [0, 1, 2, 5, 8, 11])
        checkEqual(await readFrom(after, 2), all.slice(after, after + 2), `Two events after ${after}`);
      const histories = await store.histories('anyone', ['run', 'child'], 5);
      const read = [...histories].map(([id, events]) => [id, events.map(({ event }) => event)] as const);
      checkEqual(new Map(read).get('run'), all.slice(0, 5), 'The history');
      checkEqual(new Map(read).get('child'), eventsOf('c').slice(0, 5), 'The history of the sub-workflow');
      const outputs = [large, other, large, large];
      checkEqual(
        (await store.journal('anyone', 'run')).map(({ output }) => output),
        outputs,
        'The journal',
      );
      await runner.rest(0);
      const next = await store.claim('run', { runner: 'b', leaseMs: 1_000 });
      checkEqual(
        next?.journal.map(({ output }) => output),
        outputs,
        'The journal of a claim',
      );
      const { seq, signals } = checkFound(await store.find('anyone', 'run'), 'The execution');
      const rewind = { executionId: 'run', expectedSeq: seq, expectedSignals: signals, paths: ['a'], entries: [] };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The answer to a rewind');
      checkEqual(await readFrom(0, 99), all, 'The events after it');
      const left = await store.journal('anyone', 'run');
      checkEqual(
        left.map(({ output, path }) => [path, output]),
        [
          ['b', other],
          ['sub/c', large],
          ['d', large],
        ],
        'What is left',
      );
    },
  },
  {
    name: 'distinguishes null from an absent value',
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
  ...[
    ['that look like a query', hostileText],
    ['that many databases refuse', unstorableText],
  ].map(([which, text = '']): ExecutionStoreCase => ({
    name: `accepts any ids, paths and texts, ${which}`,
    run: async ({ store }) => {
      const owner = { user: text };
      const names = { workflowId: text, workflowName: text, userId: text, conversationId: text };
      const event = sampleEvent(text, text, text);
      const given = sampleExecution(text, { ...names, events: [event] });
      for (const what of ['The answer', 'The answer again']) {
        checkEqual(await store.create(given, { requestId: text }), 'created', what);
      }
      await store.create(sampleExecution('other'), { requestId: 'r' });
      const { executions, total } = await store.list(owner, { ...everyRoot, workflowId: text, userId: text });
      checkEqual([executions.map(({ id }) => id), total], [[text], 1], 'The list');
      checkEqual(executions[0], { ...executions[0], id: text, ...names }, 'The execution');
      checkEqual(await dueCount(store, [text]), 1, 'What is due');

      const runner = await takeOver(store, text);
      const childId = `${text} child`;
      const child = { id: childId, created: sampleChild(text, text, names), events: [event] };
      const committed = runner.commitOf({
        commitId: text,
        entries: [sampleEntry(text, text)],
        changes: [{ statePatch: { [text]: text }, events: [event] }, child],
        suspensions: [sampleSuspension(text, text, { executionId: text, reason: text })],
        timers: [{ path: `${text}/nap`, wakeAt: 5 }],
      });
      const outcome = { status: 'committed', signals: 0, seq: 2, childSeqs: { [childId]: 1 } };
      checkEqual(await store.commit(committed), outcome, 'The answer to the commit');
      checkEqual(await store.commit(committed), outcome, 'The answer to it again');
      checkEqual(await store.journal(owner, text), [sampleEntry(text, text)], 'The journal');
      checkEqual(await store.events(owner, text, { after: 1, limit: 9 }), [{ seq: 2, event }], 'The events');
      const histories = await store.histories(owner, [childId], 9);
      checkEqual([...histories], [[childId, [{ seq: 1, event }]]], 'The history of the sub-workflow');

      const answer = { suspensionId: text, data: text, resumedBy: text };
      const resume = { executionId: text, ...answer, requestId: text };
      checkEqual(await store.resume(owner, resume), 'resumed', 'The answer to the resumption');
      await store.request(owner, text, { kind: 'suspend', reason: text });
      const { workflowState, resumptions, request } = checkFound(await store.find(owner, text), 'The execution');
      checkEqual(
        { workflowState, resumptions, request },
        {
          workflowState: { [text]: text },
          resumptions: [{ path: text, ...answer }],
          request: { kind: 'suspend', reason: text },
        },
        'What is known of it',
      );
      const rewind = { executionId: text, expectedSeq: 2, expectedSignals: 2, paths: [text], entries: [] };
      checkEqual(await store.rewind(owner, rewind), 'rewound', 'The answer to the rewind');
      const { timers, rewinds } = checkFound(await store.find(owner, text), 'The execution');
      checkEqual([timers, rewinds], [[], [{ paths: [text], seq: 2 }]], 'What is left, and the rewind');
      checkEqual((await store.find(owner, childId))?.status, 'cancelled', 'The status of the sub-workflow');
    },
  })),
  {
    name: 'returns records that later writes do not change',
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
