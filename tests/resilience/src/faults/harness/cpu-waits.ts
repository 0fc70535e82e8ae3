import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** Between two samples. */
const sampleMs = 200;

interface Sample {
  readonly at: number;
  readonly waitedMs: number;
}

/**
 * Measures how long the processes of a cluster could run and got no CPU, as Linux counts it. A
 * bound of time that a cluster guarantees is extended by this, so that the same bound is strict on
 * a machine that has time and is met on one that does not. Elsewhere, nothing is measured, and
 * bounds are not extended.
 */
export class CpuWaits {
  readonly #replicas: () => readonly number[];
  readonly #pool: Pool;
  readonly #ofReplicas = new Map<number, Sample[]>();
  readonly #ofDatabase = new Map<number, Sample[]>();
  readonly #timer: NodeJS.Timeout;
  #backends: readonly number[] = [];
  #isAsking = false;

  /** @param replicas the ids of the processes that run now. */
  constructor(replicas: () => readonly number[], pool: Pool) {
    this.#replicas = replicas;
    this.#pool = pool;
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  /**
   * The longest wait of a replica and the longest one of a connection's process together, in
   * milliseconds. Times are those of the machine's clock.
   */
  between(from: number, until: number): number {
    return Math.round(longest(this.#ofReplicas, from, until) + longest(this.#ofDatabase, from, until));
  }

  /** The wait of one replica alone, for what it does without the database. */
  ofReplica(pid: number, from: number, until: number): number {
    return Math.round(waited(this.#ofReplicas.get(pid) ?? [], from, until));
  }

  /** Like {@link between}, for times of `performance.now()`. */
  during(from: number, until: number): number {
    return this.between(performance.timeOrigin + from, performance.timeOrigin + until);
  }

  /**
   * Whether a lease of this length may have ended within a period because there was no CPU to renew
   * it, which happens every third of its length. Times are those of the machine's clock.
   */
  mayHaveEndedLease(leaseMs: number, from: number, until: number): boolean {
    for (let at = from - leaseMs; at < until; at += sampleMs)
      if (this.between(at, Math.min(at + leaseMs, until)) >= (leaseMs * 2) / 3) return true;
    return false;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    record(this.#ofReplicas, this.#replicas());
    record(this.#ofDatabase, this.#backends);
    if (!this.#isAsking) void this.#findBackends();
  }

  async #findBackends(): Promise<void> {
    this.#isAsking = true;
    try {
      const { rows } = await this.#pool.query<{ pid: number }>('select pid from pg_stat_activity');
      this.#backends = rows.map(({ pid }) => pid);
    } catch {
      // Some scripts stop the server.
    } finally {
      this.#isAsking = false;
    }
  }
}

function record(samples: Map<number, Sample[]>, pids: readonly number[]): void {
  const at = Date.now();
  for (const pid of pids) {
    const waitedMs = waitedBy(pid);
    if (waitedMs === undefined) continue;
    const own = samples.get(pid);
    if (own === undefined) samples.set(pid, [{ at, waitedMs }]);
    else own.push({ at, waitedMs });
  }
}

/**
 * How long the main thread of a process has waited for a CPU; undefined when the process has ended
 * or the system does not count this.
 */
function waitedBy(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

function longest(samples: ReadonlyMap<number, readonly Sample[]>, from: number, until: number): number {
  return Math.max(0, ...[...samples.values()].map((own) => waited(own, from, until)));
}

function waited(samples: readonly Sample[], from: number, until: number): number {
  const first = samples.findLast(({ at }) => at <= from) ?? samples[0];
  const last = samples.find(({ at }) => at >= until) ?? samples.at(-1);
  if (first === undefined || last === undefined || first.at >= until || last.at <= from) return 0;
  return last.waitedMs - first.waitedMs;
}
