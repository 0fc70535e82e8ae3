import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AppSettings } from './app-process.ts';

/** A server that takes longer does not answer. */
const patienceMs = 60_000;

export interface AppOptions extends Omit<AppSettings, 'bodies' | 'secret'> {
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Reply {
  /** 0: no reply. */
  readonly status: number;
  readonly code: string | undefined;
  readonly data: unknown;
  readonly ms: number;
}

/** A server in its own process, with tokens for it. */
export class App {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #secret: string;

  private constructor(child: ChildProcess, origin: string, directory: string, secret: string) {
    this.#child = child;
    this.origin = origin;
    this.#directory = directory;
    this.#secret = secret;
  }

  static async start({ environment, ...settings }: AppOptions = {}): Promise<App> {
    const directory = mkdtempSync(join(tmpdir(), 'halyard-environment-'));
    const secret = `${randomUUID()}${randomUUID()}`;
    const all: AppSettings = { ...settings, secret, bodies: join(directory, 'bodies') };
    const child = fork(fileURLToPath(new URL('app-process.ts', import.meta.url)), [JSON.stringify(all)], {
      execArgv: ['--conditions=@halyard/source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production', ...environment },
    });
    const started = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)]);
    if (started === undefined) throw new Error('the server did not start');
    return new App(child, String(started[0]), directory, secret);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** A token of a user. @param expiresAt seconds since the epoch. */
  tokenOf(user: string, expiresAt: number): string {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: user, exp: expiresAt })}`;
    return `${content}.${createHmac('sha256', this.#secret).update(content).digest('base64url')}`;
  }

  /** The bodies of steps that ran, one entry for each time. */
  bodies(): readonly string[] {
    const file = join(this.#directory, 'bodies');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }

  /** The CPU time that the process has used, in milliseconds. */
  cpuMs(): number {
    const text = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticksPerSecond = 100;
    return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
  }

  async ask(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<Reply> {
    const from = performance.now();
    try {
      const reply = await fetch(`${this.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await reply.text();
      const { data } = text.startsWith('{') ? (JSON.parse(text) as { data?: unknown }) : {};
      const code = reply.headers.get('x-error-code') ?? undefined;
      return { status: reply.status, code, data, ms: performance.now() - from };
    } catch {
      return { status: 0, code: undefined, data: undefined, ms: performance.now() - from };
    }
  }

  async close(): Promise<void> {
    if (this.isAlive) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await Promise.race([exited, delay(5_000)]);
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
