import { latencyBucketForDuration } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { atStart, counted, groupsOf, minute, modelCall, query } from './sample-metrics.ts';
import { failed, ofEntity, sampleEntry, sampleSpan, writeSpans } from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

/** The groups in a list, and their counts. */
export const metricGroupCases: readonly TelemetryStoreCase[] = [
  {
    name: 'lists the groups with the most requests over time, and sums the others',
    run: async ({ store }) => {
      const of = (agent: string) => ({ attributes: ofEntity('agent', agent, agent) });
      for (const [index, agent] of ['b', 'c', 'a', 'c', 'b', 'c', 'd'].entries())
        await writeSpans(store, sampleEntry(index, index, atStart + (index % 2) * minute, of(agent)));
      await writeSpans(store, modelCall(0, 50, atStart, { 'gen_ai.agent.id': 'a', 'gen_ai.usage.cost': 2 }));
      for (const groupBy of ['agent', 'user'] as const) {
        const { groups, others } = await store.metrics('anyone', { ...query, groupBy, maxGroups: 2 });
        const shown = groups.map(({ id, requestsOverTime }) => [id, requestsOverTime]);
        checkEqual(
          shown,
          [
            ['c', [0, 0, 0, 3]],
            ['b', [0, 0, 2, 0]],
          ],
          `The first of ${groupBy}`,
        );
        checkEqual([others?.requests, others?.errors], [2, 0], `The others of ${groupBy}`);
      }
      const { groups, others, points } = await store.metrics('anyone', { ...query, groupBy: 'agent', group: 'a' });
      checkEqual([groups.map(({ id }) => id), others], [['a'], null], 'The only group');
      checkEqual(
        points.map(counted),
        [
          [0, 0],
          [0, 0],
          [1, 0],
          [0, 0],
        ],
        'The requests of one group',
      );
      checkEqual(
        points.map(({ cost }) => cost),
        [null, null, 2, null],
        'The costs of one group',
      );
      const unknown = await store.metrics('anyone', { ...query, groupBy: 'agent', group: "x' or true" });
      checkEqual(unknown.groups, [], 'The groups of an unknown agent');
    },
  },
  {
    name: 'counts a model call for the workflow that it names, and for no other of its trace',
    run: async ({ store }) => {
      const of = (workflow: string) => ({ attributes: ofEntity('workflow', workflow, 'ada') });
      const call = (trace: number, span: number, cost: number, workflow?: string) =>
        modelCall(trace, span, atStart, {
          'gen_ai.usage.cost': cost,
          ...(workflow !== undefined && { 'halyard.workflow.id': workflow }),
        });
      // A workflow whose sub-workflow and agent call models. Another run that enters the same trace
      // calls one too.
      await writeSpans(store, sampleEntry(1, 1, atStart, of('outer')));
      await writeSpans(store, call(1, 11, 1, 'outer'), call(1, 12, 2, 'inner'));
      await writeSpans(store, sampleSpan(1, 2, atStart, of('inner')));
      await writeSpans(
        store,
        sampleEntry(1, 3, atStart, { attributes: ofEntity('agent', 'helper', 'ada') }),
        call(1, 13, 4),
      );
      await writeSpans(store, call(1, 14, 8));
      // An agent whose tool starts a workflow.
      await writeSpans(store, sampleEntry(2, 21, atStart, { attributes: ofEntity('agent', 'helper', 'ada') }));
      await writeSpans(store, sampleEntry(2, 22, atStart, of('tool')), call(2, 23, 16));
      for (const owner of ['anyone', ada] as const) {
        const groups = await groupsOf(store, 'workflow', owner);
        checkEqual(
          groups.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
          [
            ['inner', 1, 0, 10, 2],
            ['outer', 1, 0, 10, 1],
            ['tool', 1, 0, 0, null],
          ],
          `The workflows that ${owner === 'anyone' ? 'an operator' : 'Ada'} sees`,
        );
      }
    },
  },
  {
    name: 'orders groups by requests, then by tokens, and counts in them only what started in the requested time',
    run: async ({ store }) => {
      const by = (agent: string) => ({ attributes: ofEntity('agent', agent, 'ada') });
      const calls = (agent: string, cost: number) => ({ 'gen_ai.agent.id': agent, 'gen_ai.usage.cost': cost });
      const [first, end] = [atStart - 2 * minute, atStart + 2 * minute];
      await writeSpans(
        store,
        sampleEntry(1, 1, first, by('twice')),
        sampleEntry(2, 2, first + minute - 1, by('twice')),
        sampleEntry(3, 3, first - 1, by('twice')),
        sampleEntry(4, 4, end, by('twice')),
        sampleEntry(5, 5, first - 4 * minute, by('before')),
        sampleEntry(6, 6, first - 4 * minute - 1, by('before')),
        sampleEntry(7, 7, atStart, { ...by('free'), ...failed }),
        sampleEntry(9, 9, atStart, by('dear')),
        modelCall(9, 91, atStart, calls('dear', 2)),
        modelCall(9, 92, atStart, calls('dear', 1)),
        sampleEntry(8, 8, atStart, by('cheap')),
        modelCall(8, 81, atStart, calls('cheap', 0.25)),
        modelCall(8, 82, atStart, { ...calls('cheap', 0.5), 'gen_ai.usage.output_tokens': 2 }),
      );
      const { groups, others, previous } = await store.metrics('anyone', {
        ...query,
        groupBy: 'agent',
        maxGroups: 2,
      });
      checkEqual(
        groups.map(({ cost, id, requestsOverTime }) => [id, requestsOverTime, cost]),
        [
          ['twice', [2, 0, 0, 0], null],
          ['dear', [0, 0, 1, 0], 3],
        ],
        'The first two',
      );
      checkEqual(
        groups[0]?.latencies[latencyBucketForDuration(1)],
        2,
        'How many requests of the first took a millisecond',
      );
      checkEqual(
        others,
        {
          requests: 2,
          errors: 1,
          aborted: 0,
          refused: 0,
          inputTokens: 20,
          outputTokens: 5,
          cachedInputTokens: 8,
          cost: 0.75,
          unpricedCalls: 0,
        },
        'The others together',
      );
      checkEqual(counted(previous), [2, 0], 'Requests and errors before');
      for (const [maxGroups, cost] of [
        [1, 3.75],
        [3, null],
      ] as const) {
        const { others: rest } = await store.metrics('anyone', { ...query, groupBy: 'agent', maxGroups });
        checkEqual(rest?.cost, cost, `The costs of all but ${maxGroups}`);
      }
      const all = await store.metrics('anyone', { ...query, groupBy: 'agent' });
      checkEqual(
        [all.groups.map(({ id }) => id), all.others],
        [['twice', 'dear', 'cheap', 'free'], null],
        'All groups, and the others',
      );
    },
  },
];
