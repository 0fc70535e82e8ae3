import {
  latencyBuckets,
  type MetricGroupSums,
  type MetricsQuery,
  type MetricSums,
  type Owner,
  type TelemetryMetrics,
} from '@halyard/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { inSchema } from '../schema/in-schema.ts';
import { selectCells, resolutions } from '../schema/telemetry/metrics.sql.ts';
import { telemetryKey } from './telemetry-key.ts';

interface SumsRow {
  readonly requests: number;
  readonly errors: number;
  readonly aborted: number;
  readonly refused: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly cost: number | null;
  readonly unpriced_calls: number;
}

interface PointRow extends SumsRow {
  readonly name: string;
  /** -1: the time before. */
  readonly place: number;
}

/** How many durations of a name or a place are in a bucket. */
interface LatencyRow {
  readonly key: string | number;
  readonly bucket: number;
  readonly count: number;
}

interface GroupRow extends SumsRow {
  /** Null: all further ones. */
  readonly name: string | null;
}

type Condition = RawBuilder<unknown>;

const sums = sql`sum(m.requests)::double precision as requests, sum(m.errors)::double precision as errors,
  sum(m.aborted)::double precision as aborted, sum(m.refused)::double precision as refused,
  sum(m.input_tokens)::double precision as input_tokens, sum(m.output_tokens)::double precision as output_tokens,
  sum(m.cached_tokens)::double precision as cached_tokens, sum(m.cost) as cost,
  sum(m.unpriced_calls)::double precision as unpriced_calls`;
/**
 * Reads the cells that spans were counted in. One user's spans are counted when they are read, from
 * the user's traces: cells of each user for each agent and model would be as many as there are
 * spans.
 */
export async function readMetrics(database: Database, owner: Owner, query: MetricsQuery): Promise<TelemetryMetrics> {
  const { schema } = database;
  const { from, group, groupBy, intervalMs, maxGroups, to } = query;
  const before = from - (to - from);
  const resolution = intervalMs < resolutions.hour ? resolutions.minute : resolutions.hour;
  const cells = (kind: string, since: number, join = sql``): Condition => {
    const source =
      owner === 'anyone' ? sql.raw(`${schema}.telemetry_metrics`) : cellsOfUser(schema, owner.user, since, to);
    return sql`${source} m ${join} where m.resolution = ${resolution} and m.kind = ${kind} and m.time >= ${since} and m.time < ${to}`;
  };
  const place = sql`greatest(floor((m.time - ${from}) / ${intervalMs}), -1)::integer`;
  const pointsOf = (kind: string, since: number, names: readonly string[]): Promise<readonly PointRow[]> =>
    all(
      database,
      sql<PointRow>`select m.name, ${place} as place, ${sums} from ${cells(kind, since)} and m.name = any(${names}) group by 1, 2`,
    );
  const latenciesOf = (kind: string, since: number, names: readonly string[], key: Condition): Promise<Latencies> =>
    readLatencies(
      database,
      sql`select ${key} as key, (u.at + array_lower(m.latencies, 1) - 1)::integer as bucket, sum(u.count)::double precision as count
        from ${cells(kind, since, sql`cross join lateral unnest(m.latencies) with ordinality as u (count, at)`)}
          and m.name = any(${names}) and u.count is not null group by 1, 2`,
    );

  const ofTotal = [group === undefined ? 'request' : groupBy, before, [telemetryKey(group ?? '')]] as const;
  const readGroups = async (): Promise<readonly GroupRow[]> => {
    if (groupBy === 'none') return [];
    const only = group === undefined ? sql`` : sql`and m.name = ${telemetryKey(group)}`;
    return all<GroupRow>(
      database,
      sql`
with found as materialized (select m.name, ${sums} from ${cells(groupBy, from)} ${only} group by m.name),
top as (select * from found order by requests desc, input_tokens + output_tokens desc, name limit ${maxGroups})
select * from top
union all
select null, sum(m.requests), sum(m.errors), sum(m.aborted), sum(m.refused), sum(m.input_tokens), sum(m.output_tokens), sum(m.cached_tokens), sum(m.cost), sum(m.unpriced_calls)
  from found m where m.name not in (select t.name from top t) having count(*) > 0`,
    );
  };
  const [total, totalLatencies, groups] = await Promise.all([
    pointsOf(...ofTotal),
    latenciesOf(...ofTotal, place),
    readGroups(),
  ]);
  const names = groups.flatMap(({ name }) => name ?? []);
  const [details, latencies] = await Promise.all([
    pointsOf(groupBy, from, names),
    latenciesOf(groupBy, from, names, sql`m.name`),
  ]);

  const length = (to - from) / intervalMs;
  const byPlace = new Map(total.map((row) => [row.place, row]));
  const pointOf = (at: number): MetricSums => ({
    ...toCounts(byPlace.get(at) ?? nothing),
    latencies: totalLatencies.get(at) ?? noLatencies,
  });
  const groupOf = (row: GroupRow & { readonly name: string }): MetricGroupSums => {
    const requestsOverTime = Array.from({ length }, () => 0);
    for (const detail of details) if (detail.name === row.name) requestsOverTime[detail.place] = detail.requests;
    return { id: row.name, ...toCounts(row), latencies: latencies.get(row.name) ?? noLatencies, requestsOverTime };
  };
  const others = groups.find(({ name }) => name === null);
  return {
    points: Array.from({ length }, (_, at) => pointOf(at)),
    previous: pointOf(-1),
    groups: groups.flatMap(({ name, ...row }) => (name === null ? [] : [groupOf({ name, ...row })])),
    others: others === undefined ? null : toCounts(others),
  };
}

