import { neededBy } from './checkpoints.ts';
import type { Migration } from './migration.ts';

/**
 * A batch of claims returns about a megabyte of executions that are large, and `busy` for the others that are: their callers claim them again. So neither many executions that have received a large event nor those with large
 * inputs make the batch near a time limit, which would fail the claims of all that share it.
 *
 * What is due is read in the order of an index, also where the planner expects that few executions pass a filter: sorting would read the whole backlog of a definition.
 */
export const boundedClaims: Migration = {
  number: 30,
  name: 'bounded-claims',
  sql: (schema) => `
alter function ${schema}.due_of_shares(jsonb, integer, jsonb, boolean, boolean, bigint) set enable_sort = off set enable_incremental_sort = off;
${claimExecutions(schema)}`,
};

/** As before, with a limit of bytes for rows of more than 8 kB as they are stored. */
function claimExecutions(schema: string): string {
  return `
create or replace function ${schema}.claim_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  runner_keys jsonb := '{}';
  item jsonb;
  lease record;
  claimable record;
  claimed ${schema}.executions;
  checkpoint record;
  max_bytes constant bigint := 1000000;
  bytes bigint := 0;
  result text;
begin
  for lease in select value->>'runner' as runner, max((value->>'leaseMs')::bigint) as ms, null::bigint as key from jsonb_array_elements(batch) group by 1 order by 1 loop
    lease.key := ${schema}.take_lease(lease.runner, now_ms + lease.ms, now_ms);
    runner_keys := runner_keys || jsonb_build_object(lease.runner, lease.key);
  end loop;
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.runner, e.runner_key, e.priority, e.concurrency_key, e.concurrency_limit, e.waiting_since, e.request_kind,
      pg_column_size(e.waits) + pg_column_size(e.input) + pg_column_size(e.state) as bytes into claimable from ${schema}.executions e
      where e.id = item->>'id' and e.root_key is null and (e.runner is not null or e.wants_runner_at <= now_ms)
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition)
      for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null and (e.runner is not null or e.wants_runner_at <= now_ms)
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition);
      return next case when found then 'busy' end;
      continue;
    end if;
    if bytes >= max_bytes and claimable.bytes > 8000 then
      return next 'busy';
      continue;
    end if;
    if claimable.runner is not null then
      if ${schema}.is_leased(claimable.runner_key, now_ms) then
        return next null;
        continue;
      end if;
      if not ${schema}.end_lease(claimable.runner_key, now_ms) then
        return next 'busy';
        continue;
      end if;
    end if;
    if claimable.concurrency_key is not null and claimable.request_kind is null then
      if not ${schema}.try_lock_concurrency_key(claimable.concurrency_key) then
        return next 'busy';
        continue;
      end if;
      if ${schema}.places_taken(claimable.concurrency_key, claimable.key, now_ms) >= claimable.concurrency_limit
        or claimable.waiting_since is null and exists (select from ${schema}.executions w
          where w.concurrency_key = claimable.concurrency_key and w.waiting_since is not null and w.wants_runner_at is null
            and w.priority >= claimable.priority)
      then
        update ${schema}.executions e set wants_runner_at = null, runner = null, waiting_since = coalesce(e.waiting_since, now_ms)
          where e.key = claimable.key;
        return next null;
        continue;
      end if;
    end if;
    update ${schema}.executions e
      set status = 'running', quarantined_at = null, waiting_since = null, definition = coalesce(item->'definitions'->>e.definition, e.definition), epoch = e.epoch + 1,
        runner = item->>'runner', runner_key = (runner_keys->>(item->>'runner'))::bigint, claims_without_commit = e.claims_without_commit + 1,
        wants_runner_at = now_ms + (item->>'leaseMs')::bigint
      where e.key = claimable.key
      returning * into claimed;
    select c.position, c.kept, c.data into checkpoint from ${schema}.execution_checkpoints c
      where c.root_key = claimed.key and item ? 'checkpoints';
    result := json_build_object(
      'now', now_ms,
      'execution', row_to_json(claimed),
      'journal', case when claimed.journal_position > 0 then
        (select json_agg(case when j.source is null then to_json(j.entry) else json_build_array(j.entry, j.source) end order by j.at_position)
          from ${schema}.needed_entries(claimed.key, checkpoint.position, checkpoint.kept) as j) end,
      'children', case when claimed.epoch > 1 and checkpoint.position is null then
        (select json_agg(row_to_json(c) order by c.key) from ${schema}.executions c where c.root_key = claimed.key)
      when claimed.epoch > 1 then
        (select json_agg(row_to_json(c) order by c.key) from ${schema}.executions c where ${neededBy('c.')} = claimed.key and c.root_key is not null) end,
      'checkpoint', checkpoint.data
    )::text;
    bytes := bytes + octet_length(result);
    return next result;
  end loop;
end
$function$;`;
}
