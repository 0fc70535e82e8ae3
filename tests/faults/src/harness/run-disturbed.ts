import { setTimeout as delay } from 'node:timers/promises';
import { checkReruns, type LostBodies } from './check-reruns.ts';
import { checkTruth } from './check-truth.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { drive, type DriveOptions } from './drive.ts';
import type { Outcome } from './run-script.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Loss, percentile, takeoverTimes, watchClaims } from './takeovers.ts';

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
    const reruns = checkReruns(cluster.directory, losses);
    const takeovers = await takeoverTimes(cluster.pool, losses);
    const boundMs = cluster.leaseMs + cluster.leaseMs / 3 + 1_000;
    const takeoverP99 = percentile(takeovers, 0.99);
    const late =
      takeoverP99 > boundMs
        ? [`the 99th percentile of takeover times is ${takeoverP99} ms; the limit is ${boundMs} ms`]
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
        commitsRefused: reruns.fenced,
        takeovers: takeovers.length,
        takeoverP50: percentile(takeovers, 0.5),
        takeoverP99,
        takeoverMax: percentile(takeovers, 1),
        boundMs,
      },
      problems: [...truth.problems, ...(isStrict ? reruns.problems : []), ...late],
    };
  } finally {
    await cluster.close();
  }
}
