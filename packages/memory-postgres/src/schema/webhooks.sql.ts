import { answerWorkflowPrefix, internalWorkflowPrefix } from '@halyard/contracts';
import { nowMs } from './fragments.ts';

/** Events for webhooks, from the transaction that caused them until they are delivered. */
export const webhooks: string = `
-- Events are stored for an endpoint while a server listens for it.
create table halyard.webhook_endpoints (
  url text collate "C" primary key,
  events text[] not null,
  listens_until bigint not null,
  disabled_at bigint
);
create index webhook_endpoints_listening on halyard.webhook_endpoints (listens_until);

-- data is an object of ids, encoded like those of other tables. due_at is null unless it is pending.
-- Tries are counted from the attempt after which it was redelivered.
create table halyard.webhook_deliveries (
  position bigint generated always as identity primary key,
  id text collate "C" not null unique,
  url text collate "C" not null,
  type text not null,
  at bigint not null,
  user_id text,
  data text not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  redelivered_after integer not null default 0,
  due_at bigint,
  attempted_at bigint,
  reply_status integer,
  error text
);
create index webhook_deliveries_due on halyard.webhook_deliveries (url, due_at, position) where due_at is not null;
create index webhook_deliveries_of_url on halyard.webhook_deliveries (url, position);
create index webhook_deliveries_of_status on halyard.webhook_deliveries (status, position);
create index webhook_deliveries_of_user on halyard.webhook_deliveries (user_id) where user_id is not null;
create index webhook_deliveries_by_time on halyard.webhook_deliveries (at);

-- One delivery of an event for each endpoint that wants it, to be inserted.
create function halyard.new_webhooks(of_type text, now_ms bigint, of_user text, ids jsonb)
returns table (id text, url text, type text, at bigint, user_id text, data text, due_at bigint)
language sql volatile set enable_seqscan = off as $function$
  select 'msg_' || replace(gen_random_uuid()::text, '-', ''), w.url, of_type, now_ms, of_user,
    jsonb_strip_nulls(ids)::text, now_ms
  from halyard.webhook_endpoints w
  where of_type = any(w.events) and w.disabled_at is null and w.listens_until > now_ms
$function$;

-- Whatever changes an execution, this is part of its transaction.
create function halyard.announce_execution() returns trigger
language plpgsql set enable_seqscan = off as $function$
declare
  ids constant jsonb := jsonb_build_object('executionId', new.id, 'workflowId', new.workflow_id,
    'conversationId', new.conversation_id, 'userId', new.user_id);
  is_answer constant boolean := starts_with(new.workflow_id, '${answerWorkflowPrefix}');
  announced record;
begin
  if starts_with(new.workflow_id, '${internalWorkflowPrefix}')
    or not exists (select from halyard.webhook_endpoints) then
    return null;
  end if;
  for announced in
    select 'approval.requested' as type, ids || jsonb_build_object('approvalId', wait->'asks') as fields
      from jsonb_array_elements(new.waits) as t (wait)
      where wait ? 'asks' and not exists (select from jsonb_array_elements(old.waits) as o (other)
        where other ? 'asks' and other->'id' = wait->'id')
    union all
    select 'approval.settled', ids || jsonb_build_object('approvalId', wait->'asks') || coalesce(
        (select '{"outcome": "answered"}'::jsonb || coalesce(resumption->'decision', '{}')
          from jsonb_array_elements(new.waits) as r (resumption)
          where resumption->>'kind' = 'resumption' and resumption->'path' = wait->'path' limit 1),
        '{"outcome": "withdrawn"}')
      from jsonb_array_elements(old.waits) as t (wait)
      where wait ? 'asks' and not exists (select from jsonb_array_elements(new.waits) as n (other)
        where other ? 'asks' and other->'id' = wait->'id')
    union all
    select 'execution.quarantined', ids where new.quarantined_at is not null and old.quarantined_at is null
    union all
    select 'answer.finished', ids - 'workflowId' || jsonb_build_object('outcome', new.status,
        'agentId', substr(new.workflow_id, length('${answerWorkflowPrefix}') + 1))
      where is_answer and new.status <> old.status and new.status in ('completed', 'error', 'cancelled')
    union all
    select 'execution.' || case new.status when 'error' then 'failed' else new.status end, ids
      where not is_answer and new.status <> old.status and new.status in ('suspended', 'completed', 'error')
        and new.quarantined_at is null
  loop
    insert into halyard.webhook_deliveries (id, url, type, at, user_id, data, due_at)
      select * from halyard.new_webhooks(announced.type, new.updated_at, new.user_id, announced.fields);
  end loop;
  return null;
end
$function$;
create trigger announce_execution after update on halyard.executions
  for each row when (new.root_key is null and (old.status <> new.status or old.waits <> new.waits
    or old.quarantined_at is distinct from new.quarantined_at))
  execute function halyard.announce_execution();

-- Takes deliveries that are due. Each is due again after the lease, unless it is settled.
create function halyard.take_webhooks(of_url text, at_most integer, lease_ms bigint, shift_ms bigint)
returns table (id text, type text, at text, data text, attempts integer, tries integer)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
begin
  return query
    with due as materialized (
      select d.position from halyard.webhook_deliveries d where d.url = of_url and d.due_at <= now_ms
        order by d.due_at, d.position limit at_most for update skip locked
    ), taken as (
      update halyard.webhook_deliveries d
        set attempts = d.attempts + 1, attempted_at = now_ms, due_at = now_ms + lease_ms
        from due where d.position = due.position
        returning d.*
    )
    select t.id, t.type, t.at::text, t.data, t.attempts, t.attempts - t.redelivered_after
      from taken t order by t.position;
end
$function$;
`;
