import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PlantName } from '../plants.ts';
import { bodyLogOf } from './body-log.ts';

/** Halves the start-up time of the hundreds of processes. */
const compileCache = join(tmpdir(), 'halyard-faults-compiled');

export interface ReplicaSettings {
  /** The name of the process, which changes with each start of the replica. */
  readonly name: string;
  readonly connectionString: string;
  readonly port: number;
  readonly leaseMs: number;
  /** The log of its step bodies. */
  readonly bodyLog: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly plant?: PlantName | undefined;
  /** Which release of the app it runs; default 1. */
  readonly release?: number;
}

export interface ReplicaOptions extends Omit<ReplicaSettings, 'bodyLog' | 'name'> {
  readonly index: number;
  readonly directory: string;
}

/** A replica: an address, and the process that listens there, if any. */
export class Replica {
  readonly index: number;
  readonly origin: string;
  #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #starts = 0;
  #isListening = false;
  /** The last output on stderr. */
  #stderr = '';

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.index = options.index;
    this.origin = `http://127.0.0.1:${options.port}`;
  }

  /** The name of the current or last process. */
  get name(): string {
    return `${this.index}.${this.#starts}`;
  }

  get bodyLog(): string {
    return bodyLogOf(this.#options.directory, this.name);
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /** The id of the process; undefined when it has ended. */
  get pid(): number | undefined {
    return this.hasEnded ? undefined : this.#child?.pid;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Whether the process has ended, by itself or by a signal. */
  get hasEnded(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Starts a process, with changed settings from now on. Resolves when it listens. */
  async start(changed: Pick<ReplicaSettings, 'release'> = {}): Promise<void> {
    this.#starts += 1;
    this.#options = { ...this.#options, ...changed };
    const { directory: _, index: __, ...options } = this.#options;
    const settings: ReplicaSettings = { ...options, name: this.name, bodyLog: this.bodyLog };
    const child = spawn(
      process.execPath,
      [
        '--conditions=@halyard/source',
        fileURLToPath(new URL('../replica.ts', import.meta.url)),
        JSON.stringify(settings),
      ],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...process.env, NODE_ENV: 'production', NODE_COMPILE_CACHE: compileCache },
      },
    );
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout });
    const exited = once(child, 'exit').then(() => {
      if (this.#child === child) this.#isListening = false;
      return false;
    });
    const listens = once(lines, 'line').then(() => true);
    this.#isListening = await Promise.race([listens, exited]);
    if (!this.#isListening && child.signalCode === null)
      throw new Error(`replica ${this.name} did not start: ${this.#stderr}`);
  }

  /** Sends a signal to the process. If the signal ends the process, resolves after that. */
  async signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || this.hasEnded) return null;
    this.#isListening = name === 'SIGCONT';
    child.kill(name);
    if (name === 'SIGSTOP' || name === 'SIGCONT') return null;
    await once(child, 'exit');
    return child.exitCode;
  }
}
