import type { Attributes, Owner, SpanFilter, SpanRecord, TelemetryStore, TraceFilter } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { hostileText } from '../sample-values.ts';
import {
  allOf,
  failed,
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
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

const numbers = Array.from({ length: 9 }, (_, index) => index + 1);

/** Lists of traces and of runs. */
export const listCases: readonly TelemetryStoreCase[] = [
  {
    name: 'lists traces by start time, latest first, in whatever order they arrived',
    run: async ({ store }) => {
      await writeSpans(store, sampleEntry(3, 3, 30), sampleEntry(1, 1, 10), sampleEntry(4, 4, 40));
      await writeSpans(store, sampleSpan(2, 25, 50));
      checkEqual(await listedTraces(store), allOf(2, 4, 3, 1), 'The traces, one of them without its entry');
      await writeSpans(store, sampleEntry(2, 2, 20), sampleEntry(1, 15, 90));
      checkEqual(await listedTraces(store), allOf(4, 3, 2, 1), 'The traces, when all have arrived');
    },
  },
  {
    name: 'lists traces in pages, with the total of all that match',
    run: async ({ store }) => {
      await writeSpans(store, ...numbers.map((number) => sampleEntry(number, number, number)));
      const pages: readonly (readonly [Partial<TraceFilter>, readonly number[]])[] = [
        [{ limit: 4 }, [9, 8, 7, 6]],
        [{ limit: 4, offset: 4 }, [5, 4, 3, 2]],
        [{ limit: 4, offset: 8 }, [1]],
        [{ limit: 4, offset: 9 }, []],
        [{ limit: 4, offset: 100_000 }, []],
      ];
      for (const [filter, expected] of pages) {
        const is = await listedTraces(store, 'anyone', filter);
        checkEqual(is, { ids: expected.map(traceId), total: 9 }, `The page ${JSON.stringify(filter)}`);
      }
      const some = await listedTraces(store, 'anyone', { limit: 1, offset: 1, to: sampleTime + 3 });
      checkEqual(some, { ids: [traceId(2)], total: 3 }, 'A page of the matching traces');
    },
  },
  {
    name: 'lists each of several traces with the same start time on one page only',
    run: async ({ store }) => {
      await writeSpans(store, ...numbers.map((number) => sampleEntry(number, number, 0)));
      const ids: string[] = [];
      for (const offset of [0, 2, 4, 6, 8])
        ids.push(...(await listedTraces(store, 'anyone', { limit: 2, offset })).ids);
      checkEqual(ids.toSorted(), numbers.map(traceId).toSorted(), 'The traces of all pages');
    },
  },
  {
    name: 'combines the trace filters for entity, status and start time',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, 10),
        sampleEntry(2, 2, 20, { attributes: ofEntity('workflow', 'helper'), ...failed }),
        sampleEntry(3, 3, 30, { attributes: ofEntity('agent', 'writer'), ...running }),
        sampleSpan(3, 31, 31),
        sampleEntry(4, 4, 40, failed),
        sampleSpan(4, 41, 41, { attributes: ofEntity('tool', 'search') }),
      );
      const filters: readonly (readonly [Partial<TraceFilter>, readonly number[]])[] = [
        [{ entityId: 'helper' }, [4, 2, 1]],
        [{ entityType: 'agent' }, [4, 3, 1]],
        [{ entityType: 'agent', entityId: 'helper' }, [4, 1]],
        [{ entityType: 'tool' }, []],
        [{ entityId: 'search' }, []],
        [{ entityId: 'Helper' }, []],
        [{ entityId: 'help%' }, []],
        [{ entityId: '' }, []],
        [{ entityId: hostileText }, []],
        [{ status: 'ok' }, [1]],
        [{ status: 'error' }, [4, 2]],
        [{ status: 'running' }, [3]],
        [{ status: 'error', entityType: 'agent' }, [4]],
        [{ from: sampleTime + 20 }, [4, 3, 2]],
        [{ to: sampleTime + 20 }, [2, 1]],
        [{ from: sampleTime + 20, to: sampleTime + 30 }, [3, 2]],
        [{ from: sampleTime + 21, to: sampleTime + 29 }, []],
        [{ from: sampleTime + 11, to: sampleTime + 40, entityId: 'helper', status: 'error' }, [4, 2]],
        [{ entityId: undefined, status: undefined, from: undefined, to: undefined }, [4, 3, 2, 1]],
      ];
      for (const [filter, expected] of filters) {
        const is = await listedTraces(store, 'anyone', filter);
        checkEqual(is, allOf(...expected), `Those with ${JSON.stringify(filter)}`);
      }
    },
  },
  {
    name: 'filters traces by the user of an entry, within those of the owner',
    run: async ({ store }) => {
      const ofUsers = (...users: readonly string[]): { readonly attributes: Attributes } => ({
        attributes: { 'user.id': users[0] ?? '' },
      });
      await writeSpans(
        store,
        sampleEntry(1, 1, 10, ofUsers('ada')),
        sampleEntry(2, 2, 20, ofUsers('bob')),
        sampleEntry(3, 3, 30, ofUsers('bob')),
        sampleEntry(3, 31, 31, ofUsers('ada')),
        sampleEntry(4, 4, 40, ofUsers('bob')),
        sampleSpan(4, 41, 41, ofUsers('ada')),
      );
      const cases: readonly (readonly [Owner, string, readonly number[]])[] = [
        ['anyone', 'ada', [3, 1]],
        ['anyone', 'Ada', []],
        ['anyone', hostileText, []],
        [{ user: 'bob' }, 'ada', [3]],
        [{ user: 'ada' }, 'ada', [3, 1]],
        [{ user: 'eve' }, 'ada', []],
      ];
      for (const [owner, userId, expected] of cases) {
        const is = await listedTraces(store, owner, { userId });
        checkEqual(is, allOf(...expected), `Those of ${userId} for ${JSON.stringify(owner)}`);
      }
    },
  },
  {
    name: 'lists the runs of an agent, including delegated and running ones, newest first',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleSpan(2, 21, 50, { attributes: ofEntity('agent', 'helper') }),
        sampleEntry(1, 1, 10),
        sampleSpan(1, 11, 20, { attributes: ofEntity('tool', 'helper') }),
        sampleEntry(2, 2, 30, { attributes: ofEntity('agent', 'writer') }),
        sampleEntry(3, 3, 40, running),
        sampleSpan(3, 31, 60),
      );
      checkEqual(await runs(store), { names: ['span 21', 'span 3', 'span 1'], total: 3 }, 'The runs');
      checkEqual(await runs(store, { limit: 1, offset: 1 }), { names: ['span 3'], total: 3 }, 'A page of the runs');
      checkEqual(await runs(store, { offset: 3 }), { names: [], total: 3 }, 'A page after the last run');
      checkEqual(
        await runs(store, { entityId: 'writer' }),
        { names: ['span 2'], total: 1 },
        'The runs of another agent',
      );
      checkEqual(await runs(store, { entityType: 'tool' }), { names: ['span 11'], total: 1 }, 'The runs of a tool');
      checkEqual(await runs(store, { entityId: 'unknown' }), { names: [], total: 0 }, 'The runs of an unknown agent');
      const { spans: whole } = await store.listSpans('anyone', { ...helper, limit: 1 });
      const expected: readonly SpanRecord[] = [sampleSpan(2, 21, 50, { attributes: ofEntity('agent', 'helper') })];
      checkEqual(whole, expected, 'The record of a run');
    },
  },
  {
    name: 'filters runs by the user of the run',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, 10),
        sampleEntry(2, 2, 20, { attributes: ofEntity('agent', 'helper', 'ben') }),
        sampleEntry(3, 3, 30),
        sampleSpan(3, 31, 40, { attributes: ofEntity('agent', 'helper') }),
      );
      checkEqual(await runs(store, { userId: 'ada' }), { names: ['span 3', 'span 1'], total: 2 }, 'The runs of Ada');
      checkEqual(await runs(store, { userId: 'ben' }), { names: ['span 2'], total: 1 }, 'The runs of Ben');
      checkEqual(await runs(store, { userId: 'unknown' }), { names: [], total: 0 }, 'The runs of an unknown user');
      checkEqual(
        await runs(store, { userId: undefined }),
        { names: ['span 31', 'span 3', 'span 2', 'span 1'], total: 4 },
        'All',
      );
    },
  },
  {
    name: 'filters spans by model, status, kind, trace and time',
    run: async ({ store }) => {
      const callOf = (model: string): { readonly attributes: Attributes } => ({
        attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
      });
      await writeSpans(
        store,
        sampleEntry(1, 1, 10),
        sampleSpan(1, 11, 20, callOf('small')),
        sampleSpan(1, 12, 30, { ...callOf('small'), ...failed }),
        sampleEntry(2, 2, 40, failed),
        sampleSpan(2, 21, 50, callOf('large')),
        sampleEntry(3, 3, 60, running),
        sampleSpan(3, 31, 70, { ...callOf('small'), ...running }),
      );
      const filters: readonly (readonly [Partial<SpanFilter>, readonly number[]])[] = [
        [{}, [31, 3, 21, 2, 12, 11, 1]],
        [{ model: 'small', status: 'ended' }, [12, 11]],
        [{ model: 'small', status: 'error' }, [12]],
        [{ model: 'small', to: sampleTime + 20 }, [11]],
        [{ model: 'Small' }, []],
        [{ model: hostileText }, []],
        [{ status: 'error' }, [2, 12]],
        [{ status: 'ok' }, [21, 11, 1]],
        [{ status: 'running' }, [31, 3]],
        [{ status: 'ended' }, [21, 2, 12, 11, 1]],
        [{ isEntry: true }, [3, 2, 1]],
        [{ isEntry: true, status: 'error' }, [2]],
        [{ traceIds: [traceId(1), traceId(3)], status: 'ended' }, [12, 11, 1]],
        [{ traceIds: [] }, []],
        [{ traceIds: ['unknown', hostileText] }, []],
        [{ from: sampleTime + 30, to: sampleTime + 40 }, [2, 12]],
      ];
      for (const [filter, expected] of filters) {
        const { spans, total } = await store.listSpans('anyone', { ...page, ...filter });
        const is = { names: spans.map(({ name }) => name), total };
        const names = expected.map((number) => `span ${number}`);
        checkEqual(is, { names, total: names.length }, `Those with ${JSON.stringify(filter)}`);
      }
    },
  },
];

const helper = { ...page, entityType: 'agent', entityId: 'helper' };

async function runs(
  store: TelemetryStore,
  filter: Partial<Parameters<TelemetryStore['listSpans']>[1]> = {},
): Promise<{ readonly names: readonly string[]; readonly total: number }> {
  const { spans, total } = await store.listSpans('anyone', { ...helper, ...filter });
  return { names: spans.map(({ name }) => name), total };
}
