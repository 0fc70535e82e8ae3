import type { Migration } from './migration.ts';

/**
 * Times are milliseconds since the epoch, by the database's clock.
 *
 * Values are stored as the text of their JSON: `json` and `jsonb` cannot hold every JSON string (`\u0000`, halves of surrogate pairs), and no query reads inside them.
 * What is changed in place (the state, what an execution waits for) is `jsonb` whose members are such texts.
 *
 * `wants_runner_at` is the time an execution is due while no runner has claimed it, the end of the lease while one has, and null while it waits for a signal.
 * A commit that neither claims nor releases an execution changes no indexed column, so the update stays on its page and touches no index (HOT).
 *
 * The plan of a function is kept for the connection and must not change while the tables grow, so the functions may use indexes only.
 *
 * Queries that find a root by its id use the condition `root_key is null`. No partial index has this condition; PostgreSQL might prefer such an index to the one on
 * `id` when it plans for an empty table.
 */
export const executions: Migration = {
  number: 1,
  name: 'executions',
  sql: (schema) => `
create table ${schema}.approvals (
  id text primary key,
  expires_at bigint not null
);
create index approvals_expired on ${schema}.approvals (expires_at);

create table ${schema}.executions (
  key bigint generated always as identity primary key,
  id text not null unique,
  parent_id text,
  root_key bigint,
  root_id text not null,
  path text not null,
  workflow_id text not null,
  workflow_name text not null,
  conversation_id text,
  user_id text,
  status text not null,
  request_id text,
  created_at bigint not null,
  updated_at bigint not null,
  ended_at bigint,
  wants_runner_at bigint,
  runner text,
  epoch integer not null default 0,
  claims_without_commit integer not null default 0,
  seq integer not null,
  journal_position integer not null default 0,
  signals integer not null default 0,
  request_kind text,
  request_reason text,
  last_commit_id text,
  last_signals integer not null default 0,
  last_children text[],
  resume_request_ids text[] not null default '{}',
  metadata_digests text[] not null,
  waits jsonb not null default '[]',
  rewinds jsonb not null default '[]',
  state jsonb not null,
  input text not null,
  context text not null,
  metadata text not null,
  user_snapshot text,
  output text,
  error text
) with (fillfactor = 70);
create index executions_newest on ${schema}.executions (created_at, key) where parent_id is null;
create index executions_of_status on ${schema}.executions (status, created_at, key) where parent_id is null;
create index executions_of_workflow on ${schema}.executions (workflow_id, created_at, key) where parent_id is null;
create index executions_of_workflow_and_status on ${schema}.executions (workflow_id, status, created_at, key)
  where parent_id is null;
create index executions_of_user on ${schema}.executions (user_id, created_at, key)
  where parent_id is null and user_id is not null;
create index executions_of_parent on ${schema}.executions (parent_id, created_at, key) where parent_id is not null;
create index executions_of_root on ${schema}.executions (root_key, key) where root_key is not null;
create index executions_with_metadata on ${schema}.executions using gin (metadata_digests)
  where metadata_digests <> '{}';
create index executions_ended on ${schema}.executions (ended_at, key) where parent_id is null and ended_at is not null;
create index executions_due on ${schema}.executions (workflow_id, wants_runner_at, key) where wants_runner_at is not null;
create index executions_free on ${schema}.executions (workflow_id, wants_runner_at)
  where wants_runner_at is not null and runner is null;

create table ${schema}.execution_journal (
  root_key bigint not null,
  position integer not null,
  path text not null,
  entry text not null,
  primary key (root_key, position)
);

create table ${schema}.execution_events (
  execution_key bigint not null,
  seq integer not null,
  event text not null,
  primary key (execution_key, seq)
);

${createExecutions(schema)}
${claimExecutions(schema)}
${commitExecutions(schema)}`,
};

