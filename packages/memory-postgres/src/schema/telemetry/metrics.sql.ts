/** The resolutions of cells, in milliseconds. */
export const resolutions = { minute: 60_000, hour: 3_600_000 } as const;

/**
 * Counts of runs and model calls for each minute and each hour, so that metrics of weeks read few
 * rows. Writers add the values of new spans, and subtract those of replaced or deleted ones.
 */
export const metrics: string = `
-- kind is what name identifies: all requests, an agent, a workflow, a model or a user. Requests
-- count in the cell of their start. There may be as many cells of users as requests: the course of
-- a few users is read by their names.
create table halyard.telemetry_metrics (
  resolution integer not null,
  kind text not null,
  time double precision not null,
  name text not null,
  requests bigint not null,
  errors bigint not null,
  aborted bigint not null,
  refused bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  cost double precision,
  unpriced_calls bigint not null,
  latencies integer[] not null,
  primary key (resolution, kind, time, name)
) with (fillfactor = 85);
create index telemetry_metrics_of_user on halyard.telemetry_metrics (name, time)
  where kind = 'user' and resolution = ${resolutions.hour};

-- How many durations are in each bucket, as an array whose index is the bucket. Arrays begin and
-- end anywhere, so that those of cells with few requests, which are most, are short; an element
-- that is missing is null.
create function halyard.latency_counts(buckets smallint[], signs integer[]) returns integer[]
language plpgsql immutable as $function$
declare
  counts integer[] := '{}';
begin
  for i in 1 .. coalesce(cardinality(buckets), 0) loop
    counts[buckets[i]] := coalesce(counts[buckets[i]], 0) + signs[i];
  end loop;
  return counts;
end
$function$;
create function halyard.add_latencies(counts integer[], added integer[]) returns integer[]
language plpgsql immutable as $function$
begin
  for bucket in coalesce(array_lower(added, 1), 0) .. coalesce(array_upper(added, 1), -1) loop
    if added[bucket] is not null then
      counts[bucket] := coalesce(counts[bucket], 0) + added[bucket];
    end if;
  end loop;
  return counts;
end
$function$;

-- Adds and subtracts spans. Cells are locked in the order of their keys, so that writers do not
-- deadlock. Cells of which nothing is left are deleted: they may name a user.
create function halyard.count_spans(added halyard.spans[], removed halyard.spans[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set jit = off as $function$
begin
  insert into halyard.telemetry_metrics as m (
      resolution, kind, time, name, requests, errors, aborted, refused, input_tokens, output_tokens, cached_tokens,
      cost, unpriced_calls, latencies)
    select c.resolution, c.kind, c.time, c.name, coalesce(c.requests, 0), coalesce(c.errors, 0), coalesce(c.aborted, 0),
      coalesce(c.refused, 0), coalesce(c.input_tokens, 0), coalesce(c.output_tokens, 0), coalesce(c.cached_tokens, 0),
      c.cost, coalesce(c.unpriced_calls, 0), c.latencies
    from (${selectCells('(select a.*, 1 as sign from unnest(added) a union all select r.*, -1 from unnest(removed) r)')}) c
    where c.is_added or exists (select from halyard.telemetry_metrics m
      where m.resolution = c.resolution and m.kind = c.kind and m.time = c.time and m.name = c.name)
    order by c.resolution, c.kind, c.time, c.name
    on conflict (resolution, kind, time, name) do update set
      requests = m.requests + excluded.requests, errors = m.errors + excluded.errors,
      aborted = m.aborted + excluded.aborted, refused = m.refused + excluded.refused,
      input_tokens = m.input_tokens + excluded.input_tokens, output_tokens = m.output_tokens + excluded.output_tokens,
      cached_tokens = m.cached_tokens + excluded.cached_tokens,
      cost = case when m.cost is null then excluded.cost else m.cost + coalesce(excluded.cost, 0) end,
      unpriced_calls = m.unpriced_calls + excluded.unpriced_calls,
      latencies = halyard.add_latencies(m.latencies, excluded.latencies);
  if cardinality(removed) > 0 then
    delete from halyard.telemetry_metrics m
      using (${selectCells('(select r.*, -1 as sign from unnest(removed) r)')}) c
      where m.resolution = c.resolution and m.kind = c.kind and m.time = c.time and m.name = c.name
        and m.requests = 0 and m.input_tokens = 0 and m.output_tokens = 0;
  end if;
end
$function$;
`;

/**
 * The cells of the spans in `s`, of which `s.sign` tells whether they are added or subtracted. A
 * cell counts the requests of its kind, and the tokens of model calls. A model call counts for the
 * workflow that its span names.
 */
export function selectCells(spans: string): string {
  return `
    select r.resolution, p.kind, floor(s.time / r.resolution) * r.resolution as time, p.name,
      sum(s.sign) filter (where p.counts) as requests,
      sum(s.sign) filter (where p.counts and s.status = 'error') as errors,
      sum(s.sign) filter (where p.counts and s.status = 'aborted') as aborted,
      sum(s.sign) filter (where p.counts and s.status = 'refused') as refused,
      sum(s.sign * s.input_tokens)::bigint as input_tokens, sum(s.sign * s.output_tokens)::bigint as output_tokens,
      sum(s.sign * s.cached_tokens)::bigint as cached_tokens, sum(s.sign * s.cost) as cost,
      sum(s.sign) filter (where s.cost is null and s.input_tokens + s.output_tokens > 0) as unpriced_calls,
      halyard.latency_counts(
        array_agg(s.latency_bucket) filter (where p.counts), array_agg(s.sign) filter (where p.counts)) as latencies,
      bool_or(s.sign > 0) as is_added
    from ${spans} s
    cross join lateral (values
      ('request', '', s.is_entry),
      ('agent', case when s.model is not null then s.agent_id when s.entity_type = 'agent'
        then s.entity_id end, s.model is null),
      ('workflow', case when s.model is not null then s.workflow_id when s.entity_type = 'workflow'
        then s.entity_id end, s.model is null),
      ('user', s.owner_id, s.is_entry),
      ('model', s.model, true)) p (kind, name, counts)
    cross join (values (${resolutions.minute}), (${resolutions.hour})) r (resolution)
    where s.latency_bucket is not null and p.name is not null and (p.counts or s.model is not null)
    group by 1, 2, 3, 4`;
}
