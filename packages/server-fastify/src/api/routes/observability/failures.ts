import type { Owner, SpanRecord, TelemetryStore } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import { ownerForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { FailureQuery, Failures, type FailureGroup, readFailures } from './failure-schemas.ts';
import {
  type Failure,
  type FailureGroup as Grouped,
  findFailures,
  groupFailures,
  listExecutions,
  listParts,
  readMessage,
} from './group-failures.ts';
import { metricsWindow, type MetricsWindow } from './metrics-window.ts';
import { readTelemetry } from './observability.ts';

/** Spans contain prompts and results: so many are in memory at a time. */
const spansPerRead = 200;
const shownParts = 8;
const listedExecutions = 1_000;

/** Why runs failed. */
export const failureRoutes = [
  defineRoute({
    method: 'GET',
    tier: 'console',
    tag: 'Observability',
    url: '/observability/failures',
    operationId: 'listFailures',
    readsList: true,
    summary: 'Count failures by their reason',
    description:
      'A failure is a span that failed by itself: an agent that failed because its model did is not a second one. Runs that were stopped or refused are no failures.',
    query: FailureQuery,
    data: Failures,
    handler: async ({ caller, query: { limit, ...times } }, services) => {
      const window = metricsWindow(times, services.agentServices.clock.now());
      const store = await readTelemetry(services);
      const failed = store === undefined ? [] : await readFailed(store, ownerForCaller(caller), window);
      const failures = findFailures(failed);
      return {
        from: isoTime(window.from),
        to: isoTime(window.to),
        intervalMs: window.intervalMs,
        count: failures.length,
        isComplete: failed.length < readFailures,
        groups: groupFailures(failures)
          .slice(0, limit)
          .map((group) => describeGroup(group, window)),
      };
    },
  }),
];

/** Latest first. */
async function readFailed(
  store: TelemetryStore,
  owner: Owner,
  { from, to }: MetricsWindow,
): Promise<readonly SpanRecord[]> {
  // By id: while pages are read, new failures move others to the next page.
  const failed = new Map<string, SpanRecord>();
  for (let offset = 0; offset < readFailures; offset += spansPerRead) {
    const page = { limit: spansPerRead, offset };
    const { spans } = await store.listSpans(owner, { status: 'error', from, to: to - 1, ...page });
    for (const span of spans) failed.set(`${span.traceId} ${span.spanId}`, withoutContent(span));
    if (spans.length < spansPerRead) break;
  }
  return [...failed.values()];
}

const used = new Set([
  'entity.type',
  'entity.id',
  'error.type',
  'gen_ai.agent.id',
  'gen_ai.request.model',
  'gen_ai.tool.name',
  'halyard.execution.id',
]);

function withoutContent(span: SpanRecord): SpanRecord {
  const attributes = Object.entries(span.attributes).filter(([name]) => used.has(name));
  return { ...span, attributes: Object.fromEntries(attributes), events: [], links: [], resource: {} };
}

function describeGroup({ failures, reason }: Grouped, { from, intervalMs, to }: MetricsWindow): FailureGroup {
  const countsOverTime = Array.from({ length: (to - from) / intervalMs }, () => 0);
  for (const { origin } of failures) {
    const place = Math.floor((origin.startTime - from) / intervalMs);
    countsOverTime[place] = (countsOverTime[place] ?? 0) + 1;
  }
  const [latest, first] = [failures[0] as Failure, failures.at(-1) as Failure];
  const { attributes, spanId, startTime, traceId } = latest.origin;
  const type = attributes['error.type'];
  const executions = new Map(failures.flatMap(listExecutions).map((one) => [one.executionId, one]));
  return {
    reason,
    message: readMessage(latest.origin),
    errorType: typeof type === 'string' ? type : null,
    count: failures.length,
    firstAt: isoTime(first.origin.startTime),
    lastAt: isoTime(startTime),
    countsOverTime,
    parts: countParts(failures),
    executions: [...executions.values()].slice(0, listedExecutions),
    latest: { traceId, spanId },
  };
}

function countParts(failures: readonly Failure[]): FailureGroup['parts'] {
  const parts = Map.groupBy(failures.flatMap(listParts), ({ id, kind }) => `${kind} ${id}`);
  return [...parts.values()]
    .flatMap((same) => same.slice(0, 1).map(({ id, kind }) => ({ kind, id, count: same.length })))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, shownParts);
}