/** Creates executions with their first events. Returns one result for each, in their order. An execution with `dueInMs` is due that much later. */
function createExecutions(schema: string): string {
  return `
create function ${schema}.create_executions(batch jsonb, shift_ms bigint) returns setof text
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
      seq, journal_position, metadata_digests, waits, state, input, context, metadata, user_snapshot
    ) values (
      item->>'id', item->>'id', '', item->>'workflowId', item->>'workflowName', item->>'conversationId', item->>'userId', 'running',
      item->>'requestId', now_ms, now_ms, now_ms + coalesce((item->>'dueInMs')::bigint, 0), jsonb_array_length(item->'events'), jsonb_array_length(item->'journal'),
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
 * Claims executions. Returns for each, in their order, the JSON that its runner needs, null when it cannot be claimed, or `busy` when another transaction has locked it.
 *
 * The journal and the sub-workflows are read by separate statements after the root is locked, so that they include the last commit of the previous runner.
 */
function claimExecutions(schema: string): string {
  return `
create function ${schema}.claim_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  claimable bigint;
  claimed ${schema}.executions;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select e.key into claimable from ${schema}.executions e
      where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms;
      return next case when found then 'busy' end;
      continue;
    end if;
    update ${schema}.executions e
      set status = 'running', epoch = e.epoch + 1, runner = item->>'runner', claims_without_commit = e.claims_without_commit + 1,
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

/**
 * Commits the work of several executions. Returns one result for each, in their order. A commit that cannot be written is detected before anything of it is written,
 * so it does not fail the others; one whose root is locked by another transaction is `busy`, so it does not delay them. The root is locked first, so that each statement sees
 * everything written before.
 */
function commitExecutions(schema: string): string {
  return `
create function ${schema}.commit_executions(batch jsonb, shift_ms bigint)
returns table (status text, signals integer, seq integer, child_seqs text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  child jsonb;
  root record;
  is_final boolean;
  event_count integer;
  entry_count integer;
  new_waits jsonb;
  child_key bigint;
  child_seq integer;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.id, e.epoch, e.runner, e.seq, e.signals, e.journal_position, e.waits, e.last_commit_id, e.last_signals, e.last_children
      into root from ${schema}.executions e where e.id = item->>'id' and e.root_key is null for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null;
      return query select case when found then 'busy' else 'fenced' end, 0, 0, null;
      continue;
    end if;
    if root.last_commit_id = item->>'commitId' then
      return query select 'committed', root.last_signals, root.seq, (
        select json_object_agg(c.id, c.seq)::text from ${schema}.executions c where c.id = any(root.last_children));
      continue;
    end if;
    if root.runner is null or root.epoch <> (item->>'epoch')::integer or root.seq <> (item->>'expectedSeq')::integer then
      return query select 'fenced', 0, 0, null;
      continue;
    end if;
    if root.signals <> (item->>'expectedSignals')::integer then
      return query select 'signalled', 0, 0, null;
      continue;
    end if;

    if item ? 'children' then
      perform from jsonb_array_elements(item->'children') as t (value)
        left join ${schema}.executions c on c.id = value->>'id'
        where case when value ? 'created' then c.id is not null else c.root_key is distinct from root.key end;
      if found then
        return query select 'rejected', 0, 0, null;
        continue;
      end if;
      for child in select value from jsonb_array_elements(item->'children') loop
        event_count := jsonb_array_length(child->'events');
        is_final := child->>'status' in ('completed', 'error', 'cancelled');
        if child ? 'created' then
          insert into ${schema}.executions (
            id, parent_id, root_key, root_id, path, workflow_id, workflow_name, conversation_id, user_id, status, created_at, updated_at,
            ended_at, seq, metadata_digests, state, input, context, metadata, user_snapshot, output, error
          ) select child->>'id', fields->>'parentId', root.key, root.id, fields->>'path', fields->>'workflowId', fields->>'workflowName',
            fields->>'conversationId', fields->>'userId', coalesce(child->>'status', 'running'), now_ms, now_ms,
            case when is_final then now_ms end, event_count, array(select jsonb_array_elements_text(fields->'metadataDigests')),
            (fields->'state') || coalesce(child->'statePatch', '{}'), fields->>'input', fields->>'context', fields->>'metadata', fields->>'user',
            child->>'output', child->>'error'
          from (select child->'created' as fields) as one
          returning key, seq into child_key, child_seq;
        else
          update ${schema}.executions c set
              status = coalesce(child->>'status', c.status),
              ended_at = case when is_final then now_ms when child ? 'status' then null else c.ended_at end,
              output = coalesce(child->>'output', c.output),
              error = coalesce(child->>'error', c.error),
              state = case when child ? 'statePatch' then c.state || (child->'statePatch') else c.state end,
              seq = c.seq + event_count,
              updated_at = now_ms
            where c.id = child->>'id'
            returning c.key, c.seq into child_key, child_seq;
        end if;
        insert into ${schema}.execution_events select child_key, child_seq - event_count + n, value
          from jsonb_array_elements_text(child->'events') with ordinality as t (value, n);
      end loop;
    end if;

    entry_count := jsonb_array_length(item->'entries');
    if entry_count > 0 then
      insert into ${schema}.execution_journal select root.key, root.journal_position + n, value->>0, value->>1
        from jsonb_array_elements(item->'entries') with ordinality as t (value, n);
    end if;
    event_count := jsonb_array_length(item->'events');
    if event_count > 0 then
      insert into ${schema}.execution_events select root.key, root.seq + n, value
        from jsonb_array_elements_text(item->'events') with ordinality as t (value, n);
    end if;

    is_final := item->>'status' in ('completed', 'error', 'cancelled');
    new_waits := root.waits;
    if is_final then
      new_waits := '[]';
    else
      if item ? 'settled' and new_waits <> '[]' then
        new_waits := (select coalesce(jsonb_agg(value order by n), '[]') from jsonb_array_elements(new_waits) with ordinality as t (value, n)
          where not item->'settled' ? (value->>'path'));
      end if;
      if item ? 'waits' then
        new_waits := new_waits || (item->'waits');
      end if;
    end if;
    update ${schema}.executions e set
        seq = root.seq + event_count,
        journal_position = root.journal_position + entry_count,
        updated_at = now_ms,
        claims_without_commit = 0,
        last_commit_id = item->>'commitId',
        last_signals = root.signals,
        last_children = case when item ? 'children' then array(select value->>'id' from jsonb_array_elements(item->'children')) end,
        waits = new_waits,
        state = case when item ? 'statePatch' then e.state || (item->'statePatch') else e.state end,
        status = coalesce(item->>'status', e.status),
        ended_at = case when is_final then now_ms when item ? 'status' then null else e.ended_at end,
        output = coalesce(item->>'output', e.output),
        error = coalesce(item->>'error', e.error),
        request_kind = case when is_final or item ? 'requestDone' then null else e.request_kind end,
        request_reason = case when is_final or item ? 'requestDone' then null else e.request_reason end,
        runner = case when is_final or item ? 'expectedSignals' then null else e.runner end,
        wants_runner_at = case when is_final then null when item ? 'expectedSignals' then (item->>'dueAt')::bigint else e.wants_runner_at end
      where e.key = root.key;
    return query select 'committed', root.signals, root.seq + event_count, case when item ? 'children' then (
      select json_object_agg(c.id, c.seq)::text from ${schema}.executions c
        where c.id = any(array(select value->>'id' from jsonb_array_elements(item->'children')))) end;
  end loop;
end
$function$;`;
}
