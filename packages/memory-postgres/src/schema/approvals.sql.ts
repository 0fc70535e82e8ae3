/** Which approvals were used, and those that others than their user may answer. */
export const approvals: string = `
create table halyard.approvals (
  id text primary key,
  expires_at bigint not null
);
create index approvals_expired on halyard.approvals (expires_at);

create table halyard.open_approvals (
  id text primary key,
  user_id text,
  approver_keys text[] not null,
  created_at bigint not null,
  expires_at bigint not null,
  request text not null,
  -- How often it has asked again.
  round integer not null default 0,
  -- For webhooks.
  ids jsonb not null default '{}'
);
create index open_approvals_of_approvers on halyard.open_approvals using gin (approver_keys);
create index open_approvals_of_user on halyard.open_approvals (user_id) where user_id is not null;
create index open_approvals_expired on halyard.open_approvals (expires_at);

-- One row for each approval, so that its lock orders the decisions. Each is an object with its user,
-- whether it is an approval, and its JSON as text.
create table halyard.approval_decisions (
  id text primary key,
  expires_at bigint not null,
  decisions jsonb not null,
  -- The user of the run.
  user_id text
);
create index approval_decisions_of_user on halyard.approval_decisions (user_id) where user_id is not null;
create index approval_decisions_expired on halyard.approval_decisions (expires_at);
`;
