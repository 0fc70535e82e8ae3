import type { Attributes, Owner, TraceFilter } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { hostileText } from '../sample-values.ts';
import { modelCall } from './sample-metrics.ts';
import {
  allOf,
  listedTraces,
  ofEntity,
  page,
  running,
  sampleEntry,
  sampleSpan,
  sampleTime,
  traceId,
  writeSpans,
} from './sample-telemetry.ts';
import type { TelemetryStoreCase, TelemetryStoreHarness } from './telemetry-store-harness.ts';

/** What lists of traces look for in all their spans. */
export const searchCases: readonly TelemetryStoreCase[] = [
  {
    name: 'finds traces by a text in one of their spans, within those of the owner',
    run: async ({ store }) => {
      const asked = (question: string, user: string): { readonly attributes: Attributes } => ({
        attributes: { ...ofEntity('agent', 'helper', user), 'gen_ai.input.messages': JSON.stringify([question]) },
      });
      await writeSpans(
        store,
        sampleEntry(1, 1, 10, asked('Where is the Lamp?', 'ada')),
        sampleEntry(2, 2, 20, asked('Where is the table?', 'ada')),
        sampleSpan(2, 21, 21, { name: 'find the lamp' }),
        sampleEntry(3, 3, 30, asked('A lamp, 50 % off', 'bob')),
      );
      const cases: readonly (readonly [Owner, Partial<TraceFilter>, readonly number[]])[] = [
        ['anyone', { text: 'lamp' }, [3, 2, 1]],
        ['anyone', { text: 'WHERE IS' }, [2, 1]],
        ['anyone', { text: 'lamp', userId: 'bob' }, [3]],
        ['anyone', { text: 'lamp', to: sampleTime + 20 }, [2, 1]],
        ['anyone', { text: 'l_mp' }, []],
        ['anyone', { text: '% off' }, [3]],
        ['anyone', { text: hostileText }, []],
        [{ user: 'ada' }, { text: 'lamp' }, [2, 1]],
        ['anyone', { text: 'lamp', entityType: 'tool' }, []],
      ];
      for (const [owner, filter, expected] of cases) {
        const is = await listedTraces(store, owner, filter);
        checkEqual(is, allOf(...expected), `Those with ${JSON.stringify(filter)} for ${JSON.stringify(owner)}`);
      }
      const one = await listedTraces(store, 'anyone', { text: 'lamp', limit: 1, offset: 1 });
      checkEqual(one, { ids: [traceId(2)], total: 3 }, 'A page of the traces with a text');
    },
  },
  {
    name: 'sums the tokens and the cost of the model calls of a trace',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, 0, { attributes: { ...ofEntity('agent', 'helper'), 'gen_ai.usage.input_tokens': 999 } }),
        modelCall(1, 11, 1, { 'gen_ai.request.model': 'small', 'gen_ai.usage.cost': 0.25 }),
        modelCall(1, 12, 2, { 'gen_ai.request.model': 'large', 'gen_ai.usage.cost': 0.5 }),
        modelCall(1, 13, 3, { 'gen_ai.request.model': 'Mini' }),
        { ...modelCall(1, 14, 4, { 'gen_ai.request.model': 'slow' }), ...running },
        sampleEntry(2, 2, 10),
      );
      const { traces } = await store.listTraces('anyone', page);
      checkEqual(
        traces.map(({ cost, inputTokens, models, outputTokens }) => ({ models, inputTokens, outputTokens, cost })),
        [
          { models: [], inputTokens: 0, outputTokens: 0, cost: null },
          { models: ['Mini', 'large', 'small'], inputTokens: 30, outputTokens: 9, cost: 0.75 },
        ],
        'The sums',
      );
    },
  },
  {
    name: 'filters traces by the agents, tools and models in them, and by duration, tokens and cost',
    run: async ({ store }) => {
      await writeSample(store);
      const filters: readonly (readonly [Partial<TraceFilter>, readonly number[]])[] = [
        [{ agentId: 'writer' }, [3, 2]],
        [{ agentId: 'search' }, []],
        [{ agentId: hostileText }, []],
        [{ toolName: 'search' }, [4, 2]],
        [{ toolName: 'writer' }, []],
        [{ model: 'large' }, [3]],
        [{ model: 'small' }, [2, 1]],
        [{ model: hostileText }, []],
        [{ agentId: 'writer', toolName: 'search', model: 'small' }, [2]],
        [{ minDurationMs: 20 }, [3, 2]],
        [{ minDurationMs: 21 }, [2]],
        [{ minTokens: 13 }, [3, 2, 1]],
        [{ minTokens: 14 }, [2]],
        [{ minCost: 0.5 }, [3, 1]],
        [{ minCost: 0.51 }, [3]],
        [{ minCost: 0 }, [4, 3, 2, 1]],
        [{ entityId: 'helper', model: 'small' }, [2, 1]],
        [{ entityId: 'helper', minCost: 0.5, to: sampleTime + 10 }, [1]],
      ];
      for (const [filter, expected] of filters) {
        const is = await listedTraces(store, 'anyone', filter);
        checkEqual(is, allOf(...expected), `Those with ${JSON.stringify(filter)}`);
      }
      checkEqual(await listedTraces(store, { user: 'bob' }, { agentId: 'writer' }), allOf(3), 'Those of a user');
    },
  },
  {
    name: 'filters traces by the feedback in them; a later rating replaces the one before',
    run: async ({ store }) => {
      const rating = (trace: number, given: string) =>
        sampleSpan(trace, trace + 50, trace * 10, { attributes: ofEntity('feedback', given) });
      await writeSpans(
        store,
        sampleEntry(1, 1, 10, { attributes: ofEntity('agent', 'helper', 'ada') }),
        rating(1, 'up'),
        sampleEntry(2, 2, 20, { attributes: ofEntity('agent', 'helper', 'bob') }),
        rating(2, 'up'),
        sampleEntry(3, 3, 30, { attributes: ofEntity('agent', 'up', 'ada') }),
      );
      await writeSpans(store, rating(1, 'down'));
      checkEqual(await listedTraces(store, 'anyone', { feedback: 'up' }), allOf(2), 'Those that were liked');
      checkEqual(await listedTraces(store, 'anyone', { feedback: 'down' }), allOf(1), 'Those that were not');
      checkEqual(await listedTraces(store, { user: 'bob' }, { feedback: 'down' }), allOf(), 'Those of a user');
      await writeSpans(store, rating(1, 'none'));
      checkEqual(await listedTraces(store, 'anyone', { feedback: 'down' }), allOf(), 'After it was withdrawn');
    },
  },
  {
    name: 'lists traces by their duration, tokens or cost, the greatest first',
    run: async ({ store }) => {
      await writeSample(store);
      const orders: readonly (readonly [Partial<TraceFilter>, readonly number[]])[] = [
        [{ sort: 'startTime' }, [4, 3, 2, 1]],
        [{ sort: 'duration' }, [2, 3, 1, 4]],
        [{ sort: 'tokens' }, [2, 3, 1, 4]],
        [{ sort: 'cost' }, [3, 1, 4, 2]],
        [{ sort: 'cost', agentId: 'writer' }, [3, 2]],
      ];
      for (const [filter, expected] of orders) {
        const is = await listedTraces(store, 'anyone', filter);
        checkEqual(is, allOf(...expected), `Those with ${JSON.stringify(filter)}`);
      }
      const second = await listedTraces(store, 'anyone', { sort: 'cost', limit: 1, offset: 1 });
      checkEqual(second, { ids: [traceId(1)], total: 4 }, 'The second page');
    },
  },
];

/** The fourth runs. */
async function writeSample(store: TelemetryStoreHarness['store']): Promise<void> {
  const call = (trace: number, span: number, attributes: Attributes) => modelCall(trace, span, trace * 10, attributes);
  await writeSpans(
    store,
    sampleEntry(1, 1, 10, { endTime: sampleTime + 15 }),
    call(1, 11, { 'gen_ai.usage.cost': 0.5 }),
    sampleEntry(2, 2, 20, { endTime: sampleTime + 50 }),
    sampleSpan(2, 21, 20, { attributes: ofEntity('agent', 'writer') }),
    sampleSpan(2, 22, 20, { attributes: ofEntity('tool', 'search') }),
    call(2, 23, {}),
    call(2, 24, {}),
    sampleEntry(3, 3, 30, { endTime: sampleTime + 50, attributes: ofEntity('agent', 'writer', 'bob') }),
    call(3, 31, { 'gen_ai.request.model': 'large', 'gen_ai.usage.cost': 2 }),
    sampleEntry(4, 4, 40, running),
    sampleSpan(4, 41, 40, { attributes: ofEntity('tool', 'search'), endTime: sampleTime + 900 }),
  );
}
