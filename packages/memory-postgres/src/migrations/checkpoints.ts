import type { Migration } from './migration.ts';

/**
 * A checkpoint names what is still needed of the history of an execution. The journal stays complete: `kept` has the positions of the entries that are needed of those up to `position`.
 * Sub-workflows that are not needed are not in the index of those that are.
 *
 * A rewind makes everything needed again.
 */
export const checkpoints: Migration = {
  number: 17,
  name: 'checkpoints',
  sql: (schema) => `
create table ${schema}.execution_checkpoints (
  root_key bigint primary key references ${schema}.executions (key) on delete cascade,
  position integer not null,
  kept integer[] not null,
  data text not null
);
alter table ${schema}.executions add column is_needed boolean not null default true;
create index executions_needed on ${schema}.executions (${neededBy('')}, key) where root_key is not null;

create function ${schema}.delete_checkpoint() returns trigger
language plpgsql set enable_seqscan = off as $function$
begin
  delete from ${schema}.execution_checkpoints c where c.root_key = new.key;
  update ${schema}.executions c set is_needed = true where c.root_key = new.key and not c.is_needed;
  return null;
end
$function$;
create trigger delete_checkpoint after update of rewinds on ${schema}.executions for each row execute function ${schema}.delete_checkpoint();

${neededEntries(schema)}
${commitExecutions(schema)}
${claimExecutions(schema)}`,
};

/** The root that needs a sub-workflow. An expression, so that no other index can be used: each has all sub-workflows of the root. */
export function neededBy(row: '' | 'c.'): string {
  return `(case when ${row}is_needed then ${row}root_key end)`;
}

/** The journal of an execution without what its checkpoint, if it has one, leaves out. Each entry is read by its whole key, which the limit ensures whatever the statistics are, and so is the event that has its output. */
function neededEntries(schema: string): string {
  return `
create function ${schema}.needed_entries(key_of_root bigint, after integer, kept integer[])
returns table (at_position integer, path text, entry text, source text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  return query
    select j.position, j.path, j.entry, case when j.output_of is not null then (
      select o.event from ${schema}.execution_events o where o.execution_key = key_of_root and o.seq = j.output_of) end
    from (
      select one.* from unnest(kept) as kept_position cross join lateral (
        select one.position, one.path, one.entry, one.output_of from ${schema}.execution_journal one
          where one.root_key = key_of_root and one.position = kept_position limit 1) as one
      union all
      select one.position, one.path, one.entry, one.output_of from ${schema}.execution_journal one
        where one.root_key = key_of_root and one.position > coalesce(after, 0)
    ) as j;
end
$function$;`;
}

/**
 * Commits the work of several executions. Returns one result for each, in their order. A commit that cannot be written is detected before anything of it is written,
 * so it does not fail the others; one whose root is locked by another transaction is `busy`, so it does not delay them. The root is locked first, so that each statement sees
 * everything written before. A checkpoint names what is still needed; only what the one before it did not leave out is read for it.
 */
function commitExecutions(schema: string): string {
  return `
create or replace function ${schema}.commit_executions(batch jsonb, shift_ms bigint)
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
  earlier record;
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
        insert into ${schema}.execution_events (execution_key, seq, event, value_of)
          select child_key, child_seq - event_count + n, value, child_seq - event_count + (child->'sources'->>(n::integer - 1))::integer
          from jsonb_array_elements_text(child->'events') with ordinality as t (value, n);
      end loop;
    end if;

    entry_count := jsonb_array_length(item->'entries');
    if entry_count > 0 then
      insert into ${schema}.execution_journal (root_key, position, path, entry, output_of)
        select root.key, root.journal_position + n, value->>0, value->>1, root.seq + (value->>2)::integer
        from jsonb_array_elements(item->'entries') with ordinality as t (value, n);
    end if;
    event_count := jsonb_array_length(item->'events');
    if event_count > 0 then
      insert into ${schema}.execution_events (execution_key, seq, event, value_of)
        select root.key, root.seq + n, value, root.seq + (item->'sources'->>(n::integer - 1))::integer
        from jsonb_array_elements_text(item->'events') with ordinality as t (value, n);
    end if;

    if item ? 'checkpoint' then
      select c.position, c.kept into earlier from ${schema}.execution_checkpoints c where c.root_key = root.key;
      insert into ${schema}.execution_checkpoints (root_key, position, kept, data)
        values (root.key, root.journal_position + entry_count, array(
          select j.at_position from ${schema}.needed_entries(root.key, earlier.position, earlier.kept) as j
            where j.path in (select jsonb_array_elements_text(item->'checkpoint'->'entries')) order by j.at_position), item->'checkpoint'->>'data')
        on conflict (root_key) do update set position = excluded.position, kept = excluded.kept, data = excluded.data;
      update ${schema}.executions c set is_needed = false
        where ${neededBy('c.')} = root.key and c.root_key is not null and c.ended_at is not null
          and c.id not in (select jsonb_array_elements_text(item->'checkpoint'->'children'));
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

/**
 * Claims executions that have no more than `maxClaims` claims without a commit, and one of the `definitions`. Returns for each, in their order, the JSON that its runner needs, null when it cannot be claimed, or `busy` when another transaction has locked it, its concurrency key or the lease that has run out.
 *
 * An execution without a place of its concurrency key waits from now on, unless it has a request. One that waited already keeps its turn.
 *
 * The journal and the sub-workflows are read by separate statements after the root is locked, so that they include the last commit of the previous runner. What a checkpoint has left out is not read, unless the caller is a
 * process of an earlier version, which knows no `checkpoints`.
 */
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
begin
  for lease in select value->>'runner' as runner, max((value->>'leaseMs')::bigint) as ms, null::bigint as key from jsonb_array_elements(batch) group by 1 order by 1 loop
    lease.key := ${schema}.take_lease(lease.runner, now_ms + lease.ms, now_ms);
    runner_keys := runner_keys || jsonb_build_object(lease.runner, lease.key);
  end loop;
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.runner, e.runner_key, e.priority, e.concurrency_key, e.concurrency_limit, e.waiting_since, e.request_kind into claimable from ${schema}.executions e
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
    return next json_build_object(
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
  end loop;
end
$function$;`;
}
