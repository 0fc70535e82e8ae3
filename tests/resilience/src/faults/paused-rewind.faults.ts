/**
 * Three replicas. One rewinds executions all the time and is paused (SIGSTOP) in the middle of it;
 * the others must not wait for it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { recordedTwice } from './harness/check-truth.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { drive } from './harness/drive.ts';
import { HttpClient } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { checkThroughput } from './harness/throughput.ts';
import { waitUntil } from './harness/wait-until.ts';
import { Rewinder } from './rewinder.ts';

const leaseMs = 1_500;
/** Longer than the lease, so that the others take over what the paused replica runs. */
const pausedMs = 4_000;
/** The longest time in which no other execution completes. */
const pauseBoundMs = 2_000;

await runScript({
  name: 'paused-rewind',
  plants: { 'locking-rewind': /stood still/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const cluster = await startCluster({ random, plant, leaseMs });
    try {
      return await check(cluster, {
        random,
        pauses: plant === undefined ? number('pauses', isShort ? 2 : 20) : 2,
        rewinders: number('rewinders', isShort ? 8 : 20),
        concurrency: number('concurrency', isShort ? 8 : 20),
        pauseMs: pauseBoundMs,
      });
    } finally {
      await cluster.close();
    }
  },
});

interface Sizes {
  readonly random: SeededRandom;
  readonly pauses: number;
  /** How many executions are rewound at the same time. */
  readonly rewinders: number;
  /** How many executions run at a time on the other replicas. */
  readonly concurrency: number;
  /** The longest time in which none of these completes. */
  readonly pauseMs: number;
}

async function check(
  cluster: Cluster,
  { concurrency, pauseMs, pauses, random, rewinders: count }: Sizes,
): Promise<Outcome> {
  const [victim] = cluster.replicas;
  if (victim === undefined) throw new Error('there is no replica');
  const others: Cluster = { ...cluster, client: new HttpClient(cluster.replicas.slice(1), random.fork()) };
  const rewinders = Array.from({ length: count }, (_, index) => new Rewinder(`rewound-${index}`, others.client));
  await Promise.all(rewinders.map((rewinder) => rewinder.start()));

  const over = new AbortController();
  const rewinding = Promise.all(rewinders.map((rewinder) => rewinder.rewindOn(victim, over.signal)));
  const driving = drive(others, {
    executions: 1,
    concurrency,
    shouldContinue: () => !over.signal.aborted,
    prefix: 'other-',
    random: random.fork(),
    bodyMs: 50,
  });
  // A failure of the pauses is reported first.
  driving.catch(() => {});
  const inside: number[] = [];
  for (let pause = 0; pause < pauses; pause += 1) inside.push(await pauseInside(victim, rewinders, random));
  const until = Date.now();
  over.abort();
  await rewinding;
  const driven = await driving;

  const problems = driven.flatMap(({ id, lost }) => (lost === undefined ? [] : [`${id} is lost: ${lost}`]));
  const throughput = await checkThroughput(cluster, { prefix: 'other-', until, pauseMs });
  const twice = await recordedTwice(cluster);
  const ends = await Promise.all(rewinders.map((rewinder) => rewinder.end()));
  const rewinds = rewinders.reduce((sum, { rewound }) => sum + rewound, 0);
  const few = rewinds < count ? [`only ${rewinds} rewinds were made`] : [];
  return {
    figures: {
      pauses,
      requestsInside: inside.reduce((sum, requests) => sum + requests, 0),
      rewinds,
      rewound: count,
      executions: driven.length,
      lost: problems.length,
      recordedTwice: twice.length,
      completedElsewhere: throughput.completed,
      longestPauseElsewhere: throughput.longestPauseMs,
    },
    problems: [...problems, ...twice, ...ends.flat()],
    timing: [...throughput.problems, ...few],
  };
}

/** @returns how many rewinds were on the way. */
async function pauseInside(victim: Replica, rewinders: readonly Rewinder[], random: SeededRandom): Promise<number> {
  const inside = (): number => rewinders.filter(({ isRewinding }) => isRewinding).length;
  await delay(random.between(500, 1_500));
  await waitUntil(() => inside() > 0, 'an execution was being rewound');
  await victim.signal('SIGSTOP');
  const requests = inside();
  await delay(pausedMs);
  await victim.signal('SIGCONT');
  return requests;
}
