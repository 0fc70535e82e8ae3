import { execFile, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

const exec = promisify(execFile);

export interface PostgresServer {
  readonly connectionString: string;
  /** Crashes the server and restarts it. */
  readonly crash: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Runs statements on a new connection. @returns the rows. */
  readonly query: (text: string) => Promise<readonly object[]>;
  /** Stops the server and deletes its data. */
  readonly remove: () => Promise<void>;
}

export interface ServerOptions {
  /**
   * Whether commits are on the disk before they are acknowledged. Without it, they survive a crash
   * of the server, but not of the machine. Default: true.
   */
  readonly fsync?: boolean | undefined;
}

/**
 * Starts a PostgreSQL server with the binaries of this machine, a new data directory and a free
 * port.
 */
export async function startPostgresServer({ fsync = true }: ServerOptions = {}): Promise<PostgresServer> {
  const bin = (await exec('pg_config', ['--bindir'])).stdout.trim();
  const directory = mkdtempSync(join(tmpdir(), 'halyard-postgres-'));
  const data = join(directory, 'data');
  const port = await freePort();
  const user = await userOfServer();
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const run = (program: string, ...args: readonly string[]): Promise<void> =>
    runAs(user, join(bin, program), args, directory);

  await run(
    'initdb',
    '--pgdata',
    data,
    '--username',
    'postgres',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--no-locale',
    '--no-sync',
  );
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory} -c max_connections=200${fsync ? '' : ' -c fsync=off -c full_page_writes=off'}`;
  const log = join(directory, 'log');
  const start = (): Promise<void> =>
    run('pg_ctl', 'start', '--pgdata', data, '--wait', '--log', log, '--options', options);
  const stop = (): Promise<void> => run('pg_ctl', 'stop', '--pgdata', data, '--wait', '--mode', 'fast');
  await start();
  const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    connectionString,
    start,
    stop,
    query: (text) => query(connectionString, text),
    crash: () =>
      run('pg_ctl', 'restart', '--pgdata', data, '--wait', '--log', log, '--options', options, '--mode', 'immediate'),
    remove: async () => {
      await run('pg_ctl', 'stop', '--pgdata', data, '--wait', '--mode', 'immediate').catch(() => {});
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function query(connectionString: string, text: string): Promise<readonly object[]> {
  const client = new Client({ connectionString });
  // The query rejects when the connection breaks.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
async function userOfServer(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> => Number((await exec('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

async function runAs(
  user: ServerUser | undefined,
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  // Output is ignored: the server would keep a pipe open.
  const child = spawn(program, args, { cwd, stdio: 'ignore', env: { ...process.env, LC_ALL: 'C.UTF-8' }, ...user });
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  child.once('error', reject);
  child.once('exit', (code) => {
    if (code === 0) resolve();
    else reject(new Error(`${program} ${args.join(' ')} ended with ${code}`));
  });
  await promise;
}
