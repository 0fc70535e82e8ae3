/** Who did what. Ids begin with the time, and are compared by code point. */
export const audit: string = `
create table halyard.audit_log (
  id text collate "C" primary key,
  at bigint not null,
  user_id text,
  action text not null,
  target_ids text[] not null,
  record text not null,
  outcome text
);
create index audit_log_of_actor on halyard.audit_log (user_id, id desc) where user_id is not null;
create index audit_log_of_target on halyard.audit_log using gin (target_ids);
create index audit_log_by_time on halyard.audit_log (at);
`;
