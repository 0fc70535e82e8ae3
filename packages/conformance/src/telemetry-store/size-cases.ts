import type { Owner, TelemetryPage, TelemetryStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import {
  ofEntity,
  page,
  sampleEntry,
  sampleLog,
  sampleSpan,
  traceId,
  writeLogs,
  writeSpans,
} from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

const text = 'x'.repeat(20_000);
const numbers = [1, 2, 3, 4, 5];
const attributes = { ...ofEntity('agent', 'helper', 'ada'), text };
const ada: Owner = { user: 'ada' };

/** How much of traces and lists is read at once. */
export const sizeCases: readonly TelemetryStoreCase[] = [
  {
    name: 'finds a part of the spans of a trace',
    run: async ({ store }) => {
      await writeSpans(store, sampleEntry(1, 1, 0), ...[4, 3, 2].map((number) => sampleSpan(1, number, number)));
      const parts: readonly (readonly [Pick<TelemetryPage, 'limit' | 'offset'>, readonly string[]])[] = [
        [{ limit: 2, offset: 0 }, ['span 1', 'span 2']],
        [{ limit: 2, offset: 1 }, ['span 2', 'span 3']],
        [{ limit: 2, offset: 3 }, ['span 4']],
        [{ limit: 2, offset: 4 }, []],
        [{ limit: 9, offset: 0 }, ['span 1', 'span 2', 'span 3', 'span 4']],
      ];
      for (const owner of ['anyone', ada] as const)
        for (const [range, expected] of parts) {
          const spans = await store.findTrace(owner, traceId(1), range);
          checkEqual(
            spans.map(({ name }) => name),
            expected,
            `Those of ${JSON.stringify(range)}`,
          );
        }
      checkEqual(
        await store.findTrace({ user: 'ben' }, traceId(1), { limit: 2, offset: 0 }),
        [],
        'Those of another user',
      );
    },
  },
  ...(['findTrace', 'listTraces', 'listSpans', 'listLogs'] as const).map((method): TelemetryStoreCase => ({
    name: `ends a page of ${method} where it would have more than \`maxBytes\`, but not before its first record`,
    run: async ({ store }) => {
      await writeSpans(
        store,
        ...numbers.map((number) => sampleEntry(1, number, number, { attributes })),
        ...numbers.map((number) => sampleEntry(10 + number, 10 + number, 10 + number, { attributes })),
      );
      await writeLogs(store, ...numbers.map((number) => sampleLog(String(number), number, { attributes: { text } })));
      const all = await read[method](store, page);
      const isWhole = await read[method](store, { ...page, maxBytes: 10_000_000 });
      checkEqual(isWhole, all, 'A page that is large enough');
      for (const [maxBytes, length] of [
        [1, 1],
        [50_000, 2],
      ] as const) {
        const pages: string[] = [];
        for (let offset = 0; offset < all.length;) {
          const records = await read[method](store, { ...page, offset, maxBytes });
          checkEqual(
            records.length,
            Math.min(length, all.length - offset),
            `The records from ${offset} in ${maxBytes} bytes`,
          );
          pages.push(...records);
          offset += records.length;
        }
        checkEqual(pages, all, `The records of all pages of ${maxBytes} bytes`);
      }
    },
  })),
];

const read = {
  findTrace: async (store: TelemetryStore, range: TelemetryPage) =>
    (await store.findTrace(ada, traceId(1), range)).map(({ name }) => name),
  listTraces: async (store: TelemetryStore, range: TelemetryPage) =>
    (await store.listTraces(ada, range)).traces.map((trace) => trace.traceId),
  listSpans: async (store: TelemetryStore, range: TelemetryPage) =>
    (await store.listSpans(ada, { ...range, entityType: 'agent', entityId: 'helper' })).spans.map(({ name }) => name),
  listLogs: async (store: TelemetryStore, range: TelemetryPage) =>
    (await store.listLogs('anyone', range)).logs.map(({ body }) => body),
} as const;
