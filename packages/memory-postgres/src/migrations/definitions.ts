import type { Migration } from './migration.ts';

/**
 * `definition` names the steps of the workflow with which an execution runs. A process asks only for the definitions that it has, by index, so executions that wait for
 * another process cost it nothing.
 *
 * Executions that are older than this migration have the id of their workflow as their definition. So have those that older processes create.
 */
export const definitions: Migration = {
  number: 7,
  name: 'definitions',
  sql: (schema) => `
alter table ${schema}.executions add column definition text not null default '';
update ${schema}.executions set definition = workflow_id where parent_id is null;
create index executions_due_by_definition on ${schema}.executions (definition, wants_runner_at, key) where wants_runner_at is not null;
create index executions_free_by_definition on ${schema}.executions (definition, wants_runner_at)
  where wants_runner_at is not null and runner is null;
drop index ${schema}.executions_free;

${createExecutions(schema)}
${claimExecutions(schema)}`,
};

/** Creates executions with their first events. Returns one result for each, in their order. An execution with `dueInMs` is due that much later. */
function createExecutions(schema: string): string {
  return `
create or replace function ${schema}.create_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  new_key bigint;
  result text;
begin
  for item in select value from jsonb_array_elements(batch) loop
    insert into ${schema}.executions (
      id, root_id, path, workflow_id, workflow_name, conversation_id, user_id, status, request_id, created_at, updated_at, wants_runner_at,
      definition, seq, journal_position, metadata_digests, waits, state, input, context, metadata, user_snapshot
    ) values (
      item->>'id', item->>'id', '', item->>'workflowId', item->>'workflowName', item->>'conversationId', item->>'userId', 'running',
      item->>'requestId', now_ms, now_ms, now_ms + coalesce((item->>'dueInMs')::bigint, 0), coalesce(item->>'definition', item->>'workflowId'), jsonb_array_length(item->'events'), jsonb_array_length(item->'journal'),
      array(select jsonb_array_elements_text(item->'metadataDigests')), item->'waits', item->'state', item->>'input', item->>'context',
      item->>'metadata', item->>'user'
    ) on conflict (id) do nothing returning key into new_key;
    if new_key is null then
      select case when e.parent_id is null and e.request_id = item->>'requestId' then 'created' else 'taken' end
        into result from ${schema}.executions e where e.id = item->>'id';
      return next coalesce(result, 'taken');
      continue;
    end if;
    insert into ${schema}.execution_events
      select new_key, n, value from jsonb_array_elements_text(item->'events') with ordinality as t (value, n);
    if jsonb_array_length(item->'journal') > 0 then
      insert into ${schema}.execution_journal
        select new_key, n, value->>0, value->>1 from jsonb_array_elements(item->'journal') with ordinality as t (value, n);
    end if;
    return next 'created';
  end loop;
end
$function$;`;
}

/**
 * Claims executions that have no more than `maxClaims` claims without a commit, and one of the `definitions`. Returns for each, in their order, the JSON that its runner needs, null when it cannot be claimed, or `busy` when another transaction has locked it.
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
        and (item->'definitions' is null or item->'definitions' ? e.definition)
      for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition);
      return next case when found then 'busy' end;
      continue;
    end if;
    update ${schema}.executions e
      set status = 'running', quarantined_at = null, definition = coalesce(item->'definitions'->>e.definition, e.definition), epoch = e.epoch + 1, runner = item->>'runner', claims_without_commit = e.claims_without_commit + 1,
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
