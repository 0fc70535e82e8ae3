import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, startPostgresServer } from '../src/testing/postgres-server.ts';

/*
 * Durable steps a second by one, two and three processes on one PostgreSQL: executions of five trivial steps, 50 at once in each process.
 * node --conditions=@halyard/source bench/replicas.ts, for SECONDS (5) each
 */
interface Round {
  readonly executions: number;
  readonly tookMs: number;
  readonly cpuMs: number;
}

const seconds = Number(process.env['SECONDS'] ?? 5);
const atOnce = 50;
const server = await startPostgresServer();
try {
  for (const count of [1, 2, 3]) await measure(server, count);
} finally {
  await server.remove();
}

async function measure({ connectionString }: PostgresServer, count: number): Promise<void> {
  const replicas = await Promise.all(Array.from({ length: count }, () => startReplica(connectionString)));
  await Promise.all(replicas.map((replica) => round(replica, 2)));
  const before = await endedOnce(connectionString);
  const rounds = await Promise.all(replicas.map((replica) => round(replica, seconds)));
  const ended = (await endedOnce(connectionString)) - before;
  const executions = rounds.reduce((sum, one) => sum + one.executions, 0);
  if (ended !== executions) throw new TypeError(`${executions} executions were answered, ${ended} have ended`);
  const steps = rounds.map((one) => (one.executions * 5 * 1_000) / one.tookMs);
  const cpu = rounds.map(({ cpuMs, tookMs }) => Math.round((cpuMs * 100) / tookMs));
  const total = steps.reduce((sum, one) => sum + one, 0);
  console.log(
    `PostgreSQL, ${count} replica${count > 1 ? 's' : ''}: ${Math.round(total)} steps/s (${steps.map(Math.round).join(' + ')}; CPU of each process ${cpu.join(', ')} %)`,
  );
  await Promise.all(replicas.map(stop));
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

/** Executions that ended, with each of their steps recorded once. */
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
