import type { Owner } from '../users/owner.ts';
import type { MetricsQuery, TelemetryMetrics } from './telemetry-metrics.ts';
import type { LogRecord, SpanRecord } from './telemetry.ts';

/**
 * Stores spans and logs, and lists them. A store deletes old records: the in-memory store when it
 * is full, a database after a retention period.
 *
 * A trace belongs to the user `{ user }` when one of its entries has this `user.id`; a log belongs
 * to the user of its attribute `userId`.
 */
export interface TelemetryStore {
  /** Shown by `GET /observability/status`: `in-memory`, `postgres`. */
  readonly name: string;
  /** Whether it outlives the process. */
  readonly isPersistent: boolean;

  /**
   * Writes a batch, as a whole or not at all. Spans arrive in any order, also children before
   * parents, and from several processes. A span that is already stored is replaced, except that a
   * running record never replaces an ended one. Reading methods return spans with all their
   * attributes (`describedSpan`).
   */
  write(batch: TelemetryBatch): Promise<void>;

  findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined>;

  /**
   * The spans of a trace by start time, those with the same start time in the order of arrival.
   * Empty when the trace is unknown.
   *
   * @param range Default: all. Callers choose the ids of their traces, so a trace may have any
   * number of spans.
   */
  findTrace(owner: Owner, traceId: string, range?: TelemetryPage): Promise<readonly SpanRecord[]>;

  /** Latest start time first. `total` counts all that match. */
  listTraces(
    owner: Owner,
    filter: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }>;

  /**
   * Spans, in the traces of the owner. Latest start time first. `total` counts all that match. By
   * `entityType` and `entityId`: the runs of an agent, including delegated ones.
   */
  listSpans(
    owner: Owner,
    filter: SpanFilter,
  ): Promise<{ readonly spans: readonly SpanRecord[]; readonly total: number }>;

  /**
   * Newest first; of several with the same time, the last to arrive first. `total` counts all that
   * match.
   */
  listLogs(owner: Owner, filter: LogFilter): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }>;

  /** How many traces, spans and logs are stored. */
  counts(): Promise<{ readonly traces: number; readonly spans: number; readonly logs: number }>;

  /**
   * Counts runs and model calls over time (`toMeasurement`). Spans without `user.id` (their own or
   * that of their trace) are counted without a user. A model call counts for the workflow that its
   * span names (`halyard.workflow.id`), and for no other. A store may count a span for the user
   * that was known when the span was written.
   */
  metrics(owner: Owner, query: MetricsQuery): Promise<TelemetryMetrics>;

  /**
   * Deletes the traces and logs of a user, also from the metrics. Of a trace with entries of other
   * users, only the spans of this user are deleted (`spansOfUser`): anyone may send the id of
   * somebody else's trace. @returns the number of traces.
   */
  deleteUser(userId: string): Promise<number>;

  /**
   * Deletes what started before this time, possibly only whole days. @returns the number of spans
   * and logs, if it is known.
   */
  purge(before: number): Promise<number>;
}

export interface TelemetryBatch {
  readonly spans: readonly SpanRecord[];
  readonly logs: readonly LogRecord[];
}

/**
 * Of the latest entry. `aborted`: its caller has left or stopped it. `refused`: a guardrail blocked
 * it, or its request was not accepted.
 */
export type TraceStatus = 'running' | 'ok' | 'error' | 'aborted' | 'refused';

export interface TraceSummary {
  readonly traceId: string;
  /** The earliest entry; the earliest span when no entry has arrived yet. */
  readonly rootSpan: SpanRecord;
  readonly spanCount: number;
  readonly startTime: number;
  /** The latest end of a span; null while the trace runs. */
  readonly endTime: number | null;
  /** The status of the latest entry. */
  readonly status: TraceStatus;
  /** The `entity.id` of the root. */
  readonly entityId: string | null;
  /** The `entity.type` of the root: `agent`, `workflow`, `tool`. */
  readonly entityType: string | null;
  /** The models that were called, in the order of their names. */
  readonly models: readonly string[];
  /** Of all calls of models. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null if no call carries a cost. */
  readonly cost: number | null;
}

/** What traces are listed by, the greatest first. Traces with the same amount: the latest first. */
export const traceOrders = ['startTime', 'duration', 'tokens', 'cost'] as const;
export type TraceOrder = (typeof traceOrders)[number];

/** The ratings of a reply. */
export const feedbackRatings = ['up', 'down'] as const;
export type FeedbackRating = (typeof feedbackRatings)[number];

export interface TelemetryPage {
  readonly limit: number;
  readonly offset: number;
  /**
   * How large the spans or logs of the page may be together, in bytes of JSON, or of memory in a
   * store that has no JSON. Further ones are left out, but not the first. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
}

export interface TraceFilter extends TelemetryPage {
  readonly entityId?: string | undefined;
  readonly entityType?: string | undefined;
  readonly status?: TraceStatus | undefined;
  /** Only traces of this user: one of their entries has this `user.id`. */
  readonly userId?: string | undefined;
  /** The earliest start time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** The latest start time. */
  readonly to?: number | undefined;
  /**
   * What follows looks at the newest `searchedTraces` that match the filters above. Only traces
   * with a span that contains this text (`containsText`).
   */
  readonly text?: string | undefined;
  /** Only traces with a run of this agent, also a delegated one. */
  readonly agentId?: string | undefined;
  /** Only traces with a call of this tool. */
  readonly toolName?: string | undefined;
  /** Only traces with a call of this model, as metrics name it (`toMeasurement`). */
  readonly model?: string | undefined;
  /** Only traces that have ended, and took at least as long. */
  readonly minDurationMs?: number | undefined;
  /** Input and output tokens together. */
  readonly minTokens?: number | undefined;
  /** US dollars. */
  readonly minCost?: number | undefined;
  /**
   * Only traces in which a person gave this rating: a span has the `entity.type` `feedback` and the
   * rating as its `entity.id`.
   */
  readonly feedback?: FeedbackRating | undefined;
  /** Default: `startTime`. */
  readonly sort?: TraceOrder | undefined;
}

export interface SpanFilter extends TelemetryPage {
  /** The `entity.type`: `agent`, `workflow`, `tool`. */
  readonly entityType?: string | undefined;
  /** The `entity.id`. */
  readonly entityId?: string | undefined;
  /** Only calls of this model, as metrics name it (`toMeasurement`). */
  readonly model?: string | undefined;
  /** `ended`: every status but `running`. */
  readonly status?: TraceStatus | 'ended' | undefined;
  /** Only entries: requests, as metrics count them. */
  readonly isEntry?: true | undefined;
  /** Only spans with this `user.id`. */
  readonly userId?: string | undefined;
  /** Only spans of these traces. */
  readonly traceIds?: readonly string[] | undefined;
  /** The earliest start time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** The latest start time. */
  readonly to?: number | undefined;
}

export interface LogFilter extends TelemetryPage {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** Exactly this severity, in upper or lower case. */
  readonly severityText?: string | undefined;
  /** Exactly this severity. */
  readonly severityNumber?: number | undefined;
  /** This severity or a higher one. */
  readonly minSeverity?: number | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly executionId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** The earliest time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** The latest time. */
  readonly to?: number | undefined;
  /**
   * Only logs that contain this text (`containsText`), of the newest `searchedLogs` that match the
   * filters other than this and `withoutClient`.
   */
  readonly text?: string | undefined;
  /**
   * No logs whose attribute `client` is this, of the newest `searchedLogs` that match the filters
   * other than this and `text`.
   */
  readonly withoutClient?: string | undefined;
}
