import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SoakRequest } from '../soak/requests.ts';
import type { MemoryReport, MeasuredSettings } from './measured-process.ts';
import type { Headers, ResourceTarget } from './resource-target.ts';

export const megabyte = 1024 * 1024;

export interface MeasuredOptions extends MeasuredSettings {
  /** `--max-old-space-size`. Default: Node's. */
  readonly heapMb?: number;
}

/** A server in its own process, which retains nothing of its model calls and reports its memory. */
export class MeasuredTarget implements ResourceTarget {
  readonly origin: string;
  readonly hostname = '127.0.0.1';
  readonly localAddress = '127.0.0.2';
  readonly isOwn = true;
  readonly agent = 'assistant';
  readonly bystander: SoakRequest = {
    method: 'POST',
    path: '/agents/assistant/text',
    user: 'other',
    body: { input: 'Hi' },
  };
  readonly socketHeaders = {};
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child;
    this.origin = origin;
  }

  static async start({ heapMb, ...settings }: MeasuredOptions = {}): Promise<MeasuredTarget> {
    const child = fork(fileURLToPath(new URL('measured-process.ts', import.meta.url)), [JSON.stringify(settings)], {
      execArgv: [
        '--conditions=@halyard/source',
        '--expose-gc',
        ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
      ],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-2_000)));
    const started = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)]);
    if (started === undefined) throw new Error(`the target did not start: ${stderr}`);
    return new MeasuredTarget(child, String(started[0]));
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  headersOf(attacker: string): Headers {
    return { authorization: `Bearer ${attacker}` };
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The largest resident memory of the process so far. Undefined after its end. */
  get peakRssMb(): number | undefined {
    if (!this.isAlive) return undefined;
    // A process that is about to end has no such line.
    const [, kilobytes] = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  }

  /** After garbage collection. */
  async report(): Promise<MemoryReport> {
    this.#child.send('report');
    const [report] = (await once(this.#child, 'message')) as [MemoryReport];
    return report;
  }

  /** The report after the memory has stopped growing. */
  async untilSteady(): Promise<MemoryReport> {
    let last = await this.report();
    let longestStallMs = last.longestStallMs;
    for (let tries = 0; tries < 30; tries += 1) {
      await delay(1_000);
      const now = await this.report();
      longestStallMs = Math.max(longestStallMs, now.longestStallMs);
      const isSteady = now.usedBytes - last.usedBytes < megabyte;
      last = now;
      if (isSteady) break;
    }
    return { ...last, longestStallMs };
  }

  /** The report after no more sockets than these are open, or after ten seconds. */
  async untilSockets(count: number): Promise<MemoryReport> {
    const first = await this.report();
    let last = first;
    for (let tries = 0; tries < 40 && last.sockets > count; tries += 1) {
      await delay(250);
      last = await this.report();
    }
    return { ...last, longestStallMs: first.longestStallMs };
  }

  async close(): Promise<void> {
    if (!this.isAlive) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await Promise.race([exited, delay(5_000)]);
  }
}
