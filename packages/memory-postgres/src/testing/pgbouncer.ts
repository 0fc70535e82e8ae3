import { fail } from 'node:assert';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** A running PgBouncer in front of a database. */
export interface Pgbouncer {
  readonly stop: () => Promise<void>;
}

/** The program, the port it listens on, and the database behind it. */
export interface PgbouncerOptions {
  readonly program: string;
  readonly database: string;
  readonly port: number;
}

/** The path of PgBouncer on this machine. Undefined when it is not installed. */
export async function findPgbouncer(): Promise<string | undefined> {
  const path = [process.env['PATH'], '/usr/sbin', '/usr/local/sbin'].join(delimiter);
  return exec('sh', ['-c', 'command -v pgbouncer'], { env: { PATH: path } }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** The connection string of a database through PgBouncer. */
export function throughPgbouncer(database: string, port: number): string {
  const url = new URL(database);
  url.port = `${port}`;
  return url.href;
}

/**
 * Starts a PgBouncer in transaction mode: a client has a connection to the database for one
 * transaction only. It refuses timeouts that clients send at connect, as its default is.
 */
export async function startPgbouncer({ database, port: listenPort, program }: PgbouncerOptions): Promise<Pgbouncer> {
  const { hostname, pathname, port, username } = new URL(database);
  const directory = await mkdtemp(join(tmpdir(), 'halyard-pgbouncer-'));
  const name = pathname.slice(1);
  const config = `
[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
default_pool_size = 10
`;
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(file, config);
  const user = await userOfPooler();
  if (user !== undefined) await chown(directory, user.uid, user.gid);
  const child = spawn(program, ['--quiet', file], { cwd: directory, stdio: 'ignore', ...user });
  const exited = once(child, 'exit');
  await waitUntilListening(listenPort);
  return {
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
async function userOfPooler(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> => Number((await exec('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

async function waitUntilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) return;
    await delay(50);
  }
  fail('pgbouncer does not listen');
}
