import type { SpanRecord } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import {
  namesInTrace,
  running,
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

const begun = sampleEntry(1, 1, 0, { ...running, name: 'begun' });
const ended = sampleEntry(1, 1, 0, { name: 'ended', attributes: { 'halyard.run.id': 'run-1' } });

/** Written, replaced and counted records. */
export const writeCases: readonly TelemetryStoreCase[] = [
  {
    name: 'replaces a running span by its ended record, in either order, in one batch and in several',
    run: async ({ store }) => {
      const orders: readonly (readonly (readonly SpanRecord[])[])[] = [
        [[begun], [ended]],
        [[ended], [begun]],
        [[begun, ended]],
        [[ended, begun]],
        [[begun], [begun, ended], [begun]],
      ];
      for (const [index, batches] of orders.entries()) {
        const own = { traceId: traceId(10 + index), spanId: spanId(10 + index) };
        for (const spans of batches) await writeSpans(store, ...spans.map((span) => ({ ...span, ...own })));
        checkEqual(await store.findSpan('anyone', own.spanId), { ...ended, ...own }, `The span of order ${index}`);
        checkEqual((await store.findTrace('anyone', own.traceId)).length, 1, `The spans of order ${index}`);
      }
      checkEqual(await store.counts(), { traces: 5, spans: 5, logs: 0 }, 'The counts');
    },
  },
  {
    name: 'stores the ended record when running and ended ones are written at the same time',
    run: async ({ store }) => {
      const writes = Array.from({ length: 20 }, (_, index) => writeSpans(store, index % 3 === 0 ? ended : begun));
      await Promise.all(writes);
      checkEqual(await store.findSpan('anyone', spanId(1)), ended, 'The span');
      checkEqual(await store.counts(), { traces: 1, spans: 1, logs: 0 }, 'The counts');
    },
  },
  {
    name: 'replaces a span as a whole by a later record',
    run: async ({ store }) => {
      await writeSpans(store, { ...begun, attributes: { a: 1, b: 2 }, events: [{ name: 'e', time: sampleTime }] });
      await writeSpans(store, { ...begun, attributes: { b: 3 } });
      checkEqual(await store.findSpan('anyone', spanId(1)), { ...begun, attributes: { b: 3 } }, 'The running span');
      await writeSpans(store, ended);
      await writeSpans(store, { ...ended, name: 'ended again', status: { code: 2, message: 'Late' } });
      const again = { ...ended, name: 'ended again', status: { code: 2, message: 'Late' } };
      checkEqual(await store.findSpan('anyone', spanId(1)), again, 'The ended span');
    },
  },
  {
    name: 'accepts children before their parents',
    run: async ({ store }) => {
      await writeSpans(store, sampleSpan(1, 3, 20, { parentSpanId: spanId(2) }));
      await writeSpans(store, sampleSpan(1, 2, 10), sampleEntry(1, 1, 0));
      checkEqual(await namesInTrace(store, 1), ['span 1', 'span 2', 'span 3'], 'The spans');
    },
  },
  {
    name: 'returns the spans of a trace by start time, those with the same start time in the order of arrival',
    run: async ({ store }) => {
      await writeSpans(store, sampleSpan(1, 8, 5), sampleSpan(1, 4, 9), sampleSpan(2, 20, 6));
      await writeSpans(store, sampleSpan(1, 6, 5), sampleSpan(1, 9, 5), sampleSpan(1, 2, 1));
      const expected = ['span 2', 'span 8', 'span 6', 'span 9', 'span 4'];
      checkEqual(await namesInTrace(store, 1), expected, 'The spans');
      checkEqual(await namesInTrace(store, 2), ['span 20'], 'The spans of the other trace');
    },
  },
  {
    name: 'keeps the order of spans with the same start time, and the root of a trace, when one of them ends',
    run: async ({ store }) => {
      await writeSpans(store, sampleEntry(1, 8, 5, running), sampleEntry(1, 4, 5, running));
      await writeSpans(store, sampleEntry(1, 8, 5));
      checkEqual(await namesInTrace(store, 1), ['span 8', 'span 4'], 'The spans');
      const { traces } = await store.listTraces('anyone', { limit: 9, offset: 0 });
      checkEqual(
        traces.map(({ rootSpan, status }) => [rootSpan.name, status]),
        [['span 8', 'running']],
        'The root of the trace, and its status, which is that of the latest entry',
      );
    },
  },
  {
    name: 'counts traces, spans and logs, and returns zeros for an empty store',
    run: async ({ store }) => {
      await store.write({ spans: [], logs: [] });
      checkEqual(await store.counts(), { traces: 0, spans: 0, logs: 0 }, 'The counts of an empty store');
      await writeSpans(store, sampleEntry(1, 1, 0), sampleSpan(1, 2, 1), sampleEntry(2, 3, 2));
      await writeLogs(store, sampleLog('a', 0), sampleLog('a', 0));
      checkEqual(await store.counts(), { traces: 2, spans: 3, logs: 2 }, 'The counts');
    },
  },
  {
    name: 'accepts thousands of spans and logs in one batch',
    run: async ({ store }) => {
      const numbers = Array.from({ length: 5_000 }, (_, index) => index + 1);
      const spans = numbers.map((number) => sampleSpan(number % 100, number, number));
      await store.write({ spans, logs: numbers.map((number) => sampleLog(`line ${number}`, number)) });
      checkEqual(await store.counts(), { traces: 100, spans: 5_000, logs: 5_000 }, 'The counts');
      checkEqual(await store.findSpan('anyone', spanId(4_321)), sampleSpan(21, 4_321, 4_321), 'One of them');
      checkEqual((await store.findTrace('anyone', traceId(21))).length, 50, 'The spans of one trace');
    },
  },
];
