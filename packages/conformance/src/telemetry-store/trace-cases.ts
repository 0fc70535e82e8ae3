import type { SpanRecord, TelemetryStore, TraceSummary } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import {
  aborted,
  failed,
  refused,
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

/** Summaries of traces. */
export const traceCases: readonly TelemetryStoreCase[] = [
  {
    name: 'summarizes a trace by its root, its span count and its latest end',
    run: async ({ store }) => {
      const root = sampleEntry(1, 1, 0, { endTime: sampleTime + 50 });
      await writeSpans(store, sampleSpan(1, 2, 10, { endTime: sampleTime + 70, ...failed }), root, sampleSpan(1, 3, 5));
      checkEqual(
        await summary(store),
        {
          traceId: traceId(1),
          rootSpan: root,
          spanCount: 3,
          startTime: sampleTime,
          endTime: sampleTime + 70,
          status: 'ok',
          entityId: 'helper',
          entityType: 'agent',
          models: [],
          inputTokens: 0,
          outputTokens: 0,
          cost: null,
        },
        'The summary',
      );
    },
  },
  {
    name: 'uses the earliest entry as the root, in whatever order the entries arrive',
    run: async ({ store }) => {
      const first = sampleEntry(1, 7, 10, { attributes: ofEntity('workflow', 'ship') });
      const later = sampleEntry(1, 2, 900, { attributes: ofEntity('workflow', 'other') });
      const latest = sampleEntry(1, 9, 950, { attributes: ofEntity('workflow', 'another') });
      for (const [span, root] of [
        [later, later],
        [sampleSpan(1, 3, 920), later],
        [first, first],
        [latest, first],
      ] as const) {
        await writeSpans(store, span);
        const { rootSpan, entityId, startTime } = await summary(store);
        const expected = [root, root.attributes['entity.id'], root.startTime];
        checkEqual([rootSpan, entityId, startTime], expected, `The root once ${span.name} has come`);
      }
    },
  },
  {
    name: 'uses the earliest span as the root while no entry has arrived',
    run: async ({ store }) => {
      await writeSpans(store, sampleSpan(1, 4, 30), sampleSpan(1, 3, 20, { attributes: ofEntity('tool', 'search') }));
      const before = await summary(store);
      checkEqual(before.rootSpan.name, 'span 3', 'The root');
      checkEqual([before.startTime, before.spanCount], [sampleTime + 20, 2], 'Start time and number of spans');
      checkEqual([before.entityType, before.entityId], ['tool', 'search'], 'The entity');
      await writeSpans(store, sampleEntry(1, 1, 10));
      const after = await summary(store);
      checkEqual([after.rootSpan.name, after.startTime], ['span 1', sampleTime + 10], 'The root after it has arrived');
    },
  },
  {
    name: 'takes the status of a trace from its latest entry only',
    run: async ({ store }) => {
      const steps: readonly (readonly [span: SpanRecord, status: string, end: number | null])[] = [
        [sampleEntry(1, 1, 0, running), 'running', null],
        [sampleSpan(1, 2, 5, failed), 'running', null],
        [sampleEntry(1, 1, 0, { endTime: sampleTime + 20 }), 'ok', 20],
        [sampleEntry(1, 5, 100, running), 'running', null],
        [sampleSpan(1, 6, 110), 'running', null],
        [sampleEntry(1, 5, 100, { endTime: sampleTime + 120, ...failed }), 'error', 120],
        [sampleEntry(1, 3, 50, { endTime: sampleTime + 60 }), 'error', 120],
        [sampleEntry(1, 4, 60, running), 'error', 120],
        [sampleEntry(1, 8, 200, running), 'running', null],
        [sampleEntry(1, 8, 200, { endTime: sampleTime + 210, status: { code: 0 } }), 'ok', 210],
        [sampleEntry(1, 9, 300, { endTime: sampleTime + 310, ...aborted }), 'aborted', 310],
        [sampleEntry(1, 7, 400, { endTime: sampleTime + 410, ...refused }), 'refused', 410],
      ];
      for (const [index, [span, status, end]] of steps.entries()) {
        await writeSpans(store, span);
        const is = await summary(store);
        const expected = [status, end === null ? null : sampleTime + end];
        checkEqual([is.status, is.endTime], expected, `Status and end after step ${index}`);
      }
    },
  },
  {
    name: 'has no entity when the root has none',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, 0, { attributes: {} }),
        sampleSpan(1, 2, 1, { attributes: ofEntity('agent', 'x') }),
      );
      const { entityId, entityType } = await summary(store);
      checkEqual([entityId, entityType], [null, null], 'The entity');
    },
  },
];

async function summary(store: TelemetryStore): Promise<TraceSummary> {
  const { traces, total } = await store.listTraces('anyone', page);
  checkEqual([traces.length, total], [1, 1], 'The number of traces');
  return checkFound(traces[0], 'The trace');
}
