import type { DueExecution, ExecutionStore, Job, OverdueExecution } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import type { DefinitionIds } from '../../definition/definition-ids.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { type Backlog, DueReader } from './due-reader.ts';
import { OtherVersionReport } from './other-version-report.ts';
import { QueuedJobs } from './queued-jobs.ts';
import { isSuspect, Suspects } from './suspects.ts';

/** How many due executions a sweep reads. */
const sweepLimit = 1_000;

export interface SweeperOptions {
  readonly store: ExecutionStore;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly definitions: DefinitionIds;
  readonly leaseMs: number;
  readonly enqueue: (due: DueExecution) => void;
  /** Runs the execution while no other suspect runs. Resolves when it is no suspect any more, or has ended. */
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
  readonly #queued = new QueuedJobs();
  readonly #suspects: Suspects;
  readonly #otherVersions: OtherVersionReport;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#workflowIds = [...options.workflows.keys()];
    this.#suspects = new Suspects(options);
    this.#otherVersions = new OtherVersionReport(options);
  }

  /** @param runner reads only its share. Never rejects. */
  async sweep(runner: string | undefined): Promise<void> {
    const { definitions, isLocal, runSuspect, services, store } = this.#options;
    await this.#otherVersions.report(this.#workflowIds, definitions.ids);
    try {
      const read = this.#queued.beginRead();
      const due = await this.#due.read(() => store.due(definitions.ids, sweepLimit, runner), isLocal);
      this.#enqueue(due, read);
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

  /** To be called when a job was added to the queue. */
  addJob(executionId: string, priority: number): void {
    this.#queued.add({ executionId, priority, addedAt: this.#options.services.clock.now() });
  }

  /** To be called when a job leaves the queue, or before it is added again. @returns whether another process runs its execution. */
  takeJob(executionId: string): boolean {
    return this.#queued.take(executionId);
  }

  #enqueue(due: readonly OverdueExecution[], read: number): void {
    const { enqueue, localCount } = this.#options;
    const isComplete = due.length + localCount() < sweepLimit;
    this.#queued.keepDue(due, { isComplete, read });
    for (const job of due) if (!isSuspect(job)) enqueue(job);
  }
}
