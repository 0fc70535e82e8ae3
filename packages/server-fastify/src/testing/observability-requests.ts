import type { SpanRecord, TelemetryStore } from '@halyard/contracts';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import type { ListedRequest } from './memory-requests.ts';

const span: SpanRecord = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: null,
  isEntry: true,
  name: 'invoke_agent plain',
  kind: 0,
  startTime: 1,
  endTime: 2,
  attributes: { 'entity.type': 'agent', 'entity.id': 'plain' },
  status: { code: 2, message: 'no' },
  events: [{ name: 'tried', time: 1, attributes: { again: true } }],
  links: [{ traceId: '0af7651916cd43dd8448eb211c80319d', spanId: 'b7ad6b7169203332' }],
  resource: { 'service.name': 'test' },
  instrumentationScope: { name: 'test', version: '1' },
};

/** A store with the trace of {@link observabilityRequests}. */
export async function storeWithTrace(): Promise<TelemetryStore> {
  const store = createInMemoryTelemetryStore();
  const log = { severityNumber: 9, severityText: 'INFO', body: 'a line', attributes: { more: 1 } };
  await store.write({ spans: [span], logs: [{ ...log, timestamp: 1, traceId: span.traceId, spanId: span.spanId }] });
  return store;
}

const trace = `/observability/traces/${span.traceId}`;
const one = `/observability/spans/${span.spanId}`;
const found = [
  '/agents/plain/history',
  '/observability/traces',
  '/observability/logs',
  '/observability/metrics',
  '/observability/failures',
  '/observability/spans',
  trace,
  `${trace}/logs`,
  one,
  `${one}/logs`,
];
export const observabilityPaths: readonly string[] = [
  '/observability/status',
  '/observability/system',
  '/observability/agents/plain',
  ...found,
];
const logsOrOne = (path: string): string => (path.endsWith('/logs') ? '/logs' : '');

/** Requests for every documented reply of these routes, except those during shutdown. */
export const observabilityRequests: readonly ListedRequest[] = [
  ...observabilityPaths.flatMap((path) => [
    { path, status: 200 },
    { path: `${path}?${'x'.repeat(8_192)}`, status: 414 },
  ]),
  ...found.slice(0, 6).map((path) => ({ path: `${path}?limit=0`, status: 400 })),
  { path: '/agents/unknown/history', status: 404 },
  { path: '/observability/agents/unknown', status: 404 },
  { path: '/observability/agents/a%20b', status: 400 },
  ...[trace, `${trace}/logs`, one, `${one}/logs`].flatMap((path) => {
    const kind = path.startsWith(trace) ? 'traces' : 'spans';
    return [
      { path: `/observability/${kind}/nothing${logsOrOne(path)}`, status: 404 },
      { path: `/observability/${kind}/a%20b${logsOrOne(path)}`, status: 400 },
    ];
  }),
];
