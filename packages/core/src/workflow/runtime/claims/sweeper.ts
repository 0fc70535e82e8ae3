import type { DueExecution, ExecutionStore, Job, OverdueExecution, WorkQueue } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import type { DefinitionIds } from '../../definition/definition-ids.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { type Backlog, DueReader } from './due-reader.ts';
import { OtherVersionReport } from './other-version-report.ts';
import { isSuspect, Suspects } from './suspects.ts';
import { SweptJobs } from './swept-jobs.ts';

/** How many due executions a sweep reads. */
const sweepLimit = 1_000;
/** How many events a sweep delivers whose publishers stopped. */
const deliveryLimit = 100;

export interface SweeperOptions {
  readonly store: ExecutionStore;
  readonly queue: WorkQueue;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly definitions: DefinitionIds;
  readonly leaseMs: number;
  readonly enqueue: (due: DueExecution) => void;
  /** Runs the execution alone, because it is suspected of killing its process. */
  readonly runSuspect: (job: Job) => Promise<void>;
  /** How many executions run in this process or are being claimed. */
  readonly localCount: () => number;
  readonly isLocal: (executionId: string) => boolean;
}

/** Reads which executions are due, and enqueues them. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #workflowIds: readonly string[];
  readonly #due = new DueReader();
  readonly #swept: SweptJobs;
  readonly #suspects: Suspects;
  readonly #otherVersions: OtherVersionReport;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#workflowIds = [...options.workflows.keys()];
    // Less than the interval of sweeps: each regular one may repeat what was lost.
    this.#swept = new SweptJobs(options.leaseMs / 4);
    this.#suspects = new Suspects(options);
    this.#otherVersions = new OtherVersionReport(options);
  }

  /** @param runner reads only its share. Never rejects. */
  async sweep(runner: string | undefined): Promise<void> {
    const { definitions, isLocal, runSuspect, services, store } = this.#options;
    await this.#otherVersions.report(this.#workflowIds, definitions.ids);
    try {
      await store.deliverPending(deliveryLimit);
      const due = await this.#due.read(() => store.due(definitions.ids, sweepLimit, runner), isLocal);
      this.#enqueue(due);
      void this.#suspects.handle(due.filter(isSuspect), runSuspect);
    } catch (error) {
      services.logger.warn({ err: error }, 'due executions could not be read from the storage');
    }
  }

  /** What the last sweep has found. */
  backlog(now: number): Backlog {
    return this.#due.backlog(now);
  }

  /** To be called when an execution has run here. */
  hasRun(executionId: string): void {
    this.#due.hasRun(executionId);
  }

  /** To be called when a job leaves the queue, or is added by another part than a sweep. @returns whether its execution has started in another process since a sweep added the job. */
  takeJob(executionId: string): boolean {
    return this.#swept.take(executionId);
  }

  #enqueue(due: readonly OverdueExecution[]): void {
    const { enqueue, isLocal, localCount, queue, services } = this.#options;
    const now = services.clock.now();
    const isShared = queue.isShared === true;
    const isComplete = due.length + localCount() < sweepLimit;
    if (isComplete) this.#swept.keepDue(new Set(due.map(({ executionId }) => executionId)));
    if (isShared) this.#swept.forgetStarted();
    for (const job of due) {
      const { dueAt, executionId } = job;
      if (isSuspect(job) || (isShared && this.#swept.isRecent(executionId, dueAt, now))) continue;
      enqueue(job);
      // It may have started at once.
      if (!isLocal(executionId)) this.#swept.add(executionId, dueAt, now);
    }
  }
}
