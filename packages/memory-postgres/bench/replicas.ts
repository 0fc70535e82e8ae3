import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, startPostgresServer } from '../src/testing/postgres-server.ts';

/*
 * Measures durable steps per second of one, two and three processes on one PostgreSQL server: executions of five trivial steps, 50 at a time in each process. Each number of
 * processes is measured several times in alternation, and the median is reported. With a second work tree of the repository, its processes take turns with those of this one, on a server of their own.
 * Run: node --conditions=@halyard/source bench/replicas.ts [directory of a work tree of an older commit]
 * SECONDS: duration of each measurement (default 3). TIMES: how often each is repeated (default 3).
 */
interface Round {
  readonly executions: number;
  readonly tookMs: number;
  readonly cpuMs: number;
}

interface Turn {
  /** Steps per second of all processes. */
  readonly steps: number;
  /** Mean CPU usage of one process. */
  readonly cpuPercent: number;
}

/** The processes of one version of the repository. */
interface Version {
  readonly name: string;
  readonly server: PostgresServer;
  readonly replicas: readonly ChildProcess[];
  /** By the number of processes. */
  readonly turns: ReadonlyMap<number, Turn[]>;
}

const seconds = Number(process.env['SECONDS'] ?? 3);
const times = Number(process.env['TIMES'] ?? 3);
const atOnce = 50;
const counts = [1, 2, 3];
const [before] = process.argv.slice(2);
const servers: PostgresServer[] = [];
try {
  const versions = [await startVersion('PostgreSQL', import.meta.dirname)];
  if (before !== undefined)
    versions.unshift(await startVersion('before', join(before, 'packages/memory-postgres/bench')));
  for (const { replicas } of versions) await Promise.all(replicas.map((replica) => round(replica, 2)));
  for (let time = 0; time < times; time += 1) {
    for (const count of counts) {
      for (const { replicas, server, turns } of versions)
        turns.get(count)?.push(await measure(server, replicas.slice(0, count)));
    }
  }
  for (const { name, replicas, turns } of versions) {
    for (const [count, taken] of turns) report(name, count, taken);
    await Promise.all(replicas.map(stop));
  }
} finally {
  for (const server of servers) await server.remove();
}

async function startVersion(name: string, directory: string): Promise<Version> {
  const server = await startPostgresServer();
  servers.push(server);
  const replicas = await Promise.all(counts.map(() => startReplica(directory, server.connectionString)));
  return { name, server, replicas, turns: new Map(counts.map((count) => [count, []])) };
}

async function measure({ connectionString }: PostgresServer, replicas: readonly ChildProcess[]): Promise<Turn> {
  const earlier = await endedOnce(connectionString);
  const rounds = await Promise.all(replicas.map((replica) => round(replica, seconds)));
  const ended = (await endedOnce(connectionString)) - earlier;
  const executions = rounds.reduce((sum, one) => sum + one.executions, 0);
  if (ended !== executions) throw new TypeError(`${executions} executions were reported, but ${ended} have ended`);
  return {
    steps: rounds.reduce((sum, one) => sum + (one.executions * 5 * 1_000) / one.tookMs, 0),
    cpuPercent: rounds.reduce((sum, one) => sum + (one.cpuMs * 100) / one.tookMs, 0) / rounds.length,
  };
}

function report(name: string, count: number, turns: readonly Turn[]): void {
  const sorted = turns.toSorted((one, other) => one.steps - other.steps);
  const median = sorted[Math.floor(sorted.length / 2)];
  const [from, steps, to] = [sorted[0], median, sorted.at(-1)].map((turn) => Math.round(turn?.steps ?? 0));
  console.log(
    `${name}, ${count} replica${count > 1 ? 's' : ''}: ${steps} steps/s (${from} to ${to}; CPU of each process ${median?.cpuPercent.toFixed(0)} %)`,
  );
}

async function startReplica(directory: string, connectionString: string): Promise<ChildProcess> {
  const replica = fork(join(directory, 'replica.ts'), [connectionString, String(atOnce)], {
    execArgv: ['--conditions=@halyard/source'],
  });
  await once(replica, 'message');
  return replica;
}

async function round(replica: ChildProcess, forSeconds: number): Promise<Round> {
  const answered = once(replica, 'message');
  replica.send(forSeconds);
  const [answer] = await answered;
  return answer as Round;
}

/** The number of completed executions with each of their steps recorded exactly once. */
async function endedOnce(connectionString: string): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ ended: number }>(`select count(*)::integer as ended from (
      select e.key from halyard.executions e join halyard.execution_journal j on j.root_key = e.key
      where e.status = 'completed' group by e.key having count(*) = 5 and count(distinct j.path) = 5) as one`);
    return rows[0]?.ended ?? 0;
  } finally {
    await client.end();
  }
}

async function stop(replica: ChildProcess): Promise<void> {
  const gone = once(replica, 'exit');
  replica.disconnect();
  await gone;
}
