/** Which approvals were used. */
export const approvals: string = `
create table halyard.approvals (
  id text primary key,
  expires_at bigint not null
);
create index approvals_expired on halyard.approvals (expires_at);
`;
