import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, startPostgresServer } from '../src/testing/postgres-server.ts';

/*
 * Measures durable steps per second of one, two and three processes on one PostgreSQL server: executions of five trivial steps, 50 at a time in each process. Each number of
 * processes is measured three times in alternation, and the median is reported.
 * Run: node --conditions=@halyard/source bench/replicas.ts
 * SECONDS: duration of each measurement (default 3).
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

const seconds = Number(process.env['SECONDS'] ?? 3);
const atOnce = 50;
const server = await startPostgresServer();
try {
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(server.connectionString)));
  await Promise.all(replicas.map((replica) => round(replica, 2)));
  const turns = new Map<number, Turn[]>([
    [1, []],
    [2, []],
    [3, []],
  ]);
  for (let time = 0; time < 3; time += 1) {
    for (const [count, taken] of turns) taken.push(await measure(server, replicas.slice(0, count)));
  }
  for (const [count, taken] of turns) report(count, taken);
  await Promise.all(replicas.map(stop));
} finally {
  await server.remove();
}

async function measure({ connectionString }: PostgresServer, replicas: readonly ChildProcess[]): Promise<Turn> {
  const before = await endedOnce(connectionString);
  const rounds = await Promise.all(replicas.map((replica) => round(replica, seconds)));
  const ended = (await endedOnce(connectionString)) - before;
  const executions = rounds.reduce((sum, one) => sum + one.executions, 0);
  if (ended !== executions) throw new TypeError(`${executions} executions were reported, but ${ended} have ended`);
  return {
    steps: rounds.reduce((sum, one) => sum + (one.executions * 5 * 1_000) / one.tookMs, 0),
    cpuPercent: rounds.reduce((sum, one) => sum + (one.cpuMs * 100) / one.tookMs, 0) / rounds.length,
  };
}

function report(count: number, turns: readonly Turn[]): void {
  const [lowest, median, highest] = turns.toSorted((one, other) => one.steps - other.steps);
  const [from, steps, to] = [lowest, median, highest].map((turn) => Math.round(turn?.steps ?? 0));
  console.log(
    `PostgreSQL, ${count} replica${count > 1 ? 's' : ''}: ${steps} steps/s (${from} to ${to}; CPU of each process ${median?.cpuPercent.toFixed(0)} %)`,
  );
}

async function startReplica(connectionString: string): Promise<ChildProcess> {
  const replica = fork(join(import.meta.dirname, 'replica.ts'), [connectionString, String(atOnce)], {
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
