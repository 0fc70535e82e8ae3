import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Image } from './build-image.ts';

export interface ContainerOptions {
  /** In addition to those of the image. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files at /run/secrets, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Arguments after the entrypoint. Default: the command of the image. */
  readonly args?: readonly string[];
}

export interface EndedContainer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const script = join(import.meta.dirname, 'container.sh');
const startLimitMs = 60_000;

/** A process that runs in the image like process 1 of a container. */
export class Container {
  readonly #child: ChildProcess;
  readonly #secretsFolder: string;
  readonly #ended: Promise<EndedContainer>;
  readonly #output = { stdout: '', stderr: '' };

  constructor(image: Pick<Image, 'folder' | 'settings'>, { args, env = {}, secrets = {} }: ContainerOptions) {
    const { settings } = image;
    this.#secretsFolder = mkdtempSync(join(tmpdir(), 'halyard-secrets-'));
    writeSecrets(this.#secretsFolder, secrets);
    const variables = Object.entries({ ...settings.env, ...env }).map(([name, value]) => `${name}=${value}`);
    const command = [...settings.entrypoint, ...(args ?? settings.command)];
    const options = [image.folder, process.execPath, this.#secretsFolder, settings.workdir, settings.user];
    // In a process group of its own, so that Ctrl+C reaches it only through the test.
    this.#child = spawn('bash', [script, ...options, ...variables, '--', ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#ended = this.#end();
  }

  get stdout(): string {
    return this.#output.stdout;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<EndedContainer> {
    return this.#ended;
  }

  /** The lines of the log. @throws when a line is not JSON. */
  get log(): readonly Readonly<Record<string, unknown>>[] {
    const lines = this.#output.stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The id, on this machine, of the process that is process 1 in the container. */
  async pid(): Promise<number> {
    const until = performance.now() + startLimitMs;
    while (performance.now() < until && this.#child.exitCode === null) {
      const pid = descendants(this.#child.pid ?? 0).find((id) => isNodeAsFirstProcess(id));
      if (pid !== undefined) return pid;
      await delay(20);
    }
    throw new Error(`The container did not start: ${this.#output.stderr}`);
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    process.kill(await this.pid(), name);
  }

  /** Ends the process at once, if it runs. */
  async remove(): Promise<void> {
    if (this.#child.exitCode === null) await this.signal('SIGKILL').catch(() => {});
    await this.#ended;
  }

  /** Runs a command in the running container, as its user. */
  async exec(...command: readonly string[]): Promise<EndedContainer> {
    const pid = String(await this.pid());
    const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, uid = ''] = /^Uid:\s+(\d+)/m.exec(status) ?? [];
    const [, gid = ''] = /^Gid:\s+(\d+)/m.exec(status) ?? [];
    const enter = ['--target', pid, '--mount', '--pid', '--root', `--wd=/proc/${pid}/cwd`];
    const drop = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
    const child = spawn('nsenter', [...enter, '--', '/usr/bin/env', '-i', ...env, 'setpriv', ...drop, ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    collect(child, output);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  }

  async #end(): Promise<EndedContainer> {
    collect(this.#child, this.#output);
    const [code] = (await once(this.#child, 'close')) as [number | null];
    rmSync(this.#secretsFolder, { recursive: true, force: true });
    return { code, ...this.#output };
  }
}

function writeSecrets(folder: string, secrets: Readonly<Record<string, string>>): void {
  // The user of the container is another one.
  chmodSync(folder, 0o755);
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), `${value}\n`, { mode: 0o644 });
}

function collect(child: ChildProcess, output: { stdout: string; stderr: string }): void {
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
}

function descendants(pid: number): readonly number[] {
  let children: readonly number[];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Whether a process is the container's first one, after the script has replaced itself by Node. */
function isNodeAsFirstProcess(pid: number): boolean {
  try {
    const isFirst = /^NSpid:\s+\d+\s+1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return isFirst && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('node\0');
  } catch {
    return false;
  }
}
