import { nowMs } from '../fragments.ts';
import { neededBy } from './executions.sql.ts';

/** Writes the commits of runners. */
export const commitExecutions: string = `
-- Commits the work of several executions. Returns one result for each, in their order. A commit
-- that cannot be written is detected before anything of it is written, so it does not fail the
-- others; one whose root is locked by another transaction is busy, so it does not delay them. The
-- root is locked first, so that each statement sees everything written before. A commit is fenced
-- if its execution was deleted and the id used again (creationId). Only what the last checkpoint
-- did not leave out is read for a new one. Those that wait for a place that a commit frees are due when
-- it is written.
--
-- The plans are kept for a connection. One that was made for a few hundred executions compared the
-- sub-workflows of a commit with the whole index of ids; a nested loop that keeps nothing can only
-- search the index for each sub-workflow.
create function halyard.commit_executions(batch jsonb, shift_ms bigint)
returns table (status text, signals integer, seq integer, child_seqs text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
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
  freed_keys text[] := '{}';
begin
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.id, e.request_id, e.epoch, e.runner, e.seq, e.signals, e.journal_position, e.waits,
      e.last_commit_id, e.last_signals, e.last_children, e.concurrency_key
      into root from halyard.executions e where e.id = item->>'id' and e.root_key is null for update skip locked;
    if not found then
      perform from halyard.executions e where e.id = item->>'id' and e.root_key is null;
      return query select case when found then 'busy' else 'fenced' end, 0, 0, null;
      continue;
    end if;
    if root.request_id <> item->>'creationId' then
      return query select 'fenced', 0, 0, null;
      continue;
    end if;
    if root.last_commit_id = item->>'commitId' then
      return query select 'committed', root.last_signals, root.seq, (
        select json_object_agg(c.id, c.seq)::text from halyard.executions c where c.id = any(root.last_children));
      continue;
    end if;
    if root.runner is null or root.epoch <> (item->>'epoch')::integer
      or root.seq <> (item->>'expectedSeq')::integer then
      return query select 'fenced', 0, 0, null;
      continue;
    end if;
    if root.signals <> (item->>'expectedSignals')::integer then
      return query select 'signalled', 0, 0, null;
      continue;
    end if;

    if item ? 'children' then
      perform from jsonb_array_elements(item->'children') as t (value)
        left join halyard.executions c on c.id = value->>'id'
        where case when value ? 'created' then c.id is not null else c.root_key is distinct from root.key end;
      if found then
        return query select 'rejected', 0, 0, null;
        continue;
      end if;
      for child in select value from jsonb_array_elements(item->'children') loop
        event_count := jsonb_array_length(child->'events');
        is_final := child->>'status' in ('completed', 'error', 'cancelled');
        if child ? 'created' then
          insert into halyard.executions (
            id, parent_id, root_key, root_id, path, workflow_id, workflow_name, conversation_id, user_id,
            status, created_at, updated_at, ended_at, seq,
            metadata_digests, state, input, context, metadata, user_snapshot, output, error
          ) select
            child->>'id', fields->>'parentId', root.key, root.id, fields->>'path', fields->>'workflowId',
            fields->>'workflowName', fields->>'conversationId', fields->>'userId',
            coalesce(child->>'status', 'running'), now_ms, now_ms, case when is_final then now_ms end, event_count,
            array(select jsonb_array_elements_text(fields->'metadataDigests')),
            (fields->'state') || coalesce(child->'statePatch', '{}'), fields->>'input', fields->>'context',
            fields->>'metadata', fields->>'user', child->>'output', child->>'error'
          from (select child->'created' as fields) as one
          returning key, seq into child_key, child_seq;
        else
          update halyard.executions c set
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
        insert into halyard.execution_events (execution_key, seq, event, value_of)
          select child_key, child_seq - event_count + n, value,
            child_seq - event_count + (child->'sources'->>(n::integer - 1))::integer
          from jsonb_array_elements_text(child->'events') with ordinality as t (value, n);
      end loop;
    end if;

    entry_count := jsonb_array_length(item->'entries');
    if entry_count > 0 then
      insert into halyard.execution_journal (root_key, position, path, entry, output_of)
        select root.key, root.journal_position + n, value->>0, value->>1, root.seq + (value->>2)::integer
        from jsonb_array_elements(item->'entries') with ordinality as t (value, n);
    end if;
    event_count := jsonb_array_length(item->'events');
    if event_count > 0 then
      insert into halyard.execution_events (execution_key, seq, event, value_of)
        select root.key, root.seq + n, value, root.seq + (item->'sources'->>(n::integer - 1))::integer
        from jsonb_array_elements_text(item->'events') with ordinality as t (value, n);
    end if;

    if item ? 'checkpoint' then
      select c.position, c.kept into earlier from halyard.execution_checkpoints c where c.root_key = root.key;
      insert into halyard.execution_checkpoints (root_key, position, kept, data)
        values (root.key, root.journal_position + entry_count, array(
          select j.at_position from halyard.needed_entries(root.key, earlier.position, earlier.kept) as j
            where j.path in (select jsonb_array_elements_text(item->'checkpoint'->'entries')) order by j.at_position),
              item->'checkpoint'->>'data')
        on conflict (root_key) do update set position = excluded.position, kept = excluded.kept, data = excluded.data;
      update halyard.executions c set is_needed = false
        where ${neededBy('c.')} = root.key and c.root_key is not null and c.ended_at is not null
          and c.id not in (select jsonb_array_elements_text(item->'checkpoint'->'children'));
    end if;

    is_final := item->>'status' in ('completed', 'error', 'cancelled');
    new_waits := root.waits;
    if is_final then
      new_waits := '[]';
    else
      if item ? 'settled' and new_waits <> '[]' then
        new_waits := (select coalesce(jsonb_agg(value order by n), '[]')
          from jsonb_array_elements(new_waits) with ordinality as t (value, n)
          where not item->'settled' ? (value->>'path'));
      end if;
      if item ? 'waits' then
        new_waits := new_waits || (item->'waits');
      end if;
    end if;
    update halyard.executions e set
        seq = root.seq + event_count,
        journal_position = root.journal_position + entry_count,
        updated_at = now_ms,
        claims_without_commit = 0,
        last_commit_id = item->>'commitId',
        last_signals = root.signals,
        last_children = case when item ? 'children'
          then array(select value->>'id' from jsonb_array_elements(item->'children')) end,
        waits = new_waits,
        state = case when item ? 'statePatch' then e.state || (item->'statePatch') else e.state end,
        status = coalesce(item->>'status', e.status),
        ended_at = case when is_final then now_ms when item ? 'status' then null else e.ended_at end,
        output = coalesce(item->>'output', e.output),
        error = coalesce(item->>'error', e.error),
        request_kind = case when is_final or item ? 'requestDone' then null else e.request_kind end,
        request_reason = case when is_final or item ? 'requestDone' then null else e.request_reason end,
        runner = case when is_final or item ? 'expectedSignals' then null else e.runner end,
        wants_runner_at = case when is_final then null when not item ? 'expectedSignals' then e.wants_runner_at
          when item ? 'dueAt' then greatest((item->>'dueAt')::bigint, now_ms) end
      where e.key = root.key;
    if root.concurrency_key is not null and (is_final or item ? 'expectedSignals') then
      freed_keys := freed_keys || root.concurrency_key;
    end if;
    return query select 'committed', root.signals, root.seq + event_count, case when item ? 'children' then (
      select json_object_agg(c.id, c.seq)::text from halyard.executions c
        where c.id = any(array(select value->>'id' from jsonb_array_elements(item->'children')))) end;
  end loop;
  if freed_keys <> '{}' then
    perform halyard.wake_waiting(freed_keys, now_ms);
  end if;
end
$function$;
`;
