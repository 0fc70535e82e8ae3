import {
  type LogFilter,
  type Owner,
  searchedLogs,
  searchedText,
  searchedTraces,
  type SpanFilter,
  type TelemetryPage,
  type TraceFilter,
  type TraceOrder,
  type TraceStatus,
} from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { toText } from '../connection/text-codec.ts';
import { startOfClient } from './telemetry-batch.ts';
import { telemetryKey } from './telemetry-key.ts';

export interface RecordRow {
  /** JSON. */
  readonly record: string;
}

/** A row of a page; the only row of an empty page has no record. Each row has the total. */
export interface PageRow {
  readonly total: number;
  readonly record: string | null;
}

export interface TraceRow extends PageRow {
  readonly time: number;
  readonly end_time: number | null;
  readonly span_count: number;
  readonly status: TraceStatus;
  readonly models: readonly string[];
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
}

type Condition = RawBuilder<SqlBool>;
type TableName = 'spans' | 'traces' | 'logs' | 'telemetry_counts';

/** The statements that read spans, traces and logs of one schema. */
export class TelemetryQueries {
  readonly #schema: string;

  /** @param schema quoted. */
  constructor(schema: string) {
    this.#schema = schema;
  }

  span(owner: Owner, spanId: string): RawBuilder<RecordRow> {
    const where = all([sql`s.span_id = ${telemetryKey(spanId)}`, ...this.#inTraceOf(owner)]);
    return sql`select s.record from ${this.#table('spans')} s ${where} order by s.time, s.position limit 1`;
  }

  /** The times of the trace exclude the tables of other days. */
  trace(owner: Owner, traceId: string, { limit, maxBytes, offset }: TelemetryPage): RawBuilder<RecordRow> {
    const key = telemetryKey(traceId);
    const times = sql<SqlBool>`s.time between (select t.first_time from ${this.#table('traces')} t where t.trace_id = ${key})
      and (select t.last_time from ${this.#table('traces')} t where t.trace_id = ${key})`;
    const where = all([sql`s.trace_id = ${key}`, times, ...this.#inTraceOf(owner)]);
    return sql`
with found as materialized (
  select s.record, s.time, s.position from ${this.#table('spans')} s ${where} order by s.time, s.position limit ${limit} offset ${offset}
)
select p.record from ${firstWithin(maxBytes, sql`f.time, f.position`)} p order by p.time, p.position`;
  }

  traces(owner: Owner, filter: TraceFilter): RawBuilder<TraceRow> {
    const { limit, maxBytes, offset, sort = 'startTime' } = filter;
    const conditions = traceConditions(owner, filter);
    const newest = sql`select * from ${this.#table('traces')} t ${all(conditions)} order by t.time desc, t.trace_id desc`;
    const searched = this.#searchConditions(filter);
    const isSearch = searched.length > 0 || sort !== 'startTime';
    const order = sql`${traceAmounts[sort]} desc, f.time desc, f.trace_id desc`;
    const page = isSearch
      ? sql`newest as materialized (${newest} limit ${searchedTraces}),
matching as materialized (select n.*, ${usage} from newest n cross join lateral ${this.#usage} u ${all(searched)}),
page as materialized (select * from matching f order by ${order} limit ${limit} offset ${offset})`
      : sql`newest as materialized (${newest} limit ${limit} offset ${offset}),
page as materialized (select n.*, ${usage} from newest n cross join lateral ${this.#usage} u)`;
    const total = isSearch ? sql`select count(*) from matching` : this.#total('traces', conditions);
    return sql`
with ${page}, found as materialized (
  select p.*, s.record from page p join lateral (
    select s.record from ${this.#table('spans')} s where s.trace_id = p.trace_id and s.span_id = p.root_span_id and s.time = p.time limit 1) s on true
)
select (${total})::double precision as total, f.time, f.end_time, f.span_count, f.status, f.models, f.input_tokens, f.output_tokens, f.cost, f.record
from (select) one left join ${firstWithin(maxBytes, order)} f on true
order by ${order}`;
  }

  spans(owner: Owner, filter: SpanFilter): RawBuilder<PageRow> {
    return this.#page('spans', [...spanConditions(filter), ...this.#inTraceOf(owner)], filter);
  }

  logs(owner: Owner, filter: LogFilter): RawBuilder<PageRow> {
    const conditions = logConditions(owner, filter);
    const searched = searchConditions(filter);
    return searched.length === 0
      ? this.#page('logs', conditions, filter)
      : this.#searchedLogs(searched, conditions, filter);
  }

  counts(): RawBuilder<{ readonly kind: string; readonly amount: number }> {
    return sql`select kind, sum(amount)::double precision as amount from ${this.#table('telemetry_counts')} group by kind`;
  }

  /** The traces in which the user and others have entries, by their ids. */
  sharedTraces(
    userId: string,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): RawBuilder<{ readonly trace_id: string }> {
    const conditions = [
      ...traceConditions({ user: userId }, { limit, offset: 0 }),
      sql<SqlBool>`cardinality(t.user_ids) > 1`,
    ];
    // Materialized, so that the index of users is searched, and not that of the ids, in their
    // order, until there are enough.
    return sql`
with shared as materialized (select t.trace_id from ${this.#table('traces')} t ${all(conditions)})
select s.trace_id from shared s where s.trace_id > ${after} order by s.trace_id limit ${limit}`;
  }

  /** The conditions on the newest traces `n`, with their usage `u`. */
  #searchConditions(filter: TraceFilter): readonly Condition[] {
    const { agentId, feedback, minCost, minDurationMs, minTokens, model, text, toolName } = filter;
    const conditions: Condition[] = [];
    // For "exists", PostgreSQL might read all spans.
    const hasSpan = (condition: Condition): Condition =>
      sql`(select true from ${this.#table('spans')} s where ${inTrace} and ${condition} limit 1)`;
    const hasEntity = (type: string, id: string): Condition =>
      hasSpan(sql`s.entity_type = ${type} and s.entity_id = ${telemetryKey(id)}`);
    if (agentId !== undefined) conditions.push(hasEntity('agent', agentId));
    if (toolName !== undefined) conditions.push(hasEntity('tool', toolName));
    if (feedback !== undefined) conditions.push(hasEntity('feedback', feedback));
    if (model !== undefined) conditions.push(sql`u.models @> array[${telemetryKey(model)}::text]`);
    if (minDurationMs !== undefined)
      conditions.push(sql`n.status <> 'running' and n.end_time - n.time >= ${minDurationMs}`);
    if (minTokens !== undefined) conditions.push(sql`u.input_tokens + u.output_tokens >= ${minTokens}`);
    if (minCost !== undefined) conditions.push(sql`coalesce(u.cost, 0) >= ${minCost}`);
    if (text !== undefined) conditions.push(hasSpan(contains('s.record', text)));
    return conditions;
  }

  /** The models, tokens and cost of a trace `n`. */
  get #usage(): RawBuilder<unknown> {
    return sql`(
  select coalesce(sum(s.input_tokens), 0)::double precision as input_tokens, coalesce(sum(s.output_tokens), 0)::double precision as output_tokens,
    sum(s.cost) as cost, coalesce(array_agg(distinct s.model collate "C" order by s.model collate "C") filter (where s.model is not null), '{}') as models
  from ${this.#table('spans')} s where ${inTrace})`;
  }

  /**
   * Of the newest logs that match the conditions, those that also match conditions which read the
   * record.
   */
  #searchedLogs(
    searched: readonly Condition[],
    conditions: readonly Condition[],
    { limit, maxBytes, offset }: TelemetryPage,
  ): RawBuilder<PageRow> {
    return sql`
with newest as materialized (
  select l.record, l.time, l.position from ${this.#table('logs')} l ${all(conditions)}
  order by l.time desc, l.position desc limit ${searchedLogs}
), matching as materialized (
  select * from newest n ${all(searched)}
), found as materialized (
  select * from matching m order by m.time desc, m.position desc limit ${limit} offset ${offset}
)
select (select count(*) from matching)::double precision as total, p.record
from (select) one left join ${firstWithin(maxBytes, sql`f.time desc, f.position desc`)} p on true order by p.time desc, p.position desc`;
  }

  /** Latest first. */
  #page(
    table: 'spans' | 'logs',
    conditions: readonly Condition[],
    { limit, maxBytes, offset }: TelemetryPage,
  ): RawBuilder<PageRow> {
    const alias = sql.raw(aliases[table]);
    return sql`
with found as materialized (
  select ${alias}.record, ${alias}.time, ${alias}.position from ${this.#table(table)} ${alias} ${all(conditions)}
  order by ${alias}.time desc, ${alias}.position desc limit ${limit} offset ${offset}
)
select (${this.#total(table, conditions)})::double precision as total, p.record
from (select) one left join ${firstWithin(maxBytes, sql`f.time desc, f.position desc`)} p on true order by p.time desc, p.position desc`;
  }

