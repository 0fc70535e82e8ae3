/** Copies of root executions that an engine stores. */
export const mirroredExecutions: string = `
-- For lists only: the engine knows the state. revision grows with each change of an execution.
create table halyard.mirrored_executions (
  key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  creation_id text not null,
  workflow_id text collate "C" not null,
  user_id text collate "C",
  status text not null,
  created_at bigint not null,
  ended_at bigint,
  quarantined_at bigint,
  metadata_digests text[] not null,
  approver_keys text[],
  revision bigint not null,
  execution text not null
);
create index mirrored_by_time on halyard.mirrored_executions (created_at, key);
create index mirrored_of_workflow on halyard.mirrored_executions (workflow_id, created_at, key);
create index mirrored_of_user on halyard.mirrored_executions (user_id, created_at, key) where user_id is not null;
create index mirrored_with_metadata on halyard.mirrored_executions using gin (metadata_digests)
  where metadata_digests <> '{}';
create index mirrored_of_approvers on halyard.mirrored_executions using gin (approver_keys)
  where approver_keys is not null;
create index mirrored_ended on halyard.mirrored_executions (ended_at) where ended_at is not null;
`;
