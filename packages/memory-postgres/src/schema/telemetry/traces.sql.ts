/**
 * A row for each trace, so that lists and their totals read one row for each. Writers lock the
 * row.
 */
export const traces: string = `
-- The root, whose start is time, and the latest entry are named with what decides whether a new
-- span takes their place.
create table halyard.traces (
  trace_id text primary key,
  position bigint not null,
  time double precision not null,
  first_time double precision not null,
  last_time double precision not null,
  end_time double precision,
  span_count integer not null default 0,
  root_span_id text not null default '',
  root_is_entry boolean,
  root_position bigint,
  latest_time double precision,
  latest_position bigint,
  status text not null default 'running',
  entity_type text,
  entity_id text,
  user_ids text[] not null default '{}'
) with (fillfactor = 80);
create index traces_newest on halyard.traces (time, trace_id);
create index traces_oldest on halyard.traces (first_time);
create index traces_of_status on halyard.traces (status, time, trace_id);
create index traces_of_entity on halyard.traces (entity_id, time, trace_id) include (entity_type);
create index traces_of_entity_type on halyard.traces (entity_type, time, trace_id);
create index traces_of_users on halyard.traces using gin (user_ids) where user_ids <> '{}';

-- Changes the rows of traces by spans that were written, and by those that they have replaced. A
-- replaced span must have the start time of its new record, end no later, and name no other user.
-- The rows exist: "on conflict" searches each by its key, with any plan.
create function halyard.add_to_traces(written halyard.spans[], replaced halyard.spans[]) returns void
language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $function$
begin
  insert into halyard.traces as t (trace_id, position, span_count, first_time, last_time, end_time, user_ids,
      time, root_is_entry, root_position, root_span_id, entity_type, entity_id, status, latest_time, latest_position)
    select c.trace_id, 0, c.amount, c.first_time, c.last_time, c.end_time, c.user_ids,
      (c.root).time, (c.root).is_entry, (c.root).position, (c.root).span_id, (c.root).entity_type, (c.root).entity_id,
      coalesce((c.latest).status, 'running'), (c.latest).time, (c.latest).position
    from (
      select s.trace_id, sum(s.sign)::integer as amount, min(s.time) as first_time, max(s.time) as last_time,
        max(s.end_time) as end_time,
        coalesce(array_agg(distinct s.user_id) filter (where s.is_entry and s.user_id is not null), '{}') as user_ids,
        (array_agg(s.span order by s.is_entry desc, s.time, s.position) filter (where s.sign > 0))[1] as root,
        (array_agg(s.span order by s.time desc, s.position desc) filter (where s.sign > 0 and s.is_entry))[1] as latest
      from (select w.*, w as span, 1 as sign from unnest(written) w union all select r.*, r, -1
        from unnest(replaced) r) s
      group by s.trace_id) c
    on conflict (trace_id) do update set
      span_count = t.span_count + excluded.span_count,
      first_time = least(t.first_time, excluded.first_time),
      last_time = greatest(t.last_time, excluded.last_time),
      end_time = greatest(t.end_time, excluded.end_time),
      user_ids = case when t.user_ids @> excluded.user_ids then t.user_ids
        else array(select distinct u.id from unnest(t.user_ids || excluded.user_ids) as u (id) order by 1) end,
      time = case when coalesce((not excluded.root_is_entry, excluded.time,
        excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true) then excluded.time
        else t.time end,
      root_is_entry = case when coalesce((not excluded.root_is_entry, excluded.time,
        excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true) then excluded.root_is_entry
        else t.root_is_entry end,
      root_position = case when coalesce((not excluded.root_is_entry, excluded.time,
        excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true) then excluded.root_position
        else t.root_position end,
      root_span_id = case when coalesce((not excluded.root_is_entry, excluded.time,
        excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true) then excluded.root_span_id
        else t.root_span_id end,
      entity_type = case when coalesce((not excluded.root_is_entry, excluded.time,
        excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true) then excluded.entity_type
        else t.entity_type end,
      entity_id = case when coalesce((not excluded.root_is_entry, excluded.time,
        excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true) then excluded.entity_id
        else t.entity_id end,
      status = case when excluded.latest_time is not null
        and coalesce((excluded.latest_time, excluded.latest_position) >= (t.latest_time, t.latest_position), true)
        then excluded.status else t.status end,
      latest_time = case when excluded.latest_time is not null
        and coalesce((excluded.latest_time, excluded.latest_position) >= (t.latest_time, t.latest_position), true)
        then excluded.latest_time else t.latest_time end,
      latest_position = case when excluded.latest_time is not null
        and coalesce((excluded.latest_time, excluded.latest_position) >= (t.latest_time, t.latest_position), true)
        then excluded.latest_position else t.latest_position end;
end
$function$;

-- Computes the rows of traces from their spans between two times, and deletes the traces that have
-- none. The caller has locked the rows. Returns how many were deleted.
create function halyard.summarize_traces(ids text[], low double precision, high double precision) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  deleted integer;
begin
  update halyard.traces t set time = root.time, first_time = a.first_time, last_time = a.last_time,
    end_time = a.end_time, span_count = a.span_count,
    root_span_id = root.span_id, status = coalesce(latest.status, 'running'), entity_type = root.entity_type,
      entity_id = root.entity_id, user_ids = a.user_ids,
    root_is_entry = root.is_entry, root_position = root.position, latest_time = latest.time,
      latest_position = latest.position
    from unnest(ids) as i (id)
    cross join lateral (
      select count(*) as span_count, min(s.time) as first_time, max(s.time) as last_time, max(s.end_time) as end_time,
        coalesce(array_agg(distinct s.user_id) filter (where s.is_entry and s.user_id is not null), '{}') as user_ids
      from halyard.spans s where s.trace_id = i.id and s.time between low and high) a
    cross join lateral (
      select s.span_id, s.time, s.position, s.is_entry, s.entity_type, s.entity_id
        from halyard.spans s where s.trace_id = i.id and s.time between low and high
      order by s.is_entry desc, s.time, s.position limit 1) root
    left join lateral (
      select s.status, s.time, s.position from halyard.spans s where s.trace_id = i.id and s.is_entry
        and s.time between low and high
      order by s.time desc, s.position desc limit 1) latest on true
    where t.trace_id = i.id;
  delete from halyard.traces t where t.trace_id = any(ids) and not exists (
    select from halyard.spans s where s.trace_id = t.trace_id and s.time between low and high);
  get diagnostics deleted = row_count;
  perform halyard.add_telemetry_count('traces', array[0], array[-deleted::bigint]);
  return deleted;
end
$function$;
`;
