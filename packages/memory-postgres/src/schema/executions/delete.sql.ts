import { nowMs } from '../fragments.ts';

/**
 * Deleting executions. Their events and journals are deleted after them, so that no statement
 * deletes more rows than its limit, however long an execution is. Nothing can read these rows in
 * the meantime.
 */
export const deleteExecutions: string = `
-- Executions that were deleted and whose events and journal are not yet.
create table halyard.deleted_executions (
  key bigint primary key
);

-- Deletes roots, which the caller has locked, and their sub-workflows.
create function halyard.delete_trees(roots bigint[]) returns void
language plpgsql set enable_seqscan = off as $function$
declare
  tree constant bigint[] := array(select e.key from halyard.executions e where e.root_key = any(roots)) || roots;
begin
  insert into halyard.deleted_executions select key from unnest(tree) as t (key);
  delete from halyard.executions e where e.key = any(tree);
end
$function$;

-- Deletes up to at_most roots that ended older_than_ms ago or before, the oldest first, without
-- those that another transaction has locked. Returns how many.
create function halyard.purge_executions(older_than_ms bigint, at_most integer, shift_ms bigint) returns integer
language plpgsql set enable_seqscan = off as $function$
declare
  ended_before constant bigint := ${nowMs} - older_than_ms;
  roots constant bigint[] := array(
    select e.key from halyard.executions e where e.parent_id is null and e.ended_at <= ended_before
    order by e.ended_at, e.key limit at_most for update skip locked);
begin
  perform halyard.delete_trees(roots);
  return cardinality(roots);
end
$function$;

-- Deletes up to at_most events and journal entries of deleted executions, the oldest first. Returns
-- whether others may be left. Waits for other calls, so that nothing is left when it returns false.
create function halyard.delete_histories(at_most integer) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  most_keys constant integer := 1000;
  keys constant bigint[] := array(
    select d.key from halyard.deleted_executions d order by d.key limit most_keys for update);
  events integer;
  entries integer;
begin
  delete from halyard.execution_events v where v.ctid = any(array(
    select o.ctid from halyard.execution_events o where o.execution_key = any(keys) limit at_most));
  get diagnostics events = row_count;
  delete from halyard.execution_journal j where j.ctid = any(array(
    select o.ctid from halyard.execution_journal o where o.root_key = any(keys) limit at_most - events));
  get diagnostics entries = row_count;
  if events + entries = at_most then
    return true;
  end if;
  delete from halyard.deleted_executions d where d.key = any(keys);
  return cardinality(keys) = most_keys;
end
$function$;
`;
