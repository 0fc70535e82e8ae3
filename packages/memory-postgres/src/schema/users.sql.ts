/** Deleting what belongs to a user. */
export const users: string = `
-- Deletes the working memory of a user, and up to at_most conversations and at_most root executions
-- with their sub-workflows. Executions are locked first, so that the last commit of their runner
-- is deleted too. stopped lists the executions that had not ended.
create function halyard.delete_user(of_user text, at_most integer)
returns table (conversations integer, messages integer, executions integer, stopped text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  keys bigint[];
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
    order by e.id collate "C" limit at_most for update);
  stopped := (select json_agg(e.id)::text from halyard.executions e
    where (e.key = any(keys) or e.root_key = any(keys)) and e.ended_at is null);
  perform halyard.delete_trees(keys);
  executions := cardinality(keys);
  return next;
end
$function$;
`;
