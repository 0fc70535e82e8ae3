/** The requests of a bystander, in their own thread: the thread that attacks is busy. */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { SoakClient, type SoakRequest } from '../soak/requests.ts';
import { percentile } from '../soak/trend.ts';

/** The delays that a thread measured since the last question. */
export interface Latencies {
  readonly p99Ms: number;
  readonly failures: number;
}

export interface BystanderData {
  readonly origin: string;
  readonly request: SoakRequest;
}

const intervalMs = 20;
/** A reply that takes longer is none, so that the attack on a server that hangs ends. */
const replyMs = 30_000;
const { origin, request } = workerData as BystanderData;
const client = new SoakClient(origin);
const pending = new Set<Promise<void>>();
let times: number[] = [];
let failures = 0;
let isEnded = false;

parentPort?.on('message', (question: 'measure' | 'end') => {
  if (question === 'measure') {
    answer();
    return;
  }
  isEnded = true;
  void Promise.all(pending).then(() => {
    client.close();
    answer();
    parentPort?.close();
  });
});
while (!isEnded) {
  const asked = ask().finally(() => pending.delete(asked));
  pending.add(asked);
  await delay(intervalMs);
}

function answer(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ p99Ms: percentile(times, 99), failures } satisfies Latencies);
  times = [];
  failures = 0;
}

async function ask(): Promise<void> {
  const from = performance.now();
  try {
    const { status } = await client.send({ ...request, abortAfterMs: replyMs });
    if (status !== 200) failures += 1;
  } catch {
    failures += 1;
  }
  times.push(performance.now() - from);
}
