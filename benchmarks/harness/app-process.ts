import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const serverCore = '0';
const startWithinMs = 15_000;

/** One app in its own process, pinned to the server core. */
export class AppProcess {
  readonly name: string;
  readonly port: number;
  readonly #child: ChildProcess;

  /**
   * Starts `apps/<name>` and resolves when it listens. Otherwise rejects with the error from its
   * output.
   */
  static async start(name: string, env: Readonly<Record<string, string>> = {}): Promise<AppProcess> {
    const script = fileURLToPath(new URL(`../apps/${name}.js`, import.meta.url));
    const child = spawn('taskset', ['-c', serverCore, process.execPath, script], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, ...env, NODE_ENV: 'production' },
    });
    const errorOutput = child.stderr === null ? '' : text(child.stderr);
    const deadline = AbortSignal.timeout(startWithinMs);
    try {
      const port = await Promise.race([
        nextMessage(child, 'port', deadline),
        once(child, 'exit', { signal: deadline }).then(async () =>
          Promise.reject(new Error(errorLine(await errorOutput))),
        ),
      ]);
      return new AppProcess(name, port, child);
    } catch (cause) {
      child.kill('SIGKILL');
      throw deadline.aborted ? new Error(`the app does not listen after ${startWithinMs / 1000} s`, { cause }) : cause;
    }
  }

  private constructor(name: string, port: number, child: ChildProcess) {
    this.name = name;
    this.port = port;
    this.#child = child;
  }

  /** CPU time that the process has used so far: user and system time of all threads. */
  async cpuMicros(): Promise<number> {
    if (!this.#child.connected) throw new Error('the app has exited');
    this.#child.send('cpu');
    return await nextMessage(this.#child, 'cpuMicros', AbortSignal.timeout(startWithinMs));
  }

  /** Resident memory, as reported by the kernel. */
  residentMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

async function nextMessage(child: ChildProcess, field: string, signal: AbortSignal): Promise<number> {
  const [message]: unknown[] = await once(child, 'message', { signal });
  const value: unknown = Object(message)[field];
  if (typeof value !== 'number') throw new Error(`the app sent no ${field}`);
  return value;
}

/** The line of a stack trace that contains the error message. */
function errorLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.find((line) => /^\w*(Error|Exception)\b/.test(line)) ?? lines.at(-1) ?? 'it exited without an error message'
  );
}
