/** The executions: one row for each, also for those of sub-workflows. */
export const executions: string = `
-- The key of an execution contains the day (UTC) of its creation: day << 36, plus a number. Its
-- events and its journal are in the partition of this day, so that a lookup by key reads one table.
create sequence halyard.execution_numbers;

-- Values are stored as the text of their JSON: json and jsonb cannot hold every JSON string
-- (\\u0000, halves of surrogate pairs), and no query reads inside them. What is changed in place
-- (state, waits) is jsonb whose members are such texts.
--
-- wants_runner_at is the time when an execution is due while no runner has claimed it, the end of
-- the lease that its claim asked for while one has, and null while it waits for a signal or a
-- place.
--
-- A commit that neither claims nor releases an execution changes no indexed column: the update
-- stays on its page and touches no index (HOT).
create table halyard.executions (
  key bigint primary key
    default (floor(extract(epoch from clock_timestamp()) / 86400)::bigint << 36) + nextval('halyard.execution_numbers'),
  id text not null unique,
  workflow_id text not null,
  workflow_name text not null,
  conversation_id text,
  user_id text,
  -- The call that created it. A repeated call is recognised, and an id that is used again is
  -- another creation.
  request_id text,

  -- Of a sub-workflow: its parent, its root, and its step.
  parent_id text,
  root_key bigint,
  root_id text not null,
  path text not null,

  status text not null,
  created_at bigint not null,
  updated_at bigint not null,
  ended_at bigint,
  -- No commit changes it.
  quarantined_at bigint,

  -- The steps of the workflow with which it runs. A process asks only for the definitions that it
  -- has.
  definition text not null default '',
  -- On whose behalf it runs: subjects take turns and share the slots of a process. Null: the app's own work.
  subject text,
  priority smallint not null default 0,
  wants_runner_at bigint,
  runner text,
  runner_key bigint,
  epoch integer not null default 0,
  claims_without_commit integer not null default 0,

  -- It takes a place of its key while it is leased, and for 10 seconds after its admission. No row
  -- counts the places. It waits for one while waiting_since is set and wants_runner_at is null.
  concurrency_key text,
  concurrency_limit integer,
  waiting_since bigint,
  -- Rules for starts with the same key.
  singleton_key text,
  throttle_key text,
  throttled_at bigint,
  debounce_key text,
  debounced_since bigint,

  seq integer not null,
  journal_position integer not null default 0,
  signals integer not null default 0,
  request_kind text,
  request_reason text,
  -- What the last commit returned, for a repetition of it.
  last_commit_id text,
  last_signals integer not null default 0,
  last_children text[],
  resume_request_ids text[] not null default '{}',
  -- Whether the checkpoint of its root needs this sub-workflow.
  is_needed boolean not null default true,

  waits jsonb not null default '[]',
  -- The channels of the waits, by the trigger receive_events. Most have none and are not in its
  -- index.
  event_waits text[],
  rewinds jsonb not null default '[]',
  state jsonb not null,
  metadata_digests text[] not null,
  input text not null,
  context text not null,
  metadata text not null,
  user_snapshot text,
  output text,
  error text
) with (fillfactor = 70);
alter sequence halyard.execution_numbers owned by halyard.executions.key;

-- Lists. Queries that find a root by its id have the condition "root_key is null", which no partial
-- index has: PostgreSQL might prefer such an index to that of ids when it plans for an empty table.
create index executions_newest on halyard.executions (created_at, key) where parent_id is null;
create index executions_of_status on halyard.executions (status, created_at, key) where parent_id is null;
create index executions_of_workflow on halyard.executions (workflow_id, created_at, key) where parent_id is null;
create index executions_of_workflow_and_status on halyard.executions (workflow_id, status, created_at, key)
  where parent_id is null;
create index executions_of_user on halyard.executions (user_id, created_at, key)
  where parent_id is null and user_id is not null;
create index executions_with_metadata on halyard.executions using gin (metadata_digests)
  where metadata_digests <> '{}';
create index executions_quarantined on halyard.executions (created_at, key)
  where parent_id is null and quarantined_at is not null;
create index executions_ended on halyard.executions (ended_at, key) where parent_id is null and ended_at is not null;

-- Sub-workflows. An expression in the last one, so that no query uses another index for it.
create index executions_of_parent on halyard.executions (parent_id, created_at, key) where parent_id is not null;
create index executions_of_root on halyard.executions (root_key, key) where root_key is not null;
create index executions_needed on halyard.executions ((${neededBy('')}), key) where root_key is not null;

-- Start rules.
create index executions_of_singleton on halyard.executions (singleton_key, key)
  where singleton_key is not null and ended_at is null;
create index executions_throttled on halyard.executions (throttle_key, throttled_at,
  key) where throttle_key is not null;
create index executions_debounced on halyard.executions (debounce_key, key)
  where debounce_key is not null and epoch = 0 and ended_at is null;
`;

/** The root that needs a sub-workflow. */
export function neededBy(row: '' | 'c.'): string {
  return `case when ${row}is_needed then ${row}root_key end`;
}
