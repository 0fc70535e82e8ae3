import type { Execution, ExecutionLog, ExhaustedExecution, Suspension } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { CommitDraft } from '../../interpreter/commits/commit-draft.ts';
import { LiveExecution } from '../../interpreter/run/live-execution.ts';
import { addSuspendedResults, suspensionEvent } from '../../interpreter/waits/suspension-report.ts';
import { suspensionId } from '../../interpreter/waits/wait-changes.ts';
import { outsidePath } from '../../interpreter/waits/waits.ts';
import { RecordedRewinds } from '../../rewind/recorded-rewinds.ts';

/** After this many claims in a row without a commit, an execution is quarantined. */
export const quarantinedAfter = 8;
/** How large the events are that are read at a time, in bytes. */
const maxReadBytes = 4 * 1024 * 1024;

export interface QuarantineDependencies {
  readonly store: ExecutionLog;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
}

/**
 * Suspends an execution that kills each process that runs it, until somebody resumes or cancels it.
 * Never rejects.
 */
export async function quarantineExecution(
  { services, store, workflows }: QuarantineDependencies,
  { executionId, workflowId }: Pick<ExhaustedExecution, 'executionId' | 'workflowId'>,
): Promise<void> {
  const { clock, logger } = services;
  try {
    const [row, workflow] = [await store.find('anyone', executionId), workflows.get(workflowId)];
    if (row === undefined || workflow === undefined) return;
    const execution = new LiveExecution(workflow, row, new Set());
    const suspension: Suspension = {
      ...(await nextStep(store, row, workflow)),
      id: suspensionId(row, row.epoch + 1, 1),
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
async function nextStep(
  store: ExecutionLog,
  row: Execution,
  workflow: WorkflowDefinition,
): Promise<{ readonly stepId: string; readonly stepIndex: number }> {
  const completed = await completedSteps(store, row).catch(() => new Set<string>());
  const stepIndex = Math.max(
    0,
    workflow.steps.findIndex((step) => !completed.has(step.id)),
  );
  return { stepId: workflow.steps[stepIndex]?.id ?? workflow.id, stepIndex };
}

/** Reads page by page, not the journal as a whole: its size may be what kills the processes. */
async function completedSteps(
  store: ExecutionLog,
  { id, rewinds: recorded, seq }: Execution,
): Promise<ReadonlySet<string>> {
  const rewinds = new RecordedRewinds(recorded);
  const completed = new Set<string>();
  for (let after = 0; after < seq;) {
    const events = await store.events('anyone', id, { after, limit: seq, maxBytes: maxReadBytes });
    for (const { event, seq: at } of events)
      if (event.type === 'step-complete' && !rewinds.isOutdated(event.from, at)) completed.add(event.from);
    after = events.at(-1)?.seq ?? seq;
  }
  return completed;
}
