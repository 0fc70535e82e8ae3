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
$function$;`,
};
