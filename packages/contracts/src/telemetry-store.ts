import type { Owner } from './owner.ts';
import type { LogRecord, SpanRecord } from './telemetry.ts';

/**
 * Where spans and logs are kept to be looked at. A store forgets: the in-memory one what is oldest when it is full, a database what is older than it keeps.
 *
 * Of a person, `{ user }`, are the traces with an entry whose attribute `user.id` is that user, and the logs whose attribute `userId` is.
 */
export interface TelemetryStore {
  /** What `GET /observability/status` calls it: `in-memory`, `postgres`. */
  readonly name: string;
  /** Whether it outlives the process. */
  readonly isPersistent: boolean;

  /**
   * Writes a batch, whole or not at all. Spans come in any order, children before parents too, from several processes. A span that comes again replaces the
   * one before, unless that has ended and this has not.
   */
  write(batch: TelemetryBatch): Promise<void>;

  /**
   * Takes a span that has just ended, at once: for stores in this process, which so need not be waited for. All others leave it out, and are given theirs in
   * batches.
   */
  keep?(span: SpanRecord): void;

  findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined>;

  /** All spans of a trace by their beginning, those of one moment in the order they came; none when it is unknown. */
  findTrace(owner: Owner, traceId: string): Promise<readonly SpanRecord[]>;

  /** Newest beginning first. `total` counts all that match. */
  listTraces(
    owner: Owner,
    filter: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }>;

  /** The runs of an agent, delegated ones too: spans with its `entity.type` and `entity.id`. Newest beginning first. */
  listRuns(owner: Owner, filter: RunFilter): Promise<{ readonly runs: readonly SpanRecord[]; readonly total: number }>;

  /** Newest first; of one moment, the one that came last first. `total` counts all that match. */
  listLogs(owner: Owner, filter: LogFilter): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }>;

  /** How much is kept. */
  counts(): Promise<{ readonly traces: number; readonly spans: number; readonly logs: number }>;

  /** Forgets the traces and logs of a user. @returns how many traces. */
  deleteUser(userId: string): Promise<number>;

  /** Forgets what began before this time, as far as the store can take it apart: perhaps whole days. @returns how many spans and logs, if it knows. */
  purge(before: number): Promise<number>;
}

export interface TelemetryBatch {
  readonly spans: readonly SpanRecord[];
  readonly logs: readonly LogRecord[];
}

/** `running`: its latest entry has not ended. */
export type TraceStatus = 'running' | 'ok' | 'error';

export interface TraceSummary {
  readonly traceId: string;
  /** Its earliest entry; of a trace whose entries have not come yet, its earliest span. */
  readonly rootSpan: SpanRecord;
  readonly spanCount: number;
  readonly startTime: number;
  /** The latest end of a span; null while it runs. */
  readonly endTime: number | null;
  /** Of the latest entry: a failed one is `error`. */
  readonly status: TraceStatus;
  /** The root's `entity.id`. */
  readonly entityId: string | null;
  /** The root's `entity.type`: `agent`, `workflow`, `tool`. */
  readonly entityType: string | null;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface TraceFilter extends Page {
  readonly entityId?: string | undefined;
  readonly entityType?: string | undefined;
  readonly status?: TraceStatus | undefined;
  /** Beginning at or after, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Beginning at or before. */
  readonly to?: number | undefined;
}

export interface RunFilter extends Page {
  readonly entityType: string;
  readonly entityId: string;
  /** Only those with this `user.id`. */
  readonly userId?: string | undefined;
}

export interface LogFilter extends Page {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** Exactly this one, in any case. */
  readonly severityText?: string | undefined;
  /** Exactly this one. */
  readonly severityNumber?: number | undefined;
  /** This one or more severe. */
  readonly minSeverity?: number | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly executionId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** At or after, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** At or before. */
  readonly to?: number | undefined;
}
