import type { Migration } from './migration.ts';

/** A rewind notes which steps get new idempotency keys, unless all do. The function differs from that of `row-locks.ts` only in this. */
export const newKeys: Migration = {
  number: 21,
  name: 'new-keys',
  sql: (schema) => `
create or replace function ${schema}.rewind_execution(owner_id text, rewind jsonb, shift_ms bigint) returns table (id text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  rewound_paths constant jsonb := rewind->'paths';
  root_key_ bigint;
  changed jsonb;
begin
  select e.key into root_key_ from ${schema}.executions e
    where e.id = rewind->>'id' and e.root_key is null and (owner_id is null or e.user_id = owner_id)
      and e.seq = (rewind->>'expectedSeq')::integer and e.signals = (rewind->>'expectedSignals')::integer
    for update;
  if not found then
    return;
  end if;
  delete from ${schema}.execution_journal j where j.root_key = root_key_
    and (rewind->'entries' ? j.path or ${schema}.is_at_or_below(j.path, rewound_paths));
  update ${schema}.executions c set status = 'cancelled', ended_at = now_ms, updated_at = now_ms
    where c.root_key = root_key_ and c.status in ('running', 'suspended') and ${schema}.is_at_or_below(c.path, rewound_paths);
  for changed in select value from jsonb_array_elements(rewind->'states') loop
    update ${schema}.executions e
      set state = e.state - array(select jsonb_array_elements_text(changed->'unset')) || (changed->'set')
      where e.id = changed->>'id' and (e.key = root_key_ or e.root_key = root_key_);
  end loop;
  update ${schema}.executions e set
      waits = (select coalesce(jsonb_agg(value order by n), '[]') from jsonb_array_elements(e.waits) with ordinality as t (value, n)
        where not ${schema}.is_at_or_below(value->>'path', rewound_paths)) || (rewind->'resumptions'),
      rewinds = e.rewinds || jsonb_strip_nulls(jsonb_build_object('paths', rewound_paths, 'newKeys', rewind->'newKeys', 'seq', e.seq)),
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
  return query select e.id from ${schema}.executions e where e.key = root_key_
    union all select c.id from ${schema}.executions c where c.root_key = root_key_;
end
$function$;`,
};
