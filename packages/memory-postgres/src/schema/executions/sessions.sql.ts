import { nowMs } from '../fragments.ts';

/**
 * The sessions of runners, by which others find out that a process has died before its lease ends.
 */
export const runnerSessions: string = `
-- The session-level advisory lock that a process holds on the connection on which it listens.
-- PostgreSQL frees it when the process dies. A row is written after its lock was taken, and each
-- connection has a lock of its own, so a lock that is free was lost. The table is unlogged: all locks
-- are lost with the memory of the server, and after a crash the table is empty. After a restart, the
-- rows of an earlier start do not count.
create unlogged table halyard.runner_sessions (
  runner text primary key,
  lock_key bigint not null,
  server_started_at timestamptz not null,
  -- When another process first found the lock free.
  lost_at bigint
);

-- Takes the lock of a session, and writes it for the runners of its process.
create function halyard.hold_session(runner_names text[], key_of_lock bigint) returns void
language plpgsql as $function$
begin
  perform pg_advisory_lock(key_of_lock);
  delete from halyard.runner_sessions s where s.server_started_at <> pg_postmaster_start_time();
  insert into halyard.runner_sessions as s (runner, lock_key, server_started_at)
    select name, key_of_lock, pg_postmaster_start_time() from unnest(runner_names) as name order by 1
    on conflict (runner) do update set
      lock_key = excluded.lock_key, server_started_at = excluded.server_started_at, lost_at = null;
end
$function$;

-- Ends the leases of runners that held a lock of a session, and lost it at least grace_ms ago: their
-- processes have died. Returns a row for each that has lost its lock, and whether its lease was ended.
-- A runner whose lease is being renewed lives.
create function halyard.end_lost_runners(own_names text[], grace_ms bigint, shift_ms bigint) returns setof boolean
language plpgsql set enable_seqscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
  lost record;
begin
  for lost in select s.runner, s.lock_key, s.lost_at from halyard.runner_sessions s
    where s.runner <> all(own_names) and s.server_started_at = pg_postmaster_start_time()
    order by s.runner
  loop
    continue when not pg_try_advisory_xact_lock_shared(lost.lock_key);
    if lost.lost_at is null or lost.lost_at + grace_ms > now_ms then
      update halyard.runner_sessions s set lost_at = now_ms
        where s.runner = lost.runner and s.lock_key = lost.lock_key and s.lost_at is null;
      return next false;
      continue;
    end if;
    perform from halyard.runner_sessions s where s.runner = lost.runner and s.lock_key = lost.lock_key
      for update skip locked;
    continue when not found;
    update halyard.runners r set has_ended = true, lease_until = least(r.lease_until, now_ms) where r.key in (
      select own.key from halyard.runners own where own.name = lost.runner and not own.has_ended
      order by own.key for update skip locked);
    continue when exists (select from halyard.runners r where r.name = lost.runner and not r.has_ended);
    delete from halyard.runner_sessions s where s.runner = lost.runner;
    return next true;
  end loop;
end
$function$;

-- Ends all leases: the process that held them has ended, as only one can use an embedded database.
create function halyard.end_leases(shift_ms bigint) returns void
language sql as $function$
  update halyard.runners r set has_ended = true, lease_until = least(r.lease_until, ${nowMs}) where not r.has_ended
$function$;
`;
