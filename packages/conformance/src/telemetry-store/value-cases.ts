import type { SpanRecord } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { sampleValues, unstorableText } from '../sample-values.ts';
import {
  page,
  sampleEntry,
  sampleLog,
  sampleSpan,
  sampleTime,
  spanId,
  traceId,
  writeLogs,
  writeSpans,
} from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

/** Values that are returned as they were written. */
export const valueCases: readonly TelemetryStoreCase[] = [
  {
    name: 'returns all fields of a span',
    run: async ({ store }) => {
      const spans: readonly SpanRecord[] = [
        sampleEntry(1, 1, 0, {
          parentSpanId: spanId(99),
          kind: 2,
          status: { code: 2, message: 'Größe 🦆 é' },
          attributes: { text: 'a', number: 0.5, yes: true, texts: ['a', ''], numbers: [1, -2.5], flags: [true, false] },
          events: [
            { name: 'e', time: sampleTime + 1, attributes: { a: 1 } },
            { name: '', time: sampleTime },
          ],
          links: [
            { traceId: traceId(7), spanId: spanId(7), attributes: { why: 'resumed' } },
            { traceId: traceId(8), spanId: spanId(8) },
          ],
          resource: { 'service.name': 'shop', 'service.version': '1.2.3' },
          instrumentationScope: { name: 'other' },
        }),
        sampleSpan(1, 2, 1, {
          kind: 4,
          endTime: null,
          status: { code: 0 },
          attributes: { nothing: undefined, empty: [] },
        }),
      ];
      await writeSpans(store, ...spans);
      checkEqual(await store.findTrace('anyone', traceId(1)), spans, 'The spans');
      checkEqual(await store.findSpan('anyone', spanId(1)), spans[0], 'One span');
      const { traces } = await store.listTraces('anyone', page);
      checkEqual(traces[0]?.rootSpan, spans[0], 'The root of the trace');
    },
  },
  {
    name: 'returns the attributes that a span computes, and prefers those that it was given',
    run: async ({ store }) => {
      const given = { 'entity.type': 'agent', 'entity.id': 'helper', both: 'given' };
      const span = sampleEntry(1, 1, 0, { attributes: given });
      await writeSpans(store, {
        ...span,
        describe: () => ({ computed: [1, 2], both: 'computed' }),
        describeBytes: 100,
      });
      const expected = { ...span, attributes: { computed: [1, 2], ...given } };
      checkEqual(await store.findSpan('anyone', spanId(1)), expected, 'The span');
      checkEqual(await store.findTrace('anyone', traceId(1)), [expected], 'The spans of the trace');
      const { traces } = await store.listTraces('anyone', page);
      checkEqual(traces[0]?.rootSpan, expected, 'The root of the trace');
      const { spans: runs } = await store.listSpans('anyone', { ...page, entityType: 'agent', entityId: 'helper' });
      checkEqual(runs, [expected], 'The runs');
    },
  },
  {
    name: 'stores any text in spans, including large texts and characters that databases reject',
    run: async ({ store }) => {
      const texts = {
        refused: unstorableText,
        [unstorableText]: 'a name',
        many: [unstorableText, ''],
        large: '🦆é'.repeat(100_000),
      };
      const span = sampleEntry(1, 1, 0, {
        name: unstorableText,
        attributes: { ...texts, 'entity.type': 'agent', 'entity.id': `🦆 ${unstorableText}`, 'user.id': 'ädä 🦆' },
        status: { code: 2, message: unstorableText },
        events: [{ name: unstorableText, time: sampleTime, attributes: texts }],
      });
      await writeSpans(store, span);
      checkEqual(await store.findSpan({ user: 'ädä 🦆' }, spanId(1)), span, 'The span');
      const { traces } = await store.listTraces('anyone', page);
      checkEqual(traces[0]?.entityId, `🦆 ${unstorableText}`, 'The entity of the trace');
    },
  },
  {
    name: 'returns all fields of a log with any attributes',
    run: async ({ store }) => {
      const logs = Object.entries(sampleValues).map(([body, value], index) =>
        sampleLog(`${body} ${unstorableText}`, index, {
          traceId: traceId(1),
          spanId: spanId(1),
          severityNumber: 24,
          severityText: 'FATAL',
          attributes: { value, userId: 'ädä 🦆', agentId: 7 },
        }),
      );
      await writeLogs(store, ...logs, sampleLog('', -1));
      const found = await store.listLogs({ user: 'ädä 🦆' }, page);
      checkEqual(found.logs, logs.toReversed(), 'The logs');
      const { logs: all } = await store.listLogs('anyone', page);
      checkEqual(all.at(-1), sampleLog('', -1), 'The empty log');
    },
  },
];
