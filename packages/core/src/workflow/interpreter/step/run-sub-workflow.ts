import {
  type Execution,
  type ExecutionError,
  type JsonValue,
  StepFailedError,
  TimeLimitError,
} from '@halyard/contracts';
import { childPath, decisionPath } from '../../definition/place.ts';
import { findStepPath } from '../../definition/step-index.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { startEvent } from '../../engine/accept-start.ts';
import { limitedBranch } from '../branches/branches.ts';
import { ControlSignal, ScopeClosedSignal } from '../branches/control-signals.ts';
import type { Scope } from '../branches/scope.ts';
import { compensate } from '../compensation/compensate.ts';
import { type Ending, failedEnding } from '../run/ending.ts';
import { callEndHooks, callWorkflowHook } from '../run/hooks.ts';
import { LiveExecution } from '../run/live-execution.ts';
import { runWorkflow } from '../run/run-workflow.ts';
import type { StepRun } from './step-run.ts';

/**
 * Runs a sub-workflow inline: its row and its events are written in the commits of its root.
 *
 * @throws StepFailedError when it fails; a ControlSignal.
 */
export async function runSubWorkflow(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
): Promise<JsonValue> {
  const row = recordedRow(run);
  if (row?.status === 'completed') return row.output ?? null;
  if (row?.status === 'error') {
    // A time limit may have ended it before the process died.
    await compensate(run.executionRun, run.path, run.scope);
    throw toFailure(run, workflow, row.error);
  }
  const child = row === undefined ? await startChild(run, workflow, chooseInput) : continueChild(run, workflow, row);
  const { timeoutMs } = workflow;
  if (timeoutMs === undefined) return runToEnd(run, child, run.scope);
  const limit = new TimeLimitError(`Workflow "${workflow.id}"`, timeoutMs);
  try {
    return await limitedBranch(
      run,
      (scope) => runToEnd(run, child, scope),
      timeoutMs,
      () => {
        const ending = failedEnding(workflow.id, limit);
        void endChild(run, child, ending);
        return toFailure(run, workflow, ending.error, limit);
      },
    );
  } catch (error) {
    if (error instanceof StepFailedError && error.cause === limit)
      await compensate(run.executionRun, run.path, run.scope);
    throw error;
  }
}

async function runToEnd(run: StepRun, child: LiveExecution, scope: Scope): Promise<JsonValue> {
  try {
    const output = await runWorkflow(run.executionRun, child, scope);
    if (scope.isClosed) throw new ScopeClosedSignal();
    await endChild(run, child, { status: 'completed', output });
    return output;
  } catch (cause) {
    if (cause instanceof ControlSignal) throw cause;
    if (scope.isClosed) throw new ScopeClosedSignal();
    await compensate(run.executionRun, run.path, scope);
    const ending = failedEnding(child.workflow.id, cause);
    await endChild(run, child, ending);
    throw toFailure(run, child.workflow, ending.error, cause);
  }
}

/**
 * The failure of the step, the same whether the sub-workflow failed in this run or in an earlier
 * one.
 */
function toFailure(
  { executionRun, path, stepId }: StepRun,
  { id, index }: WorkflowDefinition,
  error: ExecutionError = { message: `Workflow "${id}" failed` },
  cause?: unknown,
): StepFailedError {
  const failed = error.stepId === undefined ? undefined : findStepPath(index, error.stepId);
  const recorded = failed === undefined ? undefined : executionRun.journal.get(childPath(path, failed))?.error;
  return new StepFailedError(stepId, {
    ...(cause !== undefined && { cause }),
    message: `Step "${stepId}" failed: ${error.message}`,
    causeCode: (recorded ?? error).code,
  });
}

async function endChild({ executionRun }: StepRun, child: LiveExecution, ending: Ending): Promise<void> {
  child.end(ending, executionRun.commits.draft, executionRun.now());
  await callEndHooks(child, executionRun.options.services.logger, ending);
  executionRun.spans?.endChild(child, ending);
}

function recordedRow({ executionRun, path }: StepRun): Execution | undefined {
  const entry = executionRun.journal.get(decisionPath(path, 'execution'));
  return entry === undefined ? undefined : executionRun.children.row(entry.output);
}

function continueChild(run: StepRun, workflow: WorkflowDefinition, row: Execution): LiveExecution {
  const { executionRun } = run;
  const child = new LiveExecution(workflow, row, executionRun.startedSteps.get(row.id) ?? new Set());
  executionRun.spans?.startChild(run, child, { isNew: false });
  executionRun.children.add(child);
  return child;
}

async function startChild(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
): Promise<LiveExecution> {
  const { execution: parent, executionRun, path, scope } = run;
  const input = await chooseInput();
  if (scope.isClosed) throw new ScopeClosedSignal();
  const now = executionRun.now();
  const { ids, logger } = executionRun.options.services;
  const id = ids.next();
  const { context, conversationId, metadata, user, userId } = parent;
  const fields = { path, input, context, workflowState: {}, metadata, userId, conversationId, user };
  const start = { ...fields, id, creationId: id, createdAt: now, status: 'running', seq: 0 } as const;
  const child = new LiveExecution(workflow, start, new Set());
  executionRun.spans?.startChild(run, child, { isNew: true });
  run.recordAt(decisionPath(path, 'execution'), 'execution', id);
  const change = executionRun.commits.draft.change(id);
  change.created = {
    ...fields,
    metadata: child.metadata,
    workflowId: workflow.id,
    workflowName: workflow.name,
    parentExecutionId: parent.id,
  };
  change.events.push(startEvent(workflow.id, input, now));
  // Before the hook: the execution may end while the hook runs, and must then cancel this child.
  executionRun.children.add(child);
  await callWorkflowHook(child, logger, 'onStart');
  return child;
}
