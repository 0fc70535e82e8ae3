import type { Migration } from './migration.ts';

/**
 * Executions that no process can run are quarantined: suspended, and listed by an index of their own. No commit changes `quarantined_at`.
 *
 * `quarantine_execution` returns whether it has suspended the execution. It does not wait for a locked row: the next sweep tries again.
 */
export const quarantine: Migration = {
  number: 6,
  name: 'quarantine',
  sql: (schema) => `
alter table ${schema}.executions add column quarantined_at bigint;
create index executions_quarantined on ${schema}.executions (created_at, key)
  where parent_id is null and quarantined_at is not null;

create function ${schema}.quarantine_execution(quarantine jsonb, shift_ms bigint) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  event_count constant integer := jsonb_array_length(quarantine->'events');
  found_key bigint;
  last_seq integer;
begin
  select e.key into found_key from ${schema}.executions e
    where e.id = quarantine->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
      and e.claims_without_commit >= (quarantine->>'minClaims')::integer
    for update skip locked;
  if not found then
    return false;
  end if;
  update ${schema}.executions e set
      status = 'suspended',
      quarantined_at = now_ms,
      updated_at = now_ms,
      epoch = e.epoch + 1,
      runner = null,
      wants_runner_at = null,
      claims_without_commit = 0,
      waits = e.waits || (quarantine->'waits'),
      seq = e.seq + event_count
    where e.key = found_key
    returning e.seq into last_seq;
  insert into ${schema}.execution_events select found_key, last_seq - event_count + n, value
    from jsonb_array_elements_text(quarantine->'events') with ordinality as t (value, n);
  return true;
end
$function$;

${claimExecutions(schema)}`,
};

/**
 * Claims executions that have no more than `maxClaims` claims without a commit. Returns for each, in their order, the JSON that its runner needs, null when it cannot be claimed, or `busy` when another transaction has locked it.
 *
 * The journal and the sub-workflows are read by separate statements after the root is locked, so that they include the last commit of the previous runner.
 */
function claimExecutions(schema: string): string {
  return `
create or replace function ${schema}.claim_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  claimable bigint;
  claimed ${schema}.executions;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select e.key into claimable from ${schema}.executions e
      where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
      for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit);
      return next case when found then 'busy' end;
      continue;
    end if;
    update ${schema}.executions e
      set status = 'running', quarantined_at = null, epoch = e.epoch + 1, runner = item->>'runner', claims_without_commit = e.claims_without_commit + 1,
        wants_runner_at = now_ms + (item->>'leaseMs')::bigint
      where e.key = claimable
      returning * into claimed;
    return next json_build_object(
      'now', now_ms,
      'execution', row_to_json(claimed),
      'journal', case when claimed.journal_position > 0 then
        (select json_agg(j.entry order by j.position) from ${schema}.execution_journal j where j.root_key = claimed.key) end,
      'children', case when claimed.epoch > 1 then
        (select json_agg(row_to_json(c) order by c.key) from ${schema}.executions c where c.root_key = claimed.key) end
    )::text;
  end loop;
end
$function$;`;
}