type Latencies = ReadonlyMap<string | number, readonly number[]>;

const noLatencies: readonly number[] = Array.from({ length: latencyBuckets }, () => 0);
const nothing: SumsRow = {
  requests: 0,
  errors: 0,
  aborted: 0,
  refused: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  cost: null,
  unpriced_calls: 0,
};

async function readLatencies(database: Database, query: RawBuilder<unknown>): Promise<Latencies> {
  const latencies = new Map<string | number, number[]>();
  for (const { bucket, count, key } of await all(database, query as RawBuilder<LatencyRow>)) {
    const counts = latencies.get(key) ?? [...noLatencies];
    latencies.set(key, counts);
    counts[bucket] = count;
  }
  return latencies;
}

/** The same columns as those of the table. */
function cellsOfUser(schema: string, userId: string, from: number, to: number): Condition {
  const user = telemetryKey(userId);
  const spans = sql`(
    select s.*, 1 as sign from ${sql.raw(schema)}.traces t
    join ${sql.raw(schema)}.spans s on s.trace_id = t.trace_id and s.time between t.first_time and t.last_time
    where t.user_ids <> '{}' and t.user_ids @> array[${user}::text] and t.last_time >= ${from} and t.first_time < ${to}
      and s.owner_id = ${user} and s.time >= ${from} and s.time < ${to})`;
  const [head = '', tail = ''] = inSchema(selectCells('$spans'), schema).split('$spans');
  return sql`(select c.resolution, c.kind, c.time, c.name, coalesce(c.requests, 0) as requests, coalesce(c.errors, 0) as errors,
    coalesce(c.aborted, 0) as aborted, coalesce(c.refused, 0) as refused,
    coalesce(c.input_tokens, 0) as input_tokens, coalesce(c.output_tokens, 0) as output_tokens, coalesce(c.cached_tokens, 0) as cached_tokens, c.cost, coalesce(c.unpriced_calls, 0) as unpriced_calls, c.latencies
    from (${sql.raw(head)} ${spans} ${sql.raw(tail)}) c)`;
}

async function all<Row>(database: Database, query: RawBuilder<Row>): Promise<readonly Row[]> {
  const { rows } = await database.read((db) => query.execute(db));
  return rows;
}

function toCounts(row: SumsRow): Omit<MetricSums, 'latencies'> {
  return {
    requests: row.requests,
    errors: row.errors,
    aborted: row.aborted,
    refused: row.refused,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedInputTokens: row.cached_tokens,
    cost: row.cost,
    unpricedCalls: row.unpriced_calls,
  };
}
