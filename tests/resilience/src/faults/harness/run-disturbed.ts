import { setTimeout as delay } from 'node:timers/promises';
import { checkReruns, type LostBodies } from './check-reruns.ts';
import { checkTruth } from './check-truth.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { drive, type DriveOptions } from './drive.ts';
import type { Outcome } from './run-script.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Loss, percentile, takeoversOf, watchClaims } from './takeovers.ts';

/** A process that was killed or paused. */
export interface Disturbance extends LostBodies, Loss {}

export interface DisturbedOptions extends ClusterOptions, Omit<DriveOptions, 'shouldContinue'> {
  /** Number of disturbances. */
  readonly disturbances: number;
  /** Shortest and longest time between two disturbances. */
  readonly waitMs: readonly [number, number];
  /** Called before the first execution starts. */
  readonly prepare?: (cluster: Cluster) => Promise<void>;
  /** @returns the process that was lost, if any. */
  readonly disturb: (cluster: Cluster, random: SeededRandom) => Promise<Disturbance | undefined>;
  /**
   * The time within which others continue what a lost process ran. Default: the lease, a third of
   * it, and a second.
   */
  readonly takeoverMs?: number;
  /** Called when all executions have ended, before the checks. */
  readonly calm?: (cluster: Cluster) => Promise<void>;
  /** Whether a step body may run again only because a process was lost. Default: true. */
  readonly isStrict?: boolean;
}

/** Runs executions on a cluster while disturbing it, then checks the results. */
export async function runDisturbed(options: DisturbedOptions): Promise<Outcome> {
  const { calm, disturb, disturbances, isStrict = true, prepare, random, waitMs } = options;
  const cluster = await startCluster(options);
  try {
    await watchClaims(cluster.pool);
    await prepare?.(cluster);
    const losses: Disturbance[] = [];
    let done = 0;
    const disturbing = async (own: SeededRandom): Promise<void> => {
      for (; done < disturbances; done += 1) {
        await delay(own.between(...waitMs));
        const loss = await disturb(cluster, own);
        if (loss !== undefined) losses.push(loss);
      }
    };
    const over = disturbing(random.fork());
    const driven = await drive(cluster, {
      ...options,
      random: random.fork(),
      shouldContinue: () => done < disturbances,
    });
    await over;
    await calm?.(cluster);

    const truth = await checkTruth(cluster, driven);
    const { cpuWaits, leaseMs } = cluster;
    const reruns = checkReruns(cluster.directory, losses, { leaseMs, cpuWaits });
    const takenOver = await takeoversOf(cluster.pool, losses);
    const backedOff = takenOver.filter((one) => one.backedOff);
    const others = takenOver.filter((one) => !one.backedOff);
    const takeovers = others.map(({ at, claimedAt }) => claimedAt - at).toSorted(ascending);
    const waits = others.map(({ at, claimedAt }) => cpuWaits.between(at, claimedAt));
    /** Without the time in which there was no CPU for the processes. */
    const served = others.map(({ at, claimedAt }, index) => claimedAt - at - (waits[index] ?? 0)).toSorted(ascending);
    const boundMs = options.takeoverMs ?? leaseMs + leaseMs / 3 + 1_000;
    const takeoverP99 = percentile(takeovers, 0.99);
    const servedP99 = percentile(served, 0.99);
    const late =
      servedP99 > boundMs
        ? [
            `the 99th percentile of takeover times is ${servedP99} ms without waits for the CPU; the limit is ${boundMs} ms`,
          ]
        : [];
    return {
      figures: {
        disturbances,
        executions: driven.length,
        lost: truth.lost,
        recordedTwice: truth.recordedTwice,
        bodies: reruns.bodies,
        inFlight: losses.reduce((sum, { bodies }) => sum + bodies.size, 0),
        reruns: reruns.reruns,
        lateStarts: reruns.lateStarts,
        starvedReruns: reruns.starvedReruns,
        commitsRefused: reruns.fenced,
        takeovers: takeovers.length,
        takeoverP50: percentile(takeovers, 0.5),
        takeoverP99,
        takeoverMax: percentile(takeovers, 1),
        longestCpuWait: Math.max(0, ...waits),
        boundMs,
        backedOff: backedOff.length,
        backedOffMax: Math.round(Math.max(0, ...backedOff.map(({ at, claimedAt }) => claimedAt - at))),
      },
      problems: [...truth.problems, ...(isStrict ? reruns.problems : [])],
      timing: late,
    };
  } finally {
    await cluster.close();
  }
}

function ascending(one: number, other: number): number {
  return one - other;
}
