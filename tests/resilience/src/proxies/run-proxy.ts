import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../../packages/memory-postgres/src/testing/free-port.ts';

export interface ProxyProgram {
  readonly program: 'caddy' | 'nginx';
  readonly args: (configuration: string) => readonly string[];
  /**
   * The configuration of a proxy that keeps its files in a folder and listens on a port of
   * 127.0.0.1.
   */
  readonly configure: (port: number, folder: string) => string;
}

export interface RunningProxy {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** Why a proxy cannot be tested here; undefined where it is installed. */
export function missing(program: ProxyProgram['program']): string | undefined {
  const { error } = spawnSync(program, [program === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' });
  return error && `${program} is not installed (Debian package: ${program})`;
}

/** Starts a proxy, and waits until it listens. */
export async function runProxy({ program, args, configure }: ProxyProgram): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `halyard-${program}-`));
  const port = await freePort();
  const path = join(folder, 'configuration');
  writeFileSync(path, configure(port, folder));
  const child = spawn(program, args(path), {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Caddy keeps files of its own.
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  while (!(await listens(port))) {
    if (child.exitCode !== null) {
      await stop();
      throw new Error(`${program} did not start\n${output}`);
    }
    await delay(20);
  }
  return { origin: `http://127.0.0.1:${port}`, stop };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
