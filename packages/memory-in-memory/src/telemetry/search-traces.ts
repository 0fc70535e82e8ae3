import {
  containsText,
  describedSpan,
  searchedTraces,
  type TraceFilter,
  type TraceOrder,
  type TraceSummary,
} from '@halyard/contracts';
import type { StoredTrace } from './stored-trace.ts';

/** Whether the filter has what only the newest traces are searched for. */
export function isSearch({
  agentId,
  feedback,
  minCost,
  minDurationMs,
  minTokens,
  model,
  sort,
  text,
  toolName,
}: TraceFilter): boolean {
  const conditions = [agentId, feedback, minCost, minDurationMs, minTokens, model, text, toolName];
  return conditions.some((value) => value !== undefined) || (sort !== undefined && sort !== 'startTime');
}

/** Of the newest of these traces, those that match, in the order that the filter asks for. */
export function searchTraces(latestFirst: Iterable<StoredTrace>, filter: TraceFilter): readonly StoredTrace[] {
  const found: { readonly trace: StoredTrace; readonly amount: number }[] = [];
  let searched = 0;
  for (const trace of latestFirst) {
    searched += 1;
    if (searched > searchedTraces) break;
    const { root } = trace;
    if (root === undefined) continue;
    const summary = trace.toSummary(root);
    if (matches(trace, summary, filter)) found.push({ trace, amount: amountOf(summary, filter.sort ?? 'startTime') });
  }
  return found.toSorted((one, other) => other.amount - one.amount).map(({ trace }) => trace);
}

function matches(trace: StoredTrace, summary: TraceSummary, filter: TraceFilter): boolean {
  const { agentId, feedback, minCost, minDurationMs, minTokens, model, text, toolName } = filter;
  const hasSpan = (type: string, id: string): boolean =>
    trace.spans.some(
      ({ record }) => record.attributes['entity.type'] === type && record.attributes['entity.id'] === id,
    );
  return (
    (agentId === undefined || hasSpan('agent', agentId)) &&
    (toolName === undefined || hasSpan('tool', toolName)) &&
    (feedback === undefined || hasSpan('feedback', feedback)) &&
    (model === undefined || summary.models.includes(model)) &&
    (minDurationMs === undefined || (summary.endTime !== null && amountOf(summary, 'duration') >= minDurationMs)) &&
    (minTokens === undefined || amountOf(summary, 'tokens') >= minTokens) &&
    (minCost === undefined || amountOf(summary, 'cost') >= minCost) &&
    (text === undefined || trace.spans.some(({ record }) => containsText(describedSpan(record), text)))
  );
}

function amountOf({ cost, endTime, inputTokens, outputTokens, startTime }: TraceSummary, order: TraceOrder): number {
  switch (order) {
    case 'startTime':
      return startTime;
    case 'duration':
      return (endTime ?? startTime) - startTime;
    case 'tokens':
      return inputTokens + outputTokens;
    case 'cost':
      return cost ?? 0;
    default:
      return order satisfies never;
  }
}
