import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '@halyard/test-docs/documents';
import { freePort } from '../../../../../packages/memory-postgres/src/testing/free-port.ts';
import { statusOf } from './replicas.ts';

/** Caddy, with the Caddyfile of examples/deploy. */
export interface Proxy extends AsyncDisposable {
  readonly origin: string;
}

const startLimitMs = 20_000;

/**
 * Starts the proxy of compose.yml before these replicas, and waits until it has found one that is
 * ready.
 */
export async function startProxy(origins: readonly string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-proxy-'));
  const origin = `http://127.0.0.1:${await freePort()}`;
  const path = join(folder, 'Caddyfile');
  writeFileSync(path, `{\n\tadmin off\n}\n${withAddresses(origin, origins)}`);
  const caddy = spawn('caddy', ['run', '--config', path, '--adapter', 'caddyfile'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Caddy keeps files of its own.
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  let output = '';
  caddy.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(caddy, 'close').catch((error: unknown) => {
    output += String(error);
  });
  const stop = async (): Promise<void> => {
    caddy.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const until = performance.now() + startLimitMs;
  while ((await statusOf(`${origin}/readyz`)) !== 200) {
    if (caddy.exitCode !== null || performance.now() > until) {
      await stop();
      throw new Error(`Caddy (Debian package caddy) did not start\n${output}`);
    }
    await delay(50);
  }
  return { origin, [Symbol.asyncDispose]: stop };
}

/**
 * The Caddyfile, with addresses of this machine in the place of those in the network of the
 * containers.
 */
function withAddresses(origin: string, origins: readonly string[]): string {
  const text = readFileSync(join(root, 'examples/deploy/compose/Caddyfile'), 'utf8');
  const hosts = origins.map((each) => new URL(each).host);
  return text.replace(/^:8080/m, origin).replace(/app-(\d):3141/g, (_, number) => hosts[Number(number) - 1] ?? '');
}