  /** Without conditions, the total is the sum of the counters. */
  #total(table: keyof typeof aliases, conditions: readonly Condition[]): RawBuilder<unknown> {
    if (conditions.length > 0)
      return sql`select count(*) from ${this.#table(table)} ${sql.raw(aliases[table])} ${all(conditions)}`;
    return sql`select coalesce(sum(c.amount), 0) from ${this.#table('telemetry_counts')} c where c.kind = ${table}`;
  }

  #inTraceOf(owner: Owner): readonly Condition[] {
    if (owner === 'anyone') return [];
    return [
      sql`exists (select from ${this.#table('traces')} t where t.trace_id = s.trace_id and t.user_ids @> array[${telemetryKey(owner.user)}::text])`,
    ];
  }

  #table(name: TableName): RawBuilder<unknown> {
    return sql.raw(`${this.#schema}.${name}`);
  }
}

const usage = sql`u.models, u.input_tokens, u.output_tokens, u.cost`;

const traceAmounts: Readonly<Record<TraceOrder, RawBuilder<unknown>>> = {
  startTime: sql`f.time`,
  duration: sql`case when f.status = 'running' then 0 else coalesce(f.end_time, f.time) - f.time end`,
  tokens: sql`f.input_tokens + f.output_tokens`,
  cost: sql`coalesce(f.cost, 0)`,
};

