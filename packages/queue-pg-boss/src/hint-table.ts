import { createHash } from 'node:crypto';
import type { Job } from '@halyard/contracts';
import { type Database, toText } from '@halyard/memory-postgres/database';
import type { PgBoss } from 'pg-boss';
import type { JobData } from './dead-letter.ts';
import { deadQueue, hintQueue } from './queue-names.ts';

const day = 24 * 3_600;
const mostInStatement = 1_000;

/** Hints in the tables of pg-boss: a queue for each workflow, in which an execution waits once. */
export class HintTable {
  readonly #boss: PgBoss;
  readonly #database: Database;
  readonly #queues = new Set<string>();
  /** Ids of hints that run here, by workflow. */
  readonly #running = new Map<string, Set<string>>();
  #endedHints = new Map<string, string[]>();
  #failedHints: { readonly workflowId: string; readonly id: string; readonly reason: string }[] = [];
  #waiting = 0;

  constructor(boss: PgBoss, database: Database) {
    this.#boss = boss;
    this.#database = database;
  }

  /** How many wait, of all processes, as far as is known here. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many endings are to be written. */
  get unsent(): number {
    return this.#endedHints.size + this.#failedHints.length;
  }

  /** Counts how many wait, to `most`. */
  async count(workflowIds: readonly string[], most: number): Promise<void> {
    const [counted] = await this.#database.query<{ readonly waiting: number }>(
      `select count(*)::int as waiting from (
        select 1 from ${this.#database.schema}.job where name = any($1::text[]) and state in ('created', 'retry') limit $2
      ) as some`,
      [workflowIds.map(hintQueue), most],
    );
    this.#waiting = counted?.waiting ?? 0;
  }

  async add(workflowId: string, jobs: readonly Job[]): Promise<void> {
    await this.#ensureQueue(workflowId);
    for (let from = 0; from < jobs.length; from += mostInStatement) {
      const some = jobs.slice(from, from + mostInStatement);
      await this.#boss.insert(
        hintQueue(workflowId),
        some.map(({ executionId, priority = 0 }) => ({
          data: { workflowId, executionId: toText(executionId) } satisfies JobData,
          singletonKey: keyOf(executionId),
          priority,
        })),
      );
      this.#waiting += some.length;
    }
  }

  async fetch(workflowId: string, count: number): Promise<readonly { readonly id: string; readonly data: JobData }[]> {
    await this.#ensureQueue(workflowId);
    const jobs = await this.#boss.fetch<JobData>(hintQueue(workflowId), { batchSize: count });
    this.#waiting = Math.max(0, this.#waiting - jobs.length);
    return jobs;
  }

  began(workflowId: string, id: string): void {
    const ids = this.#running.get(workflowId) ?? new Set();
    this.#running.set(workflowId, ids.add(id));
  }

  ended(workflowId: string, id: string): void {
    // All were ended when the queue was closed.
    if (this.#running.get(workflowId)?.delete(id) !== true) return;
    const ids = this.#endedHints.get(workflowId) ?? [];
    ids.push(id);
    this.#endedHints.set(workflowId, ids);
  }

  /** It is handed out again, unless it was too often. */
  failed(workflowId: string, id: string, reason: unknown): void {
    this.#running.get(workflowId)?.delete(id);
    this.#failedHints.push({ workflowId, id, reason: reason instanceof Error ? reason.message : String(reason) });
  }

  endAll(): void {
    for (const [workflowId, ids] of this.#running) for (const id of ids) this.ended(workflowId, id);
  }

  /** Writes what has ended. */
  async flush(): Promise<void> {
    const [ended, failed] = [this.#endedHints, this.#failedHints];
    this.#endedHints = new Map();
    this.#failedHints = [];
    for (const [workflowId, ids] of ended) await this.#boss.complete(hintQueue(workflowId), ids);
    for (const { id, reason, workflowId } of failed)
      await this.#boss.fail(hintQueue(workflowId), id, { message: reason });
  }

  async #ensureQueue(workflowId: string): Promise<void> {
    if (this.#queues.has(workflowId)) return;
    await this.#boss.createQueue(hintQueue(workflowId), {
      // An execution waits once.
      policy: 'short',
      deadLetter: deadQueue,
      retryLimit: 5,
      retryDelay: 1,
      retryBackoff: true,
      expireInSeconds: 900,
      // Sweeps hint again what is older.
      retentionSeconds: day,
      deleteAfterSeconds: 3_600,
    });
    this.#queues.add(workflowId);
  }
}

/** pg-boss takes few characters in keys. */
function keyOf(executionId: string): string {
  return createHash('sha256').update(executionId).digest('base64url');
}
