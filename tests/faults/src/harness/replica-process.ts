import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PlantName } from '../plants.ts';
import { bodyLogOf } from './body-log.ts';

/** Halves what a start costs: there are hundreds. */
const compileCache = join(tmpdir(), 'halyard-faults-compiled');

export interface ReplicaSettings {
  /** Of the process: another one each time that the replica is started. */
  readonly name: string;
  readonly connectionString: string;
  readonly port: number;
  readonly leaseMs: number;
  /** File of the bodies that it ran. */
  readonly bodyLog: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly plant?: PlantName | undefined;
}

export interface ReplicaOptions extends Omit<ReplicaSettings, 'bodyLog' | 'name'> {
  readonly index: number;
  readonly directory: string;
}

/** A replica: one address, and one process at a time that listens there, or none. */
export class Replica {
  readonly index: number;
  readonly origin: string;
  readonly #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #starts = 0;
  #isListening = false;
  /** What it said on its error channel last. */
  #said = '';

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.index = options.index;
    this.origin = `http://127.0.0.1:${options.port}`;
  }

  /** Of the process that runs, or ran last. */
  get name(): string {
    return `${this.index}.${this.#starts}`;
  }

  get bodyLog(): string {
    return bodyLogOf(this.#options.directory, this.name);
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  get said(): string {
    return this.#said;
  }

  /** Whether its process has ended by itself or was ended. */
  get hasEnded(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Starts a process, and resolves when it listens. */
  async start(): Promise<void> {
    this.#starts += 1;
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
      this.#said = (this.#said + text).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout });
    const exited = once(child, 'exit').then(() => {
      if (this.#child === child) this.#isListening = false;
      return false;
    });
    const listens = once(lines, 'line').then(() => true);
    this.#isListening = await Promise.race([listens, exited]);
    if (!this.#isListening && child.signalCode === null)
      throw new Error(`replica ${this.name} does not start: ${this.#said}`);
  }

  /** Sends a signal to its process; resolves when that has ended, where the signal ends it. */
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