/** The spans of a trace `n`. Its times exclude the tables of other days. */
const inTrace = sql<SqlBool>`s.trace_id = n.trace_id and s.time between n.first_time and n.last_time`;

const aliases = { spans: 's', traces: 't', logs: 'l' } as const;

const logColumns = [
  ['traceId', 'trace_id'],
  ['spanId', 'span_id'],
  ['agentId', 'agent_id'],
  ['workflowId', 'workflow_id'],
  ['executionId', 'execution_id'],
  ['conversationId', 'conversation_id'],
] as const;

function traceConditions(
  owner: Owner,
  { entityId, entityType, from, status, to, userId }: TraceFilter,
): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const user of [owner === 'anyone' ? undefined : owner.user, userId]) {
    if (user === undefined) continue;
    // The first condition matches that of the partial index.
    conditions.push(sql`t.user_ids <> '{}' and t.user_ids @> array[${telemetryKey(user)}::text]`);
  }
  if (entityId !== undefined) conditions.push(sql`t.entity_id = ${telemetryKey(entityId)}`);
  if (entityType !== undefined) conditions.push(sql`t.entity_type = ${telemetryKey(entityType)}`);
  if (status !== undefined) conditions.push(sql`t.status = ${status}`);
  if (from !== undefined) conditions.push(sql`t.time >= ${from}`);
  if (to !== undefined) conditions.push(sql`t.time <= ${to}`);
  return conditions;
}

