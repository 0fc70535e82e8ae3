import { nowMs } from '../fragments.ts';

/**
 * The events and the journal of executions, and the checkpoints that say which of it is still
 * needed. Paths are compared as in packages/core/src/workflow/definition/place.ts, which has their
 * grammar.
 */
export const history: string = `
-- A large output is stored once, in the event of the step that returned it: an event is deleted
-- only with its execution, a journal entry also by a rewind. value_of is the number of that event,
-- for an event that is stored without its value.
create table halyard.execution_events (
  execution_key bigint not null,
  seq integer not null,
  event text not null,
  value_of integer,
  primary key (execution_key, seq)
);

-- output_of is the number of the event that has the output of this entry.
create table halyard.execution_journal (
  root_key bigint not null,
  position integer not null,
  path text not null,
  entry text not null,
  output_of integer,
  primary key (root_key, position)
);

-- A checkpoint names what is still needed of the history of an execution. The journal stays
-- complete: kept has the positions of the entries that are needed of those up to position.
create table halyard.execution_checkpoints (
  root_key bigint primary key references halyard.executions on delete cascade,
  position integer not null,
  kept integer[] not null,
  data text not null
);

-- A rewind makes everything needed again.
create function halyard.delete_checkpoint() returns trigger
language plpgsql set enable_seqscan = off as $function$
begin
  delete from halyard.execution_checkpoints c where c.root_key = new.key;
  update halyard.executions c set is_needed = true where c.root_key = new.key and not c.is_needed;
  return null;
end
$function$;
create trigger delete_checkpoint after update of rewinds on halyard.executions
  for each row execute function halyard.delete_checkpoint();

-- The journal of an execution without what its checkpoint, if it has one, leaves out. Each entry is
-- read by its whole key, which the limit ensures whatever the statistics are, and so is the event
-- that has its output.
create function halyard.needed_entries(key_of_root bigint, after integer, kept integer[])
returns table (at_position integer, path text, entry text, source text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  return query
    select j.position, j.path, j.entry, case when j.output_of is not null then (
      select o.event from halyard.execution_events o where o.execution_key = key_of_root and o.seq = j.output_of) end
    from (
      select one.* from unnest(kept) as kept_position cross join lateral (
        select one.position, one.path, one.entry, one.output_of from halyard.execution_journal one
          where one.root_key = key_of_root and one.position = kept_position limit 1) as one
      union all
      select one.position, one.path, one.entry, one.output_of from halyard.execution_journal one
        where one.root_key = key_of_root and one.position > coalesce(after, 0)
    ) as j;
end
$function$;

create function halyard.is_at_or_below(path text, paths jsonb) returns boolean
language sql immutable as $function$
  select exists (
    select from jsonb_array_elements_text(paths) as p (start)
    where path = start or (starts_with(path, start) and substr(path, length(start) + 1, 1) in ('/', '#', ':')))
$function$;

-- Starts an execution again at earlier steps. Returns the ids of the root and its sub-workflows, and
-- whether a place of a concurrency key was freed; nothing when it is not the owner's, or has changed. The root is locked first, so that each
-- statement sees everything written before. newKeys are the steps that get new idempotency keys;
-- absent: all.
create function halyard.rewind_execution(owner_id text, rewind jsonb, shift_ms bigint)
returns table (id text, has_freed_place boolean)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  rewound_paths constant jsonb := rewind->'paths';
  root_key_ bigint;
  freed_key text;
  changed jsonb;
begin
  select e.key, case when e.runner is not null then e.concurrency_key end into root_key_, freed_key
    from halyard.executions e
    where e.id = rewind->>'id' and e.root_key is null and (owner_id is null or e.user_id = owner_id)
      and e.seq = (rewind->>'expectedSeq')::integer and e.signals = (rewind->>'expectedSignals')::integer
    for update;
  if not found then
    return;
  end if;
  delete from halyard.execution_journal j where j.root_key = root_key_
    and (rewind->'entries' ? j.path or halyard.is_at_or_below(j.path, rewound_paths));
  update halyard.executions c set status = 'cancelled', ended_at = now_ms, updated_at = now_ms
    where c.root_key = root_key_ and c.status in ('running', 'suspended')
      and halyard.is_at_or_below(c.path, rewound_paths);
  if rewind->>'user' is not null then
    update halyard.executions e set user_snapshot = rewind->>'user' where e.key = root_key_ or e.root_key = root_key_;
  end if;
  for changed in select value from jsonb_array_elements(rewind->'states') loop
    update halyard.executions e
      set state = e.state - array(select jsonb_array_elements_text(changed->'unset')) || (changed->'set')
      where e.id = changed->>'id' and (e.key = root_key_ or e.root_key = root_key_);
  end loop;
  update halyard.executions e set
      waits = (select coalesce(jsonb_agg(value order by n), '[]')
        from jsonb_array_elements(e.waits) with ordinality as t (value, n)
        where not halyard.is_at_or_below(value->>'path', rewound_paths)) || (rewind->'resumptions'),
      rewinds = e.rewinds || jsonb_strip_nulls(jsonb_build_object('paths', rewound_paths, 'newKeys', rewind->'newKeys',
        'seq', e.seq)),
      status = 'running',
      output = null,
      error = null,
      ended_at = null,
      updated_at = now_ms,
      signals = e.signals + 1,
      epoch = e.epoch + 1,
      runner = null,
      wants_runner_at = now_ms
    where e.key = root_key_;
  if freed_key is not null then
    perform halyard.wake_waiting(array[freed_key], now_ms);
  end if;
  return query select e.id, freed_key is not null from halyard.executions e where e.key = root_key_
    union all select c.id, false from halyard.executions c where c.root_key = root_key_;
end
$function$;
`;
