import type { MetricsQuery, MetricSums, Owner, SpanRecord, TelemetryMetrics, TelemetryStore } from '@halyard/contracts';
import { failed, ofEntity, running, sampleEntry, sampleSpan, sampleTime, writeSpans } from './sample-telemetry.ts';

export const minute = 60_000;
export const hour: number = 60 * minute;
export const day: number = 24 * hour;
/** The samples of metrics are in the third of four minutes. */
export const start: number = Math.floor(sampleTime / minute) * minute;
export const query: MetricsQuery = {
  from: start - 2 * minute,
  to: start + 2 * minute,
  intervalMs: minute,
  groupBy: 'none',
  maxGroups: 5,
};
/** Of samples at that time: milliseconds after {@link sampleTime}. */
export const atStart: number = start - sampleTime;

export function modelCall(
  trace: number,
  span: number,
  at: number,
  attributes: object = {},
  hasFailed = false,
): SpanRecord {
  return sampleSpan(trace, span, at, {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'small',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 4,
      ...attributes,
    },
    ...(hasFailed && failed),
  });
}

/**
 * A run of the workflow `ship` for Ada, which calls the agent `helper`, which calls a model. Each
 * in a batch of its own.
 */
export async function writeWorkflow(store: TelemetryStore, trace: number): Promise<void> {
  const entry = sampleEntry(trace, 1, atStart, { attributes: ofEntity('workflow', 'ship', 'ada') });
  await writeSpans(store, { ...entry, ...running });
  await writeSpans(store, modelCall(trace, 3, atStart, { 'gen_ai.agent.id': 'helper', 'halyard.workflow.id': 'ship' }));
  await writeSpans(store, sampleSpan(trace, 2, atStart, { attributes: ofEntity('agent', 'helper', 'ada') }));
  await writeSpans(store, entry);
}

/** Of each group: its id, requests, errors, input tokens and cost. */
export async function groupsOf(
  store: TelemetryStore,
  groupBy: MetricsQuery['groupBy'],
  owner: Owner = 'anyone',
): Promise<readonly (readonly unknown[])[]> {
  const { groups }: TelemetryMetrics = await store.metrics(owner, { ...query, groupBy });
  return groups.map(({ cost, errors, id, inputTokens, requests }) => [id, requests, errors, inputTokens, cost]);
}

export function counted({ errors, requests }: MetricSums): readonly [number, number] {
  return [requests, errors];
}

export function tokens({
  cachedInputTokens,
  inputTokens,
  outputTokens,
}: MetricSums): readonly [number, number, number] {
  return [inputTokens, outputTokens, cachedInputTokens];
}
