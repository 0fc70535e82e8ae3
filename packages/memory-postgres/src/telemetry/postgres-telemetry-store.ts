import {
  type LogFilter,
  type LogRecord,
  type MetricsQuery,
  type Owner,
  type PlacedSpan,
  type SpanFilter,
  type SpanRecord,
  spansOfUser,
  type TelemetryBatch,
  type TelemetryMetrics,
  type TelemetryPage,
  type TelemetryStore,
  type TraceFilter,
  type TraceSummary,
} from '@halyard/contracts';
import type { RawBuilder } from 'kysely';
import type { Database } from '../connection/database.ts';
import { fromText } from '../connection/text-codec.ts';
import { readMetrics } from './read-metrics.ts';
import { logRows, spanRows } from './telemetry-batch.ts';
import { telemetryKey, toTelemetryKey } from './telemetry-key.ts';
import { type PageRow, type RecordRow, TelemetryQueries, type TraceRow } from './telemetry-queries.ts';

/** How many traces one transaction deletes. */
const deletionBatch = 500;
const dayMs = 86_400_000;
const wholeTrace: TelemetryPage = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };

/**
 * Stores spans and logs in tables partitioned by day. The tables are created when a day begins and
 * dropped when it is purged.
 */
export class PostgresTelemetryStore implements TelemetryStore {
  readonly name = 'postgres';
  readonly isPersistent = true;
  readonly #database: Database;
  readonly #queries: TelemetryQueries;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = new TelemetryQueries(database.schema);
  }

  async write({ logs, spans }: TelemetryBatch): Promise<void> {
    if (spans.length + logs.length === 0) return;
    // A repeated write would store its logs twice.
    await this.#database.call('write_telemetry', [spanRows(spans), logRows(logs)], { retry: logs.length === 0 });
  }

  async findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined> {
    const [span] = await this.#spans(this.#queries.span(owner, spanId));
    return span;
  }

  findTrace(owner: Owner, traceId: string, range: TelemetryPage = wholeTrace): Promise<readonly SpanRecord[]> {
    return this.#spans(this.#queries.trace(owner, traceId, range));
  }

  async listTraces(
    owner: Owner,
    filter: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }> {
    const rows = await this.#read(this.#queries.traces(owner, filter));
    return { traces: rows.flatMap(readSummary), total: rows[0]?.total ?? 0 };
  }

  async listSpans(
    owner: Owner,
    filter: SpanFilter,
  ): Promise<{ readonly spans: readonly SpanRecord[]; readonly total: number }> {
    const { records, total } = await this.#page<SpanRecord>(this.#queries.spans(owner, filter));
    return { spans: records, total };
  }

  async listLogs(
    owner: Owner,
    filter: LogFilter,
  ): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }> {
    const { records, total } = await this.#page<LogRecord>(this.#queries.logs(owner, filter));
    return { logs: records, total };
  }

  async counts(): Promise<{ readonly traces: number; readonly spans: number; readonly logs: number }> {
    const rows = await this.#read(this.#queries.counts());
    const countOf = (kind: string): number => rows.find((row) => row.kind === kind)?.amount ?? 0;
    return { traces: countOf('traces'), spans: countOf('spans'), logs: countOf('logs') };
  }

  metrics(owner: Owner, query: MetricsQuery): Promise<TelemetryMetrics> {
    return readMetrics(this.#database, owner, query);
  }

  async deleteUser(userId: string): Promise<number> {
    for (let deleted = await this.#leaveSharedTraces(userId); ;) {
      const parameters = [telemetryKey(userId), deletionBatch];
      const [part] = await this.#database.call<{ traces: number; logs: number }>('delete_user_telemetry', parameters);
      deleted += part?.traces ?? 0;
      if (part === undefined || part.traces + part.logs === 0) return deleted;
    }
  }

  /**
   * Deletes the spans of a user from the traces that others have entries in. @returns the number of
   * these traces.
   */
  async #leaveSharedTraces(userId: string): Promise<number> {
    let [left, after] = [0, ''];
    for (;;) {
      const shared = await this.#read(this.#queries.sharedTraces(userId, { after, limit: deletionBatch }));
      for (const { trace_id: traceId } of shared) {
        const ids = spansOfUser(await this.#placedSpans(traceId), telemetryKey(userId));
        const parameters = [telemetryKey(userId), traceId, [...ids].map(telemetryKey)];
        await this.#database.callScalar('delete_spans_of_user', parameters);
        [left, after] = [left + 1, traceId];
      }
      if (shared.length < deletionBatch) return left;
    }
  }

  /** Page by page, because a trace may have any number of spans of any size. */
  async #placedSpans(traceId: string): Promise<readonly PlacedSpan[]> {
    const placed: PlacedSpan[] = [];
    for (;;) {
      const page = await this.findTrace('anyone', traceId, {
        limit: 1_000,
        offset: placed.length,
        maxBytes: 4_194_304,
      });
      if (page.length === 0) return placed;
      for (const { attributes, isEntry, parentSpanId, spanId } of page)
        placed.push({ spanId, parentSpanId, entryOf: isEntry ? toTelemetryKey(attributes['user.id']) : null });
    }
  }

  /** Deletes whole days (UTC) that ended before the given time. */
  async purge(before: number): Promise<number> {
    const day = Math.floor(Math.min(Math.max(before, 0), 8.64e15) / dayMs);
    let purged = 0;
    for (;;) {
      const [dropped] = await this.#database.callScalar<string | number | null>('drop_telemetry_day', [day]);
      if (dropped === undefined || dropped === null) break;
      purged += Number(dropped);
    }
    for (;;) {
      const [part] = await this.#database.call<{ spans: number; logs: number; traces: number }>(
        'forget_old_telemetry',
        [day * dayMs, deletionBatch],
      );
      if (part === undefined || part.spans + part.logs + part.traces === 0) return purged;
      purged += part.spans + part.logs;
    }
  }

  async #read<Row>(query: RawBuilder<Row>): Promise<readonly Row[]> {
    const { rows } = await this.#database.read((db) => query.execute(db));
    return rows;
  }

  async #spans(query: RawBuilder<RecordRow>): Promise<readonly SpanRecord[]> {
    const rows = await this.#read(query);
    return rows.map(({ record }) => JSON.parse(record) as SpanRecord);
  }

  async #page<Of>(query: RawBuilder<PageRow>): Promise<{ readonly records: readonly Of[]; readonly total: number }> {
    const rows = await this.#read(query);
    const records = rows.flatMap(({ record }) => (record === null ? [] : [JSON.parse(record) as Of]));
    return { records, total: rows[0]?.total ?? 0 };
  }
}

function readSummary(row: TraceRow): readonly TraceSummary[] {
  if (row.record === null) return [];
  const rootSpan = JSON.parse(row.record) as SpanRecord;
  const { 'entity.id': entityId, 'entity.type': entityType } = rootSpan.attributes;
  return [
    {
      traceId: rootSpan.traceId,
      rootSpan,
      spanCount: row.span_count,
      startTime: row.time,
      endTime: row.status === 'running' ? null : row.end_time,
      status: row.status,
      entityId: typeof entityId === 'string' ? entityId : null,
      entityType: typeof entityType === 'string' ? entityType : null,
      models: row.models.map(fromText),
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cost: row.cost,
    },
  ];
}