function spanConditions({
  entityId,
  entityType,
  from,
  isEntry,
  model,
  status,
  to,
  traceIds,
  userId,
}: SpanFilter): readonly Condition[] {
  const conditions: Condition[] = [];
  if (entityId !== undefined) conditions.push(sql`s.entity_id = ${telemetryKey(entityId)}`);
  if (entityType !== undefined) conditions.push(sql`s.entity_type = ${telemetryKey(entityType)}`);
  if (model !== undefined) conditions.push(sql`s.model = ${telemetryKey(model)}`);
  if (userId !== undefined) conditions.push(sql`s.user_id = ${telemetryKey(userId)}`);
  if (isEntry === true) conditions.push(sql`s.is_entry`);
  // Constants, so that the partial index on failures can be used.
  if (status === 'error') conditions.push(sql`s.status = 'error'`);
  else if (status === 'ended') conditions.push(sql`s.status <> 'running'`);
  else if (status !== undefined) conditions.push(sql`s.status = ${status}`);
  if (traceIds !== undefined) conditions.push(sql`s.trace_id = any(${traceIds.map(telemetryKey)}::text[])`);
  if (from !== undefined) conditions.push(sql`s.time >= ${from}`);
  if (to !== undefined) conditions.push(sql`s.time <= ${to}`);
  return conditions;
}

function logConditions(owner: Owner, filter: LogFilter): readonly Condition[] {
  const { from, minSeverity, severityNumber, severityText, to } = filter;
  const conditions: Condition[] = [];
  if (owner !== 'anyone') conditions.push(sql`l.user_id = ${telemetryKey(owner.user)}`);
  for (const [name, column] of logColumns) {
    const value = filter[name];
    if (value !== undefined) conditions.push(sql`${sql.raw(`l.${column}`)} = ${telemetryKey(value)}`);
  }
  const text = severityText?.toUpperCase();
  if (text !== undefined) conditions.push(sql`l.severity_text = ${toText(text)}`);
  // A constant, so that the partial index can be used.
  if (text !== undefined && text !== 'INFO') conditions.push(sql`l.severity_text <> 'INFO'`);
  if (severityNumber !== undefined) conditions.push(sql`l.severity_number = ${severityNumber}`);
  if (minSeverity !== undefined) conditions.push(sql`l.severity_number >= ${minSeverity}`);
  // A constant, so that the partial index on severe logs can be used.
  if (Math.max(minSeverity ?? 0, severityNumber ?? 0) >= 13) conditions.push(sql`l.severity_number >= 13`);
  if (from !== undefined) conditions.push(sql`l.time >= ${from}`);
  if (to !== undefined) conditions.push(sql`l.time <= ${to}`);
  return conditions;
}

/** The conditions that no index helps. */
function searchConditions({ text, withoutClient }: LogFilter): readonly Condition[] {
  const conditions: Condition[] = [];
  if (text !== undefined) conditions.push(contains('n.record', text));
  // Compares the text of the JSON: PostgreSQL cannot read the JSON of every text.
  if (withoutClient !== undefined) conditions.push(sql`not starts_with(n.record, ${startOfClient(withoutClient)})`);
  return conditions;
}

/** As `containsText` compares: in the collation "C", only A to Z have another case. */
function contains(column: string, text: string): Condition {
  return sql`strpos(lower(${sql.raw(column)} collate "C"), ${searchedText(text)}) > 0`;
}

/**
 * The rows of `found` that have at most this many bytes together, and the first one. PostgreSQL
 * knows the length of a text without reading it.
 */
function firstWithin(maxBytes = Number.MAX_SAFE_INTEGER, order: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
  select * from (
    select f.*, row_number() over w as place, sum(octet_length(f.record)) over w as bytes from found f window w as (order by ${order})
  ) sized where sized.place = 1 or sized.bytes <= ${maxBytes}
)`;
}

/** A `where` clause; empty without conditions. */
function all(conditions: readonly Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}
