import { createHash } from 'node:crypto';
import type { Job } from '@halyard/contracts';
import { type Database, isOneOf, toText } from '@halyard/memory-postgres/database';
import type { PgBoss } from 'pg-boss';
import { type BossTables, deadQueue, type JobData, jobQueue } from './open-boss.ts';

const daySeconds = 24 * 3_600;
const maxJobsPerStatement = 1_000;

/** The jobs in the tables of pg-boss. Each workflow has a queue, in which an execution can wait only once. */
export class JobTable {
  readonly #boss: PgBoss;
  readonly #database: Database<BossTables>;
  /** Workflows whose queue exists. */
  readonly #queues = new Set<string>();
  /** The jobs that run in this process, by workflow. */
  readonly #running = new Map<string, Set<string>>();
  #completed = new Map<string, string[]>();
  #failed: { readonly workflowId: string; readonly id: string; readonly reason: string }[] = [];
  #waiting = 0;

  constructor(boss: PgBoss, database: Database<BossTables>) {
    this.#boss = boss;
    this.#database = database;
  }

  /** How many jobs of all processes wait, as of the last {@link count} and the changes of this process since then. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many results have not been written yet. */
  get unwrittenResults(): number {
    return this.#completed.size + this.#failed.length;
  }

  /** Counts the waiting jobs, up to `max`. */
  async count(workflowIds: readonly string[], max: number): Promise<void> {
    const { waiting } = await this.#database.read((db) =>
      db
        .selectFrom((eb) =>
          eb
            .selectFrom('job')
            .select('id')
            .where(isOneOf('name', workflowIds.map(jobQueue)))
            .where('state', 'in', ['created', 'retry'])
            .limit(max)
            .as('waiting'),
        )
        .select((eb) => eb.fn.countAll<string | number>().as('waiting'))
        .executeTakeFirstOrThrow(),
    );
    this.#waiting = Number(waiting);
  }

  async add(workflowId: string, jobs: readonly Job[]): Promise<void> {
    await this.#ensureQueue(workflowId);
    for (let from = 0; from < jobs.length; from += maxJobsPerStatement) {
      const batch = jobs.slice(from, from + maxJobsPerStatement);
      await this.#boss.insert(
        jobQueue(workflowId),
        batch.map(({ executionId, priority = 0 }) => ({
          data: { workflowId, executionId: toText(executionId) } satisfies JobData,
          singletonKey: toSingletonKey(executionId),
          priority,
        })),
      );
      this.#waiting += batch.length;
    }
  }

  async fetch(workflowId: string, count: number): Promise<readonly { readonly id: string; readonly data: JobData }[]> {
    await this.#ensureQueue(workflowId);
    const jobs = await this.#boss.fetch<JobData>(jobQueue(workflowId), { batchSize: count });
    this.#waiting = Math.max(0, this.#waiting - jobs.length);
    return jobs;
  }

  /** A job has started in this process. */
  start(workflowId: string, id: string): void {
    const ids = this.#running.get(workflowId) ?? new Set();
    this.#running.set(workflowId, ids.add(id));
  }

  complete(workflowId: string, id: string): void {
    // Closing the queue has completed all running jobs already.
    if (this.#running.get(workflowId)?.delete(id) !== true) return;
    const ids = this.#completed.get(workflowId) ?? [];
    ids.push(id);
    this.#completed.set(workflowId, ids);
  }

  /** The job is retried, unless it has failed too often. */
  fail(workflowId: string, id: string, reason: unknown): void {
    this.#running.get(workflowId)?.delete(id);
    this.#failed.push({ workflowId, id, reason: reason instanceof Error ? reason.message : String(reason) });
  }

  completeAll(): void {
    for (const [workflowId, ids] of this.#running) for (const id of ids) this.complete(workflowId, id);
  }

  /** Writes the results of jobs that have ended. */
  async flush(): Promise<void> {
    const [completed, failed] = [this.#completed, this.#failed];
    this.#completed = new Map();
    this.#failed = [];
    for (const [workflowId, ids] of completed) await this.#boss.complete(jobQueue(workflowId), ids);
    for (const { id, reason, workflowId } of failed)
      await this.#boss.fail(jobQueue(workflowId), id, { message: reason });
  }

  async #ensureQueue(workflowId: string): Promise<void> {
    if (this.#queues.has(workflowId)) return;
    await this.#boss.createQueue(jobQueue(workflowId), {
      // One waiting job for each singleton key.
      policy: 'short',
      deadLetter: deadQueue,
      retryLimit: 5,
      retryDelay: 1,
      retryBackoff: true,
      expireInSeconds: 900,
      // The runtime's sweep enqueues older executions again.
      retentionSeconds: daySeconds,
      deleteAfterSeconds: 3_600,
    });
    this.#queues.add(workflowId);
  }
}

/** pg-boss limits the characters of singleton keys. */
function toSingletonKey(executionId: string): string {
  return createHash('sha256').update(executionId).digest('base64url');
}
