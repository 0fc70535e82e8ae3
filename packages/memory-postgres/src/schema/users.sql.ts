import { nowMs } from './fragments.ts';

/** Deletes a user's data. */
export const users: string = `
-- Deletes the working memory of a user, and up to at_most conversations and at_most root executions
-- with their sub-workflows. Executions are locked first, so that the last commit of their runner
-- is deleted too. Those that have a place of a concurrency key come first, apart from the others, so that
-- nothing is locked that waits for a place while this waits for the keys. stopped lists the executions
-- that had not ended.
create function halyard.delete_user(of_user text, at_most integer, shift_ms bigint)
returns table (conversations integer, messages integer, executions integer, stopped text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  keys bigint[];
  freed_keys text[];
begin
  delete from halyard.working_memory w where w.user_id = of_user;

  keys := array(select c.key from halyard.conversations c where c.user_id = of_user order by c.id
    limit at_most for update);
  delete from halyard.messages m where m.conversation_key = any(keys);
  get diagnostics messages = row_count;
  delete from halyard.conversations c where c.key = any(keys);
  get diagnostics conversations = row_count;

  keys := array(
    select e.key from halyard.executions e where e.user_id = of_user and e.parent_id is null
      and e.concurrency_key is not null and e.wants_runner_at is not null
    order by e.id collate "C" limit at_most for update);
  freed_keys := array(select e.concurrency_key from halyard.executions e where e.key = any(keys));
  if cardinality(keys) = 0 then
    keys := array(
      select e.key from halyard.executions e where e.user_id = of_user and e.parent_id is null
        and (e.concurrency_key is null or e.wants_runner_at is null)
      order by e.id collate "C" limit at_most for update);
  end if;
  stopped := (select json_agg(e.id)::text from halyard.executions e
    where (e.key = any(keys) or e.root_key = any(keys)) and e.ended_at is null);
  perform halyard.delete_trees(keys);
  executions := cardinality(keys);
  perform halyard.wake_waiting(freed_keys, ${nowMs});
  return next;
end
$function$;
`;
