import type { ClaimOptions, DueExecution, Execution, ExecutionStore, Job, Suspension } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { CommitDraft } from '../commits/commit-draft.ts';
import { RecordedRewinds } from '../rewind/recorded-rewinds.ts';
import { LiveExecution } from '../run/live-execution.ts';
import { addSuspendedResults, suspensionEvent } from '../waits/suspension-report.ts';
import { outsidePath } from '../waits/waits.ts';

/** After this many claims in a row without a commit, an execution is suspected of killing its processes. */
const suspectedAfter = 2;
/** After this many, it is quarantined. */
const quarantinedAfter = 8;
/** How large the events are that are read at a time, in bytes. */
const maxReadBytes = 4 * 1024 * 1024;

/** How executions are claimed that nobody suspects. */
export const unsuspected: ClaimOptions = { maxClaims: suspectedAfter - 1 };

export function isSuspect({ claimsWithoutCommit }: DueExecution): boolean {
  return claimsWithoutCommit >= suspectedAfter;
}

interface SuspectsOptions {
  readonly store: ExecutionStore;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
}

/**
 * Runs executions that are suspected of killing their process, one at a time.
 *
 * When a process dies, each execution that it ran has one more claim without a commit, and any of them may be the cause. Run one at
 * a time, only the one that kills its process is claimed again and again without a commit, and is quarantined in the end.
 */
export class Suspects {
  readonly #options: SuspectsOptions;
  #isRunningOne = false;

  constructor(options: SuspectsOptions) {
    this.#options = options;
  }

  /**
   * Quarantines those that were claimed too often, and runs the others one after the other, the least suspect first. Never rejects.
   *
   * @param run resolves when the execution is no suspect any more, or has ended.
   */
  async handle(suspects: readonly DueExecution[], run: (job: Job) => Promise<void>): Promise<void> {
    const mustBeQuarantined = ({ claimsWithoutCommit }: DueExecution): boolean =>
      claimsWithoutCommit >= quarantinedAfter;
    for (const suspect of suspects.filter(mustBeQuarantined)) await this.#quarantine(suspect);
    if (this.#isRunningOne) return;
    this.#isRunningOne = true;
    const others = suspects.filter((suspect) => !mustBeQuarantined(suspect));
    for (const { executionId, workflowId } of others.toSorted(byClaims)) await run({ executionId, workflowId });
    this.#isRunningOne = false;
  }

  async #quarantine({ executionId, workflowId }: DueExecution): Promise<void> {
    const { services, store, workflows } = this.#options;
    const { clock, logger } = services;
    try {
      const [row, workflow] = [await store.find('anyone', executionId), workflows.get(workflowId)];
      if (row === undefined || workflow === undefined) return;
      const execution = new LiveExecution(workflow, row, new Set());
      const suspension: Suspension = {
        ...(await this.#nextStep(row, workflow)),
        id: `${row.epoch + 1}.1`,
        path: outsidePath(''),
        executionId,
        kind: 'request',
        reason: `Quarantined: ${quarantinedAfter} times in a row, the process that ran it died or could not record anything`,
        suspendedAt: clock.now(),
      };
      const draft = new CommitDraft();
      draft.addEvent(executionId, suspensionEvent(execution, suspension));
      addSuspendedResults([execution], [suspension], draft, clock.now());
      const { events } = draft.change(executionId);
      if (!(await store.quarantine(executionId, { minClaims: quarantinedAfter, suspension, events }))) return;
      logger.error({ executionId, workflowId }, 'an execution was quarantined: no process can run it');
      services.metrics?.executionQuarantined(workflowId);
    } catch (error) {
      logger.warn({ err: error, executionId }, 'an execution could not be quarantined; it is tried again');
    }
  }

  /** The top-level step at which the execution stopped, as far as its history can be read. */
  async #nextStep(
    row: Execution,
    workflow: WorkflowDefinition,
  ): Promise<{ readonly stepId: string; readonly stepIndex: number }> {
    const completed = await this.#completedSteps(row).catch(() => new Set<string>());
    const stepIndex = Math.max(
      0,
      workflow.steps.findIndex((step) => !completed.has(step.id)),
    );
    return { stepId: workflow.steps[stepIndex]?.id ?? workflow.id, stepIndex };
  }

  /** Reads page by page, not the journal as a whole: its size may be what kills the processes. */
  async #completedSteps({ id, rewinds: recorded, seq }: Execution): Promise<ReadonlySet<string>> {
    const rewinds = new RecordedRewinds(recorded);
    const completed = new Set<string>();
    for (let after = 0; after < seq;) {
      const page = { after, limit: seq, maxBytes: maxReadBytes };
      const events = await this.#options.store.events('anyone', id, page);
      for (const { event, seq: at } of events)
        if (event.type === 'step-complete' && !rewinds.isOutdated(event.from, at)) completed.add(event.from);
      after = events.at(-1)?.seq ?? seq;
    }
    return completed;
  }
}

function byClaims(one: DueExecution, other: DueExecution): number {
  return one.claimsWithoutCommit - other.claimsWithoutCommit;
}
