import type { Migration } from './migration.ts';

/** Since when a runner has its lease, and the list of runners for people who look at a server. A row that a process of an earlier release inserts gets the time too. */
export const runnerList: Migration = {
  number: 23,
  name: 'runner-list',
  sql: (schema) => `
alter table ${schema}.runners add column since bigint not null default floor(extract(epoch from clock_timestamp()) * 1000)::bigint;

create function ${schema}.list_runners(shift_ms bigint) returns table (runner text, since bigint, lease_until bigint, executions bigint)
language sql stable as $function$
  select found.name, found.since, found.lease_until, found.executions from (
    select r.key, r.name, r.since, r.lease_until, r.has_ended, (select count(*) from ${schema}.executions e where e.runner_key = r.key and e.runner is not null) as executions
    from ${schema}.runners r
  ) as found
  where found.executions > 0 or not found.has_ended and found.lease_until > floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms
  order by found.key
$function$;
${takeLease(schema)}`,
};

/** Begins leases at the time of the store, which an option can shift. */
function takeLease(schema: string): string {
  return `
create or replace function ${schema}.take_lease(runner_name text, until_ms bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off as $function$
declare
  taken bigint := ${schema}.extend_lease(runner_name, until_ms, now_ms);
begin
  if taken is null then
    perform pg_advisory_xact_lock(hashtextextended(runner_name, hashtextextended('${schema.replaceAll("'", "''")}', 10)));
    taken := ${schema}.extend_lease(runner_name, until_ms, now_ms);
  end if;
  if taken is null then
    insert into ${schema}.runners as r (name, lease_until, since) values (runner_name, until_ms, now_ms) returning r.key into taken;
  end if;
  return taken;
end
$function$;`;
}
