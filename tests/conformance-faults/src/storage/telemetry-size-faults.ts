import type { TelemetryStore } from '@halyard/contracts';
import { filteringLogs, filteringRuns, filteringTraces, type TelemetryFault } from './telemetry-fault.ts';

const part = 'finds a part of the spans of a trace';

/** Faults of how much is read at once. */
export const telemetrySizeFaults: readonly TelemetryFault[] = [
  ['ignores the range of spans', part, (store) => ({ findTrace: (owner, id) => store.findTrace(owner, id) })],
  [
    'counts the offset of spans from the end of the page',
    part,
    (store) => ({
      findTrace: async (owner, id, range) => {
        const spans = await store.findTrace(owner, id);
        return range === undefined ? spans : spans.slice(0, range.limit).slice(range.offset);
      },
    }),
  ],
  [
    'finds spans of any size',
    endOf('findTrace'),
    (store) => ({ findTrace: (owner, id, range) => store.findTrace(owner, id, range && withoutBytes(range)) }),
  ],
  [
    'returns no span that is larger than a page',
    endOf('findTrace'),
    (store) => ({
      findTrace: async (owner, id, range) => (range?.maxBytes === 1 ? [] : store.findTrace(owner, id, range)),
    }),
  ],
  ['lists traces of any size', endOf('listTraces'), filteringTraces(withoutBytes)],
  ['lists runs of any size', endOf('listRuns'), filteringRuns(withoutBytes)],
  ['lists logs of any size', endOf('listLogs'), filteringLogs(withoutBytes)],
];

function endOf(method: keyof TelemetryStore): string {
  return `ends a page of ${method} where it would have more than \`maxBytes\`, but not before its first record`;
}

function withoutBytes<Range extends { readonly maxBytes?: number | undefined }>(range: Range): Range {
  return { ...range, maxBytes: undefined };
}
