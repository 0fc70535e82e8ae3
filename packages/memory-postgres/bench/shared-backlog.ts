import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgresServer } from '../src/testing/postgres-server.ts';
import type { Request } from './backlog-replica.ts';
import type { ClaimCounts } from './counted-claims.ts';
import { report } from './measure.ts';

/*
 * Measures how many claims find no work when six processes share a backlog of executions of 0.5 s, 20 at a time in each.
 * Run: node --conditions=@halyard/source bench/shared-backlog.ts [executions]
 * TREE: another work tree to measure instead.
 */
interface Backlog {
  readonly name: string;
  readonly startAfterMs: number;
  /** Kills one of the processes while it works. The first one starts the executions and remains. */
  readonly kills?: boolean;
}

const count = Number(process.argv[2] ?? 2_400);
const backlogs: readonly Backlog[] = [
  { name: 'all due at the same time', startAfterMs: 10_000 },
  { name: 'started by one process', startAfterMs: 0 },
  { name: 'started by one process, another is killed', startAfterMs: 0, kills: true },
];

await run();

async function run(): Promise<void> {
  const server = await startPostgresServer();
  let replicas: ChildProcess[] = [];
  try {
    replicas = await startReplicas(server);
    for (const backlog of backlogs) await measure(server, replicas, backlog);
  } finally {
    await Promise.all(replicas.map(stop));
    await server.remove();
  }
}

async function measure(
  server: PostgresServer,
  replicas: ChildProcess[],
  { kills = false, name, startAfterMs }: Backlog,
): Promise<void> {
  const [first] = replicas;
  if (first === undefined) throw new TypeError('No process is left');
  const before = await countsOf(replicas);
  const began = performance.now();
  const begun = ask(first, { type: 'begin', count, name, startAfterMs });
  if (kills) {
    await untilEnded(server, name, count / 10);
    // Its claims so far are not counted: most of them are lost with it.
    const killed = replicas.pop();
    killed?.kill('SIGKILL');
    before.delete(killed);
  }
  await begun;
  await untilEnded(server, name, count);
  const ms = performance.now() - began;
  const after = await countsOf(replicas);
  let [claims, inVain] = [0, 0];
  for (const [replica, counts] of after) {
    claims += counts.claims - (before.get(replica)?.claims ?? 0);
    inVain += counts.inVain - (before.get(replica)?.inVain ?? 0);
  }
  const inVainPercent = (100 * inVain) / claims;
  report(`a backlog of ${count}, ${name}`, { claims, inVainPercent, ms }, { inVainPercent: 5 });
}

async function startReplicas({ connectionString }: PostgresServer): Promise<ChildProcess[]> {
  const path = join(import.meta.dirname, 'backlog-replica.ts');
  const execArgv = ['--conditions=@halyard/source'];
  const replicas = Array.from({ length: 6 }, () => fork(path, [connectionString], { execArgv }));
  await Promise.all(replicas.map((replica) => once(replica, 'message')));
  return replicas;
}

async function countsOf(replicas: readonly ChildProcess[]): Promise<Map<ChildProcess | undefined, ClaimCounts>> {
  const entries = replicas.map(async (replica) => [replica, await ask(replica, { type: 'counts' })] as const);
  return new Map(await Promise.all(entries));
}

async function ask(replica: ChildProcess, request: Request): Promise<ClaimCounts> {
  const answered = once(replica, 'message');
  replica.send(request);
  const [counts] = await answered;
  return counts as ClaimCounts;
}

async function untilEnded(server: PostgresServer, name: string, least: number): Promise<void> {
  for (let ended = 0; ended < least;) {
    await delay(200);
    const rows = await server.query(
      `select count(*)::integer as ended from halyard.executions where status = 'completed' and id like '${name}-%'`,
    );
    ended = (rows[0] as { readonly ended: number }).ended;
  }
}

async function stop(replica: ChildProcess): Promise<void> {
  const gone = once(replica, 'exit');
  replica.disconnect();
  await gone;
}
