import type { TraceStatus } from './telemetry-store.ts';
import type { SpanRecord } from './telemetry.ts';
import { toTraceStatus } from './trace-status.ts';

/** The ways to group counts of runs. */
export const metricGroups = ['none', 'agent', 'workflow', 'model', 'user'] as const;
export type MetricGroup = (typeof metricGroups)[number];

export interface MetricsQuery {
  /** Milliseconds since the epoch, a multiple of `intervalMs`. */
  readonly from: number;
  /** Exclusive; a multiple of `intervalMs`. */
  readonly to: number;
  /** A multiple of a minute; above an hour, a multiple of an hour. */
  readonly intervalMs: number;
  readonly groupBy: MetricGroup;
  /**
   * Only runs and calls of this agent, workflow, model or user, as `groupBy` says. Default: all.
   */
  readonly group?: string | undefined;
  /** How many groups are listed; the others are summed. */
  readonly maxGroups: number;
}

/**
 * The counts of a part of the runs. Only spans that have ended count, in the interval in which they
 * started.
 */
export interface MetricSums {
  /**
   * Entries: calls of agents, workflows and tools, and each time a suspended run continues. By
   * agent or workflow: its runs, including those that others started. By model: its calls.
   */
  readonly requests: number;
  /** Requests that failed: not those that were aborted or refused. */
  readonly errors: number;
  /** Requests whose caller has left or stopped them. */
  readonly aborted: number;
  /** Requests that a guardrail blocked, or that were not accepted. */
  readonly refused: number;
  /**
   * Of the model calls; by agent without those of its sub-agents, by workflow with those of its
   * agents.
   */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The input tokens that came from a provider's cache. */
  readonly cachedInputTokens: number;
  /** US dollars; null if no span carries a cost. */
  readonly cost: number | null;
  /** Model calls that used tokens and carry no cost: `cost` does not contain them. */
  readonly unpricedCalls: number;
  /** How many requests had a duration in each of the {@link latencyBuckets}. */
  readonly latencies: readonly number[];
}

export interface MetricGroupSums extends MetricSums {
  readonly id: string;
  /** For each interval. */
  readonly requestsOverTime: readonly number[];
}

export interface TelemetryMetrics {
  /** One for each interval. */
  readonly points: readonly MetricSums[];
  /** The time of the same length before. */
  readonly previous: MetricSums;
  /**
   * The groups with the most requests first, then those with the most tokens. Empty with `groupBy:
   * 'none'`.
   */
  readonly groups: readonly MetricGroupSums[];
  /** All further groups together, without latencies; null if there are none. */
  readonly others: Omit<MetricSums, 'latencies'> | null;
}

const firstBoundMs = 2;
const growth = 1.3;

/**
 * How many buckets count durations. Bucket 0: below 2 ms; each further one reaches 1.3 times as
 * far; the last: above about 10 minutes.
 */
export const latencyBuckets = 50;

/** The bucket of a duration. */
export function latencyBucketForDuration(durationMs: number): number {
  if (!(durationMs >= firstBoundMs)) return 0;
  return Math.min(1 + Math.floor(Math.log(durationMs / firstBoundMs) / Math.log(growth)), latencyBuckets - 1);
}

/**
 * The duration in milliseconds below which this share of the counted durations is. At most 14 %
 * from the true one, between 2 ms and ten minutes. Undefined if nothing was counted.
 */
export function latencyQuantile(latencies: readonly number[], share: number): number | undefined {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return undefined;
  let before = 0;
  for (const [bucket, count] of latencies.entries()) {
    if (count > 0 && before + count >= share * total) return toMiddle(bucket);
    before += count;
  }
  return toMiddle(latencyBuckets - 1);
}

/** The geometric middle: the same factor from both bounds. */
function toMiddle(bucket: number): number {
  if (bucket === 0) return firstBoundMs / 2;
  const low = firstBoundMs * growth ** (bucket - 1);
  return bucket === latencyBuckets - 1 ? low : low * Math.sqrt(growth);
}

/** The values of a span that the metrics count. */
export interface Measurement {
  /**
   * A run of an entity: counts as a request where the span is an entry, and for its agent or
   * workflow.
   */
  readonly isRun: boolean;
  /** Of a model call. */
  readonly model: string | null;
  /** The agent that called the model. */
  readonly agentId: string | null;
  /** The workflow that the call is part of: the nearest one, if workflows contain each other. */
  readonly workflowId: string | null;
  readonly status: TraceStatus;
  readonly latencyBucket: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cost: number | null;
}

const modelOperations: ReadonlySet<unknown> = new Set(['chat', 'text_completion', 'generate_content']);

/**
 * Undefined for a span that is not counted: it still runs, or is neither a run nor a model call.
 * Reads only attributes that are not computed later.
 */
export function toMeasurement(span: SpanRecord): Measurement | undefined {
  const { attributes, endTime, isEntry, startTime } = span;
  if (endTime === null) return undefined;
  const isRun = isEntry || typeof attributes['entity.type'] === 'string';
  const isModelCall = !isRun && modelOperations.has(attributes['gen_ai.operation.name']);
  if (!isRun && !isModelCall) return undefined;
  const amount = (name: string): number => (isModelCall ? toAmount(attributes[name]) : 0);
  const cost = isModelCall ? attributes['gen_ai.usage.cost'] : undefined;
  return {
    isRun,
    model: isModelCall ? (toText(attributes['gen_ai.request.model']) ?? 'unknown') : null,
    agentId: isModelCall ? toText(attributes['gen_ai.agent.id']) : null,
    workflowId: isModelCall ? toText(attributes['halyard.workflow.id']) : null,
    status: toTraceStatus(span),
    latencyBucket: latencyBucketForDuration(endTime - startTime),
    inputTokens: amount('gen_ai.usage.input_tokens'),
    outputTokens: amount('gen_ai.usage.output_tokens'),
    cachedInputTokens: amount('gen_ai.usage.cache_read.input_tokens'),
    cost: typeof cost === 'number' && Number.isFinite(cost) ? cost : null,
  };
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Spans of others may carry anything. */
function toAmount(value: unknown): number {
  return typeof value === 'number' && value > 0 && value < 1e12 ? Math.floor(value) : 0;
}
