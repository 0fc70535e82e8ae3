import {
  latencyBuckets,
  type Measurement,
  toMeasurement,
  type MetricGroupSums,
  type MetricsQuery,
  type MetricSums,
  type Owner,
  type SpanRecord,
  type TelemetryMetrics,
} from '@halyard/contracts';
import type { StoredTrace } from './stored-trace.ts';

/** Counts the spans of an owner. */
export function countSpans(
  traces: Iterable<StoredTrace>,
  owner: Owner,
  { from, group, groupBy, intervalMs, maxGroups, to }: MetricsQuery,
): TelemetryMetrics {
  const length = (to - from) / intervalMs;
  const points = Array.from({ length }, () => new Sums());
  const previous = new Sums();
  const groups = new Map<string, GroupSums>();
  for (const counted of countedSpans(traces, owner, from - (to - from), to)) {
    const place = Math.floor((counted.time - from) / intervalMs);
    const id = toId(counted, groupBy);
    const point = place < 0 ? previous : points[place];
    if (group === undefined) point?.add(counted.measurement, counted.isEntry);
    else if (id === group) point?.add(counted.measurement, isRequestOf(counted, groupBy));
    if (id === null || place < 0 || (group !== undefined && id !== group)) continue;
    const sums = groups.get(id) ?? new GroupSums(id, length);
    groups.set(id, sums);
    sums.addAt(place, counted.measurement, isRequestOf(counted, groupBy));
  }
  const sorted = [...groups.values()].toSorted(byRequests);
  const rest = sorted.slice(maxGroups);
  return {
    points: points.map((point) => point.toJson()),
    previous: previous.toJson(),
    groups: sorted.slice(0, maxGroups).map((one) => one.toGroup()),
    others: rest.length === 0 ? null : addTotals(rest),
  };
}

interface CountedSpan {
  readonly time: number;
  readonly isEntry: boolean;
  readonly entityType: unknown;
  readonly entityId: unknown;
  readonly userId: string | null;
  readonly measurement: Measurement;
}

function* countedSpans(
  traces: Iterable<StoredTrace>,
  owner: Owner,
  from: number,
  to: number,
): Generator<CountedSpan, void, undefined> {
  for (const { spans } of traces) {
    const entry = spans.find(({ record }) => record.isEntry && readUser(record) !== null);
    const userOfTrace = entry === undefined ? null : readUser(entry.record);
    for (const { record } of spans) {
      if (record.startTime < from || record.startTime >= to) continue;
      const userId = readUser(record) ?? userOfTrace;
      if (owner !== 'anyone' && owner.user !== userId) continue;
      const measurement = toMeasurement(record);
      if (measurement === undefined) continue;
      const { 'entity.id': entityId, 'entity.type': entityType } = record.attributes;
      const { isEntry, startTime: time } = record;
      yield { time, isEntry, entityType, entityId, userId, measurement };
    }
  }
}

/** The group that a span belongs to; null: none of this kind. */
function toId(
  { entityId, entityType, isEntry, measurement, userId }: CountedSpan,
  groupBy: MetricsQuery['groupBy'],
): string | null {
  const { agentId, isRun, model, workflowId } = measurement;
  switch (groupBy) {
    case 'none':
      return null;
    case 'agent':
      return isRun ? (entityType === 'agent' ? toText(entityId) : null) : agentId;
    case 'workflow':
      return isRun ? (entityType === 'workflow' ? toText(entityId) : null) : workflowId;
    case 'model':
      return model;
    case 'user':
      return isEntry || model !== null ? userId : null;
    default:
      return groupBy satisfies never;
  }
}

/** Whether a span that belongs to a group counts as a request of it. */
function isRequestOf({ measurement }: CountedSpan, groupBy: MetricsQuery['groupBy']): boolean {
  return groupBy === 'model' || measurement.isRun;
}

const noCounts = {
  requests: 0,
  errors: 0,
  aborted: 0,
  refused: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  unpricedCalls: 0,
};

class Sums {
  readonly #latencies = Array.from({ length: latencyBuckets }, () => 0);
  #sums = { ...noCounts };
  #cost: number | null = null;

  add(measurement: Measurement, isRequest: boolean): void {
    const sums = this.#sums;
    if (isRequest) {
      sums.requests += 1;
      const { latencyBucket, status } = measurement;
      if (status === 'error') sums.errors += 1;
      if (status === 'aborted' || status === 'refused') sums[status] += 1;
      this.#latencies[latencyBucket] = (this.#latencies[latencyBucket] ?? 0) + 1;
    }
    sums.inputTokens += measurement.inputTokens;
    sums.outputTokens += measurement.outputTokens;
    sums.cachedInputTokens += measurement.cachedInputTokens;
    if (measurement.cost !== null) this.#cost = (this.#cost ?? 0) + measurement.cost;
    else if (measurement.inputTokens + measurement.outputTokens > 0) sums.unpricedCalls += 1;
  }

  toJson(): MetricSums {
    return { ...this.#sums, cost: this.#cost, latencies: this.#latencies };
  }
}

class GroupSums {
  readonly id: string;
  readonly #total = new Sums();
  readonly #requestsOverTime: number[];

  constructor(id: string, length: number) {
    this.id = id;
    this.#requestsOverTime = Array.from({ length }, () => 0);
  }

  addAt(place: number, measurement: Measurement, isRequest: boolean): void {
    this.#total.add(measurement, isRequest);
    if (isRequest) this.#requestsOverTime[place] = (this.#requestsOverTime[place] ?? 0) + 1;
  }

  toGroup(): MetricGroupSums {
    return { id: this.id, ...this.#total.toJson(), requestsOverTime: this.#requestsOverTime };
  }
}

function byRequests(one: GroupSums, other: GroupSums): number {
  const [left, right] = [one.toGroup(), other.toGroup()];
  return right.requests - left.requests || countTokens(right) - countTokens(left) || (left.id < right.id ? -1 : 1);
}

function countTokens({ inputTokens, outputTokens }: MetricSums): number {
  return inputTokens + outputTokens;
}

function addTotals(groups: readonly GroupSums[]): Omit<MetricSums, 'latencies'> {
  const total = { ...noCounts };
  let cost: number | null = null;
  for (const group of groups) {
    const sums = group.toGroup();
    total.requests += sums.requests;
    total.errors += sums.errors;
    total.aborted += sums.aborted;
    total.refused += sums.refused;
    total.inputTokens += sums.inputTokens;
    total.outputTokens += sums.outputTokens;
    total.cachedInputTokens += sums.cachedInputTokens;
    total.unpricedCalls += sums.unpricedCalls;
    if (sums.cost !== null) cost = (cost ?? 0) + sums.cost;
  }
  return { ...total, cost };
}

function readUser({ attributes }: SpanRecord): string | null {
  return toText(attributes['user.id']);
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
