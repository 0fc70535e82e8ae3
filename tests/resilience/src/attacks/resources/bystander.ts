import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BystanderData, Latencies } from './bystander-thread.ts';
import { figure, type ResourceTarget } from './resource-target.ts';

const quietMs = 3_000;

/** How another caller fared during an attack. */
export interface Fare {
  readonly p99Ms: number;
  /** The same before the attack. */
  readonly quietMs: number;
  /** Requests without the expected reply. */
  readonly failures: number;
}

/** Another caller, who sends a small request each 20 ms. */
export class Bystander {
  readonly #thread: Worker;
  #quietMs = 0;

  private constructor({ bystander, origin }: ResourceTarget) {
    const workerData: BystanderData = { origin, request: bystander };
    this.#thread = new Worker(new URL('bystander-thread.ts', import.meta.url), { workerData });
  }

  /** Measures the server before the attack. */
  static async start(target: ResourceTarget): Promise<Bystander> {
    const bystander = new Bystander(target);
    await delay(1_000);
    // The first requests are slower: nothing was compiled.
    await bystander.#ask('measure');
    await delay(quietMs);
    bystander.#quietMs = Math.round((await bystander.#ask('measure')).p99Ms);
    return bystander;
  }

  /**
   * Forgets what was measured so far. To be called after a report of the target's memory, which
   * collects garbage again and again.
   */
  async forget(): Promise<void> {
    await this.#ask('measure');
  }

  /** The figures since the start, or since {@link forget}. */
  async measure(): Promise<Fare> {
    return this.#toFare(await this.#ask('measure'));
  }

  /** {@link measure}, then ends it, with its connections. */
  async stop(): Promise<Fare> {
    return this.#toFare(await this.#ask('end'));
  }

  #toFare({ failures, p99Ms }: Latencies): Fare {
    return { p99Ms: Math.round(p99Ms), quietMs: this.#quietMs, failures };
  }

  async #ask(question: 'measure' | 'end'): Promise<Latencies> {
    const answered = once(this.#thread, 'message') as Promise<[Latencies]>;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#thread.postMessage(question);
    return (await answered)[0];
  }
}

/** How long the event loop of the server may be busy at a time, in milliseconds of CPU. */
export const stallBoundMs = 100;

/**
 * Judges the effect of an attack on others. Their latency is only shown: on a machine that is busy
 * with other programs it is not the server's.
 */
export function judgeFare({ failures }: Fare, stallMs: number, boundMs = stallBoundMs): readonly string[] {
  const findings: string[] = [];
  if (failures > 0) findings.push(`${failures} requests of others failed`);
  if (stallMs > boundMs) findings.push(`the server was busy with one thing for ${stallMs} ms`);
  return findings;
}

/** Of two parts of an attack. */
export function worstOf(one: Fare, other: Fare): Fare {
  return {
    p99Ms: Math.max(one.p99Ms, other.p99Ms),
    quietMs: one.quietMs,
    failures: one.failures + other.failures,
  };
}

export function describeFare({ p99Ms, quietMs: before }: Fare, stallMs: number): string {
  return `longest stall ${figure(stallMs, 'ms')}, p99 of others ${p99Ms} ms (before: ${before} ms)`;
}
