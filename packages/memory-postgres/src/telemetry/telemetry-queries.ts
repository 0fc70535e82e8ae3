import type { LogFilter, Owner, RunFilter, TraceFilter } from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';
import { telemetryKey } from './telemetry-key.ts';

/** A statement and its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Gathers conditions, and the values that stand in them by number. */
class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** @param text where `?` stands for the value. */
  add(text: string, value: unknown): void {
    this.#texts.push(text.replaceAll('?', this.bind(value)));
  }

  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** After a word that begins it; nothing when nothing is asked for. */
  toText(word = 'where'): string {
    return this.#texts.length === 0 ? '' : `${word} ${this.#texts.join(' and ')}`;
  }
}

/** The condition that `traces as t` is of this owner: said twice, so that the index, which leaves out what is nobody's, is known to fit. */
const ofUser = `t.user_ids <> '{}' and t.user_ids @> array[?::text]`;

/** One span, and whether it is of this owner. */
export function spanQuery(schema: string, owner: Owner, spanId: string): Statement {
  const conditions = new Conditions();
  conditions.add('s.span_id = ?', telemetryKey(spanId));
  addOwner(conditions, schema, owner);
  const text = `select s.record from ${schema}.spans s ${conditions.toText()} order by s.time, s.position limit 1`;
  return { text, values: conditions.values };
}

export function traceQuery(schema: string, owner: Owner, traceId: string): Statement {
  const conditions = new Conditions();
  conditions.add('s.trace_id = ?', telemetryKey(traceId));
  addOwner(conditions, schema, owner);
  // The times of the trace leave out the tables of other days.
  const times = `s.time between (select t.first_time from ${schema}.traces t where t.trace_id = $1) and (select t.last_time from ${schema}.traces t where t.trace_id = $1)`;
  const text = `select s.record from ${schema}.spans s ${conditions.toText()} and ${times} order by s.time, s.position`;
  return { text, values: conditions.values };
}

/** A page of traces with their roots, and how many there are: those of anyone, without a filter, need not be counted. */
export function tracesQuery(schema: string, owner: Owner, filter: TraceFilter): Statement {
  const { entityId, entityType, from, limit, offset, status, to } = filter;
  const conditions = new Conditions();
  if (owner !== 'anyone') conditions.add(ofUser, telemetryKey(owner.user));
  if (entityId !== undefined) conditions.add('t.entity_id = ?', telemetryKey(entityId));
  if (entityType !== undefined) conditions.add('t.entity_type = ?', telemetryKey(entityType));
  if (status !== undefined) conditions.add('t.status = ?', status);
  if (from !== undefined) conditions.add('t.time >= ?', from);
  if (to !== undefined) conditions.add('t.time <= ?', to);
  const where = conditions.toText();
  const total = totalQuery(schema, 'traces', where);
  const text = `
with page as materialized (
  select t.trace_id, t.time, t.end_time, t.span_count, t.status, (t.root).span_id as root_id, (t.root).time as root_time
  from ${schema}.traces t ${where} order by t.time desc, t.trace_id desc limit ${conditions.bind(limit)} offset ${conditions.bind(offset)}
)
select (${total})::double precision as total, p.time, p.end_time, p.span_count, p.status, s.record
from (select) one left join (page p join lateral (
  select s.record from ${schema}.spans s where s.trace_id = p.trace_id and s.span_id = p.root_id and s.time = p.root_time limit 1) s on true) on true
order by p.time desc, p.trace_id desc`;
  return { text, values: conditions.values };
}

export function runsQuery(schema: string, owner: Owner, filter: RunFilter): Statement {
  const conditions = new Conditions();
  conditions.add('s.entity_id = ?', telemetryKey(filter.entityId));
  conditions.add('s.entity_type = ?', telemetryKey(filter.entityType));
  if (filter.userId !== undefined) conditions.add('s.user_id = ?', telemetryKey(filter.userId));
  addOwner(conditions, schema, owner);
  const total = `select count(*) from ${schema}.spans s ${conditions.toText()}`;
  return pageQuery(`${schema}.spans s`, 's', conditions, { ...filter, total });
}

export function logsQuery(schema: string, owner: Owner, filter: LogFilter): Statement {
  const { from, minSeverity, severityNumber, severityText, to } = filter;
  const conditions = new Conditions();
  if (owner !== 'anyone') conditions.add('l.user_id = ?', telemetryKey(owner.user));
  for (const [name, column] of logKeys) {
    const value = filter[name];
    if (value !== undefined) conditions.add(`l.${column} = ?`, telemetryKey(value));
  }
  if (severityText !== undefined) conditions.add('l.severity_text = ?', toText(severityText.toUpperCase()));
  if (severityNumber !== undefined) conditions.add('l.severity_number = ?', severityNumber);
  if (minSeverity !== undefined) conditions.add('l.severity_number >= ?', minSeverity);
  // Said with a number, so that the index of what is severe is known to fit.
  if (Math.max(minSeverity ?? 0, severityNumber ?? 0) >= 13) conditions.add('l.severity_number >= 13 and ? >= 13', 13);
  if (from !== undefined) conditions.add('l.time >= ?', from);
  if (to !== undefined) conditions.add('l.time <= ?', to);
  const total = totalQuery(schema, 'logs', conditions.toText());
  return pageQuery(`${schema}.logs l`, 'l', conditions, { ...filter, total });
}

/** How many there are where this holds. Of all there are counters. */
function totalQuery(schema: string, table: 'logs' | 'traces', where: string): string {
  if (where !== '') return `select count(*) from ${schema}.${table} ${table[0]} ${where}`;
  return `select coalesce(sum(c.amount), 0) from ${schema}.telemetry_counts c where c.kind = '${table}'`;
}

const logKeys = [
  ['traceId', 'trace_id'],
  ['spanId', 'span_id'],
  ['agentId', 'agent_id'],
  ['workflowId', 'workflow_id'],
  ['executionId', 'execution_id'],
  ['conversationId', 'conversation_id'],
] as const;

function addOwner(conditions: Conditions, schema: string, owner: Owner): void {
  if (owner === 'anyone') return;
  conditions.add(
    `exists (select from ${schema}.traces t where t.trace_id = s.trace_id and t.user_ids @> array[?::text])`,
    telemetryKey(owner.user),
  );
}

/** Newest first, with the total in each row: there is one also when the page is empty. */
function pageQuery(
  from: string,
  alias: string,
  conditions: Conditions,
  { limit, offset, total }: { readonly limit: number; readonly offset: number; readonly total: string },
): Statement {
  const where = conditions.toText();
  const text = `
with page as materialized (
  select ${alias}.record, ${alias}.time, ${alias}.position from ${from} ${where}
  order by ${alias}.time desc, ${alias}.position desc limit ${conditions.bind(limit)} offset ${conditions.bind(offset)}
)
select (${total})::double precision as total, p.record from (select) one left join page p on true order by p.time desc, p.position desc`;
  return { text, values: conditions.values };
}
