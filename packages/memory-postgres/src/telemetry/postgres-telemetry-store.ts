import type {
  LogFilter,
  LogRecord,
  Owner,
  RunFilter,
  SpanRecord,
  TelemetryBatch,
  TelemetryStore,
  TraceFilter,
  TraceStatus,
  TraceSummary,
} from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { sentBatch } from './telemetry-batch.ts';
import { telemetryKey } from './telemetry-key.ts';
import { logsQuery, runsQuery, spanQuery, type Statement, traceQuery, tracesQuery } from './telemetry-queries.ts';

/** Traces that one transaction deletes. */
const deletedAtOnce = 500;
const dayMs = 86_400_000;

interface PageRow {
  readonly total: number;
  /** JSON; null in the one row of an empty page. */
  readonly record: string | null;
}

interface TraceRow extends PageRow {
  readonly time: number;
  readonly end_time: number | null;
  readonly span_count: number;
  readonly status: TraceStatus;
}

/** Spans and logs in tables of a day each, which are made when a day begins, and dropped when it is forgotten. */
export class PostgresTelemetryStore implements TelemetryStore {
  readonly name = 'postgres';
  readonly isPersistent = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async write(batch: TelemetryBatch): Promise<void> {
    if (batch.spans.length + batch.logs.length === 0) return;
    // Spans that come twice are one; logs are not.
    await this.#database.query(`select ${this.#schema}.write_telemetry(${parameters})`, sentBatch(batch), {
      bearsTwice: batch.logs.length === 0,
    });
  }

  async findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined> {
    const [span] = await this.#records<SpanRecord>(spanQuery(this.#schema, owner, spanId));
    return span;
  }

  findTrace(owner: Owner, traceId: string): Promise<readonly SpanRecord[]> {
    return this.#records<SpanRecord>(traceQuery(this.#schema, owner, traceId));
  }

  async listTraces(
    owner: Owner,
    filter: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }> {
    const rows = await this.#read<TraceRow>(tracesQuery(this.#schema, owner, filter));
    return { traces: rows.flatMap(summaryOf), total: rows[0]?.total ?? 0 };
  }

  async listRuns(
    owner: Owner,
    filter: RunFilter,
  ): Promise<{ readonly runs: readonly SpanRecord[]; readonly total: number }> {
    const { records, total } = await this.#page<SpanRecord>(runsQuery(this.#schema, owner, filter));
    return { runs: records, total };
  }

  async listLogs(
    owner: Owner,
    filter: LogFilter,
  ): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }> {
    const { records, total } = await this.#page<LogRecord>(logsQuery(this.#schema, owner, filter));
    return { logs: records, total };
  }

  async counts(): Promise<{ readonly traces: number; readonly spans: number; readonly logs: number }> {
    const text = `select kind, sum(amount)::double precision as amount from ${this.#schema}.telemetry_counts group by kind`;
    const rows = await this.#read<{ kind: string; amount: number }>({ text, values: [] });
    const of = (kind: string): number => rows.find((row) => row.kind === kind)?.amount ?? 0;
    return { traces: of('traces'), spans: of('spans'), logs: of('logs') };
  }

  async deleteUser(userId: string): Promise<number> {
    const text = `select * from ${this.#schema}.delete_user_telemetry($1, ${deletedAtOnce})`;
    for (let deleted = 0; ;) {
      const [part] = await this.#read<{ traces: number; logs: number }>({ text, values: [telemetryKey(userId)] });
      deleted += part?.traces ?? 0;
      if (part === undefined || part.traces + part.logs === 0) return deleted;
    }
  }

  /** Whole days (UTC) that have ended before. */
  async purge(before: number): Promise<number> {
    const day = Math.floor(Math.min(Math.max(before, 0), 8.64e15) / dayMs);
    let forgotten = 0;
    for (;;) {
      const text = `select ${this.#schema}.drop_telemetry_day($1)::double precision as dropped`;
      const [part] = await this.#read<{ dropped: number | null }>({ text, values: [day] });
      if (part === undefined || part.dropped === null) break;
      forgotten += part.dropped;
    }
    for (;;) {
      const text = `select * from ${this.#schema}.forget_old_telemetry($1, ${deletedAtOnce})`;
      const values = [day * dayMs];
      const [part] = await this.#read<{ spans: number; logs: number; traces: number }>({ text, values });
      if (part === undefined || part.spans + part.logs + part.traces === 0) return forgotten;
      forgotten += part.spans + part.logs;
    }
  }

  get #schema(): string {
    return this.#database.schema;
  }

  /** What only reads, or may be done twice. */
  #read<Row>({ text, values }: Statement): Promise<readonly Row[]> {
    return this.#database.query<Row>(text, values, { bearsTwice: true });
  }

  async #records<Of>(statement: Statement): Promise<readonly Of[]> {
    const rows = await this.#read<{ record: string }>(statement);
    return rows.map(({ record }) => JSON.parse(record) as Of);
  }

  async #page<Of>(statement: Statement): Promise<{ readonly records: readonly Of[]; readonly total: number }> {
    const rows = await this.#read<PageRow>(statement);
    const records = rows.flatMap(({ record }) => (record === null ? [] : [JSON.parse(record) as Of]));
    return { records, total: rows[0]?.total ?? 0 };
  }
}

const parameters = Array.from({ length: 21 }, (_, index) => `$${index + 1}`).join(', ');

function summaryOf(row: TraceRow): readonly TraceSummary[] {
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
    },
  ];
}
