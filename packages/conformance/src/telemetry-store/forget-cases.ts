import { check, checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { hostileText } from '../sample-values.ts';
import { bodies } from './log-cases.ts';
import {
  allOf,
  listedTraces,
  ofEntity,
  page,
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

const day = 24 * 60 * 60 * 1_000;

/** Deleted, purged and unknown records. */
export const forgetCases: readonly TelemetryStoreCase[] = [
  {
    name: 'deletes the traces and logs of one user only',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, 10),
        sampleSpan(1, 11, 11),
        sampleEntry(2, 2, 20, { attributes: ofEntity('agent', 'helper', 'ben') }),
        sampleSpan(2, 21, 21, { attributes: ofEntity('agent', 'helper', 'ada') }),
        sampleEntry(3, 3, 30, { attributes: ofEntity('workflow', 'ship') }),
        sampleEntry(3, 31, 31, { attributes: ofEntity('workflow', 'ship', 'ada'), ...running }),
      );
      await writeLogs(store, sampleLog('of Ada', 10, { attributes: { userId: 'ada' } }), sampleLog('of nobody', 20));
      for (const user of ['', 'unknown', '%', hostileText]) {
        checkEqual(await store.deleteUser(user), 0, `How many traces of "${user}" were forgotten`);
      }
      checkEqual(await store.deleteUser('ada'), 2, 'The number of deleted traces');
      checkEqual(await store.deleteUser('ada'), 0, 'The number of the second deletion');
      checkEqual(await listedTraces(store), allOf(2), 'The remaining traces');
      checkEqual((await store.findTrace('anyone', traceId(2))).length, 2, 'The remaining spans');
      checkEqual(await bodies(store), { bodies: ['of nobody'], total: 1 }, 'The remaining logs');
      checkEqual(await store.counts(), { traces: 1, spans: 2, logs: 1 }, 'The counts');
      for (const id of [1, 11, 3, 31]) checkEqual(await store.findSpan('anyone', spanId(id)), undefined, `Span ${id}`);
      checkEqual(await listedTraces(store, ada), allOf(), 'The traces of Ada');
      await writeSpans(store, sampleEntry(1, 1, 50));
      checkEqual(await listedTraces(store, ada), allOf(1), 'The later traces of Ada');
    },
  },
  {
    name: 'deletes only the spans of a user from a trace that the user shares with others',
    run: async ({ store }) => {
      const ofMallory = { attributes: ofEntity('agent', 'helper', 'mallory') };
      const ofNobody = { attributes: ofEntity('workflow', 'ship'), isEntry: true };
      const below = (parent: number): { readonly parentSpanId: string } => ({ parentSpanId: spanId(parent) });
      await writeSpans(
        store,
        sampleEntry(4, 41, 10),
        sampleSpan(4, 42, 11, below(41)),
        // Anyone may send the id of somebody else's trace, and of a span in it.
        sampleEntry(4, 43, 12, { ...ofMallory, ...below(42) }),
        sampleSpan(4, 44, 13, below(43)),
        sampleSpan(4, 45, 14, { ...ofNobody, ...below(44) }),
        sampleSpan(4, 46, 15, below(45)),
        // Below a span of another service, and in a circle.
        sampleSpan(4, 47, 16, { ...ofNobody, ...below(99) }),
        sampleSpan(4, 48, 17, below(49)),
        sampleSpan(4, 49, 18, below(48)),
        // An entry of Ada below one of Mallory.
        sampleEntry(4, 50, 19, below(46)),
      );
      await writeSpans(store, sampleEntry(5, 51, 20, ofMallory));
      checkEqual(await store.deleteUser('mallory'), 2, 'The number of traces');
      const left = await store.findTrace('anyone', traceId(4));
      checkEqual(
        left.map((span) => span.spanId),
        [41, 42, 47, 48, 49, 50].map(spanId),
        'The remaining spans',
      );
      checkEqual(await store.counts(), { traces: 1, spans: 6, logs: 0 }, 'The counts');
      checkEqual(await listedTraces(store, { user: 'mallory' }), allOf(), 'The traces of Mallory');
      checkEqual(await listedTraces(store, ada), allOf(4), 'The traces of Ada');
      checkEqual(await store.findSpan('anyone', spanId(43)), undefined, 'A deleted span');
      checkEqual(await store.deleteUser('mallory'), 0, 'The number of the second deletion');
      checkEqual(await store.deleteUser('ada'), 1, 'The number of traces of Ada');
      checkEqual(await store.counts(), { traces: 0, spans: 0, logs: 0 }, 'The counts at the end');
    },
  },
  {
    name: 'purges what started long before a time, and nothing that started at that time or later',
    run: async ({ store }) => {
      await writeSpans(
        store,
        sampleEntry(1, 1, -3 * day),
        sampleSpan(1, 11, -3 * day + 5),
        sampleEntry(2, 2, 0),
        sampleEntry(3, 3, 5),
      );
      await writeLogs(store, sampleLog('old', -3 * day), sampleLog('of the time', 0), sampleLog('new', 5));
      check(Number.isInteger(await store.purge(sampleTime - 30 * day)), 'An empty purge should return a number');
      checkEqual(await store.counts(), { traces: 3, spans: 4, logs: 3 }, 'The counts after an empty purge');
      check(Number.isInteger(await store.purge(sampleTime)), 'A purge should return a number');
      checkEqual(await store.counts(), { traces: 2, spans: 2, logs: 2 }, 'The counts');
      checkEqual(await listedTraces(store), allOf(3, 2), 'The remaining traces');
      checkEqual(await store.findSpan('anyone', spanId(11)), undefined, 'A purged span');
      checkEqual(await bodies(store), { bodies: ['new', 'of the time'], total: 2 }, 'The remaining logs');
    },
  },
  {
    name: 'finds nothing for unknown ids of any form',
    run: async ({ store }) => {
      await writeSpans(store, sampleEntry(1, 1, 0));
      await writeLogs(store, sampleLog('a', 0));
      const ids = [
        '',
        ' ',
        'x'.repeat(128),
        '🦆'.repeat(32),
        hostileText,
        traceId(9),
        spanId(9),
        traceId(1).toUpperCase(),
      ];
      for (const id of [...ids, '0', '__proto__', 'constructor', 'null', '1e3']) {
        const text = JSON.stringify(id);
        checkEqual(await store.findSpan('anyone', id), undefined, `The span ${text}`);
        checkEqual(await store.findTrace('anyone', id), [], `The trace ${text}`);
        checkEqual(await store.findTrace(ada, id), [], `Ada’s trace ${text}`);
        const none = { bodies: [], total: 0 };
        checkEqual(await bodies(store, { traceId: id }), none, `The logs of the trace ${text}`);
        checkEqual(await bodies(store, { spanId: id }), none, `The logs of the span ${text}`);
        const runs = await store.listSpans('anyone', { ...page, entityType: 'agent', entityId: id });
        checkEqual(runs, { spans: [], total: 0 }, `The runs of ${text}`);
      }
    },
  },
];
