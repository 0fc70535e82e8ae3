import { setTimeout as delay } from 'node:timers/promises';
import { monotonicTime, systemClock, UnavailableError } from '@halyard/contracts';
import type { RestateCluster } from './restate-cluster.ts';

export interface TrialOptions {
  readonly executions: number;
  /** How many run at the same time, at most. */
  readonly atOnce: number;
  /**
   * How long faults happen, in milliseconds. Starts are spread over this time. Default: until all
   * have been started, approved and paid.
   */
  readonly faultsMs?: number | undefined;
  /** While executions run, faults happen; 0: none. */
  readonly seed: number;
  /** An execution that has not ended so long after its last fault is stuck. */
  readonly patienceMs: number;
}

export interface Trial {
  readonly faults: Readonly<Record<string, number>>;
  /** Were quarantined, because eight processes in a row died while they ran it, and then resumed. */
  readonly quarantined: readonly string[];
  /** Of each execution that did not end, or whose history is not whole: what is wrong. */
  readonly wrong: ReadonlyMap<string, string>;
}

/** Runs `shipment` while nodes and workers are killed and paused at random. */
export async function runTrial(
  cluster: RestateCluster,
  { atOnce, executions, faultsMs, patienceMs, seed }: TrialOptions,
): Promise<Trial> {
  const faults = new Faults(cluster, seed);
  const stopped = faults.run();
  if (faultsMs !== undefined) setTimeout(() => faults.stop(), faultsMs);
  const startedAt = monotonicTime(systemClock);
  const ids = Array.from({ length: executions }, (_, index) => `shipment-${index}`);
  await forEach(ids.entries(), atOnce, async ([index, id]) => {
    const leftMs = startedAt + ((faultsMs ?? 0) * index) / executions - monotonicTime(systemClock);
    if (leftMs > 0) await delay(leftMs);
    await ship(cluster, id);
  });
  faults.stop();
  await stopped;
  const wrong = new Map<string, string>();
  const quarantined: string[] = [];
  await forEach(ids.values(), atOnce, async (id) => {
    if (await resumeQuarantined(cluster, id)) quarantined.push(id);
    const problem = await problemOf(cluster, id, patienceMs);
    if (problem !== undefined) wrong.set(id, problem);
  });
  return { faults: faults.counts, quarantined, wrong };
}

async function forEach<Value>(
  values: IterableIterator<Value>,
  atOnce: number,
  action: (value: Value) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const value of values) await action(value);
    }),
  );
}

/** Starts an execution, approves it and pays it. */
async function ship({ runtime }: RestateCluster, executionId: string): Promise<void> {
  const key = { owner: 'anyone', workflowId: 'shipment', executionId } as const;
  await patiently(() => runtime.begin('shipment', { orderId: executionId }, { executionId }).catch(exists));
  await patiently(() =>
    runtime.publish({ name: 'paid', key: executionId, payload: { by: executionId }, requestId: executionId }),
  );
  for (let status = 'running'; status === 'running';)
    ({ status } = await patiently(() => runtime.wait(key, { timeoutMs: 10_000 })));
  await patiently(() => runtime.resume(key, { resumeData: { approvedBy: executionId } }).catch(exists));
}

/** As an operator does when the faults are over. @returns whether it was quarantined. */
async function resumeQuarantined({ runtime }: RestateCluster, executionId: string): Promise<boolean> {
  const key = { owner: 'anyone', workflowId: 'shipment', executionId } as const;
  if ((await patiently(() => runtime.get(key))).quarantinedAt === null) return false;
  await patiently(() => runtime.resume(key).catch(exists));
  return true;
}

/** The call was made before, and its reply was lost. */
function exists(error: unknown): void {
  if (error instanceof Error && 'code' in error && /EXISTS|NOT_SUSPENDED/.test(String(error.code))) return;
  throw error;
}

async function patiently<Value>(call: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
}

async function problemOf(cluster: RestateCluster, executionId: string, timeoutMs: number): Promise<string | undefined> {
  const { runtime, storage } = cluster;
  const result = await runtime.wait({ owner: 'anyone', executionId }, { until: 'ended', timeoutMs });
  if (result.status !== 'completed')
    return `is ${result.status} ${JSON.stringify(result.error)}: ${await cluster.describe(executionId)}`;
  const { executions } = storage;
  const journal = await executions.journal('anyone', executionId);
  const paths = journal.map(({ path }) => path);
  if (new Set(paths).size < paths.length) return `has recorded a step twice: ${JSON.stringify(paths)}`;
  const events = await executions.events('anyone', executionId, { after: 0, limit: 1_000 });
  if (events.some(({ seq }, index) => seq !== index + 1)) return `lacks events: ${JSON.stringify(events)}`;
  const completed = events.filter(({ event }) => event.type === 'step-complete').map(({ event }) => event.from);
  const expected = ['approve', 'ask', 'checks', 'label', 'nap', 'pack', 'paid', 'ship', 'weigh'];
  if (JSON.stringify(completed.toSorted()) !== JSON.stringify(expected))
    return `has other ends of steps: ${JSON.stringify(completed)}`;
  // Of several runs of a step, all that follows has seen the one that was recorded.
  const outputs = new Map(journal.map(({ output, path }) => [path.split('/').at(-1), output]));
  const ended = result.result as { readonly seen: Readonly<Record<string, unknown>>; readonly paid: unknown };
  for (const [id, seen] of [...Object.entries(ended.seen), ['paid', ended.paid]] as const)
    if (JSON.stringify(outputs.get(id)) !== JSON.stringify(seen))
      return `has seen another result of ${id}: ${JSON.stringify({ ended, journal })}`;
  return undefined;
}

/** Faults at random, of at most one node and two workers at the same time. */
class Faults {
  readonly counts: Record<string, number> = {};
  readonly #cluster: RestateCluster;
  readonly #stop = new AbortController();
  #state: number;

  constructor(cluster: RestateCluster, seed: number) {
    this.#cluster = cluster;
    this.#state = seed;
  }

  stop(): void {
    this.#stop.abort();
  }

  async run(): Promise<void> {
    if (this.#state === 0) return;
    await Promise.all([this.#ofNodes(), this.#ofWorkers(0, 2), this.#ofWorkers(2, 1)]);
  }

  async #ofNodes(): Promise<void> {
    while (await this.#pause(4_000, 15_000)) {
      const index = this.#below(3);
      if (this.#below(2) === 0) {
        this.#count('node killed');
        await this.#cluster.node(index).kill();
        await this.#pause(500, 5_000);
        await this.#cluster.node(index).start();
      } else {
        this.#count('node paused');
        this.#cluster.pauseNode(index);
        await this.#pause(500, 15_000);
        this.#cluster.continueNode(index);
      }
    }
  }

  async #ofWorkers(first: number, count: number): Promise<void> {
    while (await this.#pause(2_000, 8_000)) {
      const index = first + this.#below(count);
      if (this.#below(2) === 0) {
        this.#count('worker killed');
        await this.#cluster.worker(index).kill();
        await this.#pause(500, 5_000);
        await this.#cluster.restartWorker(index);
      } else {
        this.#count('worker paused');
        this.#cluster.pauseWorker(index);
        await this.#pause(500, 20_000);
        this.#cluster.continueWorker(index);
      }
    }
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  /** @returns whether it goes on. */
  async #pause(leastMs: number, mostMs: number): Promise<boolean> {
    const { signal } = this.#stop;
    if (!signal.aborted) await delay(leastMs + this.#below(mostMs - leastMs), undefined, { signal }).catch(() => {});
    return !signal.aborted;
  }

  #below(limit: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % limit;
  }
}
