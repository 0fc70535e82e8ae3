import { latencyBucketForDuration, latencyQuantile } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import {
  atStart,
  counted,
  day,
  groupsOf,
  hour,
  minute,
  modelCall,
  query,
  start,
  tokens,
  writeWorkflow,
} from './sample-metrics.ts';
import {
  failed,
  ofEntity,
  running,
  sampleEntry,
  sampleSpan,
  sampleTime,
  spanId,
  writeSpans,
} from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

/** Counted runs and model calls. */
export const metricCases: readonly TelemetryStoreCase[] = [
  {
    name: 'counts requests with their errors and durations in the interval of their start, and those before it together',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, atStart, { endTime: start + 3 * minute }),
        sampleEntry(2, 2, atStart + minute - 1, failed),
        sampleEntry(3, 3, atStart + minute, { attributes: {} }),
        sampleEntry(4, 4, atStart - minute - 1, { attributes: ofEntity('tool', 'search') }),
        sampleEntry(5, 5, atStart - 3 * minute, failed),
        sampleEntry(6, 6, atStart - 6 * minute - 1),
        sampleEntry(7, 7, atStart + 2 * minute),
        sampleEntry(8, 8, atStart, running),
        sampleSpan(1, 9, atStart),
        sampleSpan(1, 10, atStart, { attributes: ofEntity('tool', 'search') }),
      );
      const { groups, others, points, previous } = await store.metrics('anyone', query);
      checkEqual(
        points.map(counted),
        [
          [1, 0],
          [0, 0],
          [2, 1],
          [1, 0],
        ],
        'Requests and errors of each minute',
      );
      checkEqual(counted(previous), [1, 1], 'Requests and errors before');
      checkEqual([groups, others], [[], null], 'The groups');
      const durations = points.map(({ latencies }) =>
        latencies.flatMap((count, bucket) => (count > 0 ? [[bucket, count]] : [])),
      );
      const [short, long] = [latencyBucketForDuration(1), latencyBucketForDuration(3 * minute)];
      checkEqual(
        durations,
        [
          [[short, 1]],
          [],
          [
            [short, 1],
            [long, 1],
          ],
          [[short, 1]],
        ],
        'The durations of each minute',
      );
      const median = latencyQuantile(points[2]?.latencies ?? [], 0.95) ?? 0;
      check(Math.abs(median / (3 * minute) - 1) < 0.15, `The 95th percentile ${median} is near to three minutes`);
    },
  },
  {
    name: 'counts hours like minutes',
    run: async ({ store }) => {
      const from = Math.floor(sampleTime / hour) * hour;
      const at = from - sampleTime;
      await writeSpans(
        store,
        sampleEntry(1, 1, at),
        sampleEntry(2, 2, at + 2 * hour - 1),
        modelCall(2, 3, at + 2 * hour),
        sampleEntry(3, 4, at - 1),
      );
      const hours = await store.metrics('anyone', { ...query, from, to: from + 4 * hour, intervalMs: 2 * hour });
      checkEqual(
        hours.points.map(counted),
        [
          [2, 0],
          [0, 0],
        ],
        'Requests and errors of each two hours',
      );
      checkEqual(
        hours.points.map(tokens),
        [
          [0, 0, 0],
          [10, 3, 4],
        ],
        'Tokens of each two hours',
      );
      checkEqual(counted(hours.previous), [1, 0], 'Requests and errors before');
    },
  },
  {
    name: 'counts runs of agents and workflows, and calls of models, with their tokens and costs',
    run: async ({ store }) => {
      await writeWorkflow(store, 1);
      await writeSpans(
        store,
        sampleEntry(2, 21, atStart, { attributes: ofEntity('agent', 'helper', 'ben') }),
        modelCall(2, 22, atStart, { 'gen_ai.agent.id': 'helper', 'gen_ai.usage.cost': 0.5 }),
        modelCall(2, 23, atStart, { 'gen_ai.agent.id': 'helper', 'gen_ai.request.model': 'large' }, true),
      );
      const total = await store.metrics('anyone', query);
      checkEqual(
        total.points.map(tokens),
        [
          [0, 0, 0],
          [0, 0, 0],
          [30, 9, 12],
          [0, 0, 0],
        ],
        'The tokens of each minute',
      );
      checkEqual(
        total.points.map(({ cost }) => cost),
        [null, null, 0.5, null],
        'The costs of each minute',
      );
      const agents = await groupsOf(store, 'agent');
      checkEqual(agents, [['helper', 2, 0, 30, 0.5]], 'The agents');
      checkEqual(await groupsOf(store, 'workflow'), [['ship', 1, 0, 10, null]], 'The workflows');
      checkEqual(
        await groupsOf(store, 'model'),
        [
          ['small', 2, 0, 20, 0.5],
          ['large', 1, 1, 10, null],
        ],
        'The models',
      );
      checkEqual(
        await groupsOf(store, 'user'),
        [
          ['ben', 1, 0, 20, 0.5],
          ['ada', 1, 0, 10, null],
        ],
        'The users',
      );
      await writeSpans(
        store,
        modelCall(3, 31, atStart, { 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.output_tokens': 0 }),
      );
      const again = await store.metrics('anyone', query);
      checkEqual(
        again.points.map(({ unpricedCalls }) => unpricedCalls),
        [0, 0, 2, 0],
        'The calls of unknown cost of each minute, without one that used no tokens',
      );
    },
  },
  {
    name: 'counts for a user only what belongs to the user',
    run: async ({ store }) => {
      await writeWorkflow(store, 1);
      await writeSpans(
        store,
        sampleEntry(2, 21, atStart, { attributes: ofEntity('agent', 'helper', 'ben') }),
        modelCall(2, 22, atStart, { 'gen_ai.agent.id': 'helper' }),
        sampleEntry(3, 31, atStart, { attributes: ofEntity('agent', 'helper') }),
      );
      const { points, previous } = await store.metrics(ada, query);
      checkEqual(
        [points.map(counted), counted(previous)],
        [
          [
            [0, 0],
            [0, 0],
            [1, 0],
            [0, 0],
          ],
          [0, 0],
        ],
        'The requests of Ada',
      );
      checkEqual(
        points.map(tokens),
        [
          [0, 0, 0],
          [0, 0, 0],
          [10, 3, 4],
          [0, 0, 0],
        ],
        'The tokens of Ada',
      );
      checkEqual(await groupsOf(store, 'agent', ada), [['helper', 1, 0, 10, null]], 'The agents of Ada');
      checkEqual(await groupsOf(store, 'workflow', ada), [['ship', 1, 0, 10, null]], 'The workflows of Ada');
      checkEqual(await groupsOf(store, 'user', ada), [['ada', 1, 0, 10, null]], 'The users that Ada sees');
      checkEqual(await groupsOf(store, 'user', { user: "x' or true" }), [], 'What an unknown user sees');
    },
  },
  {
    name: 'counts a span once that is written again, with its last record',
    run: async ({ store }) => {
      const entry = sampleEntry(1, 1, atStart);
      await writeSpans(store, { ...entry, ...running });
      await writeSpans(store, entry);
      await writeSpans(store, entry, modelCall(1, 2, atStart));
      await writeSpans(store, { ...entry, ...running }, { ...entry, ...failed, endTime: entry.startTime + hour });
      await writeSpans(store, modelCall(1, 2, atStart, { 'gen_ai.request.model': 'large' }));
      const { points } = await store.metrics('anyone', query);
      checkEqual(
        points.map(counted),
        [
          [0, 0],
          [0, 0],
          [1, 1],
          [0, 0],
        ],
        'Requests and errors of each minute',
      );
      const latencies = points[2]?.latencies ?? [];
      checkEqual(latencies.indexOf(1), latencyBucketForDuration(hour), 'The duration');
      checkEqual(
        latencies.reduce((sum, count) => sum + count, 0),
        1,
        'The number of durations',
      );
      checkEqual(await groupsOf(store, 'model'), [['large', 1, 0, 10, null]], 'The models');
    },
  },
  {
    name: 'counts nothing more of a user whose spans were deleted from a trace of several users',
    run: async ({ store }) => {
      for (const [span, user] of [
        [11, 'aaron'],
        [12, 'ben'],
      ] as const)
        await writeSpans(store, sampleEntry(1, span, atStart, { attributes: ofEntity('agent', 'helper', user) }));
      // Until then, a store may count the call for either of them.
      await writeSpans(store, { ...modelCall(1, 13, atStart), parentSpanId: spanId(12) });
      await store.deleteUser('aaron');
      checkEqual(await groupsOf(store, 'user'), [['ben', 1, 0, 10, null]], 'The users');
      checkEqual(await groupsOf(store, 'agent'), [['helper', 1, 0, 0, null]], 'The agents');
      await store.deleteUser('ben');
      checkEqual(await groupsOf(store, 'user'), [], 'The users at the end');
      checkEqual(await groupsOf(store, 'model'), [], 'The models at the end');
    },
  },
  {
    name: 'counts nothing more of deleted users and purged days',
    run: async ({ store }) => {
      await writeWorkflow(store, 1);
      await writeSpans(store, sampleEntry(2, 21, atStart, { attributes: ofEntity('agent', 'helper', 'ben') }));
      await writeSpans(
        store,
        sampleEntry(3, 31, atStart - 3 * day, { attributes: ofEntity('agent', 'helper', 'ben') }),
      );
      await store.deleteUser('ada');
      const { points } = await store.metrics('anyone', query);
      checkEqual(
        points.map(counted),
        [
          [0, 0],
          [0, 0],
          [1, 0],
          [0, 0],
        ],
        'Requests and errors of each minute',
      );
      checkEqual(
        points.map(tokens),
        points.map(() => [0, 0, 0]),
        'The tokens of each minute',
      );
      checkEqual(await groupsOf(store, 'user'), [['ben', 1, 0, 0, null]], 'The users');
      checkEqual(await groupsOf(store, 'workflow'), [], 'The workflows');
      checkEqual(await groupsOf(store, 'model'), [], 'The models');
      await store.purge(sampleTime - day);
      const from = Math.floor(sampleTime / hour) * hour - 5 * day;
      const long = await store.metrics('anyone', { ...query, from, to: from + 10 * day, intervalMs: 10 * day });
      checkEqual(long.points.map(counted), [[1, 0]], 'Requests and errors after the purge');
    },
  },
];
