import { type Execution, type JsonValue, StepFailedError, TimeLimitError } from '@halyard/contracts';
import { isoTime } from '../../../services/iso-time.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { limitedBranch } from '../branches/branches.ts';
import { ControlSignal, ScopeClosedSignal } from '../branches/control.ts';
import type { Scope } from '../branches/scope.ts';
import type { Ending } from '../run/ending.ts';
import { executionError } from '../run/execution-error.ts';
import { callEndHooks, callWorkflowHook } from '../run/hooks.ts';
import { LiveExecution } from '../run/live-execution.ts';
import { runWorkflow } from '../run/run-workflow.ts';
import type { StepRun } from './step-run.ts';

/**
 * Runs a sub-workflow inline: its row and its events are written in the commits of its root.
 *
 * @throws StepFailedError when it fails; a ControlSignal.
 */
export async function runChild(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
): Promise<JsonValue> {
  const row = recordedRow(run);
  if (row?.status === 'completed') return row.output ?? null;
  if (row?.status === 'error')
    throw new StepFailedError(run.stepId, { message: `Step "${run.stepId}" failed: ${row.error?.message}` });
  const child = row === undefined ? await newChild(run, workflow, chooseInput) : childOf(run, workflow, row);
  const { timeoutMs } = workflow;
  if (timeoutMs === undefined) return runToEnd(run, child, run.scope);
  return limitedBranch(
    run,
    (scope) => runToEnd(run, child, scope),
    timeoutMs,
    () => {
      const cause = new TimeLimitError(`Workflow "${workflow.id}"`, timeoutMs);
      void end(run, child, { status: 'error', error: executionError(workflow.id, cause), cause });
      return new StepFailedError(run.stepId, { cause });
    },
  );
}

async function runToEnd(run: StepRun, child: LiveExecution, scope: Scope): Promise<JsonValue> {
  try {
    const output = await runWorkflow(run.executionRun, child, scope);
    if (scope.isClosed) throw new ScopeClosedSignal();
    await end(run, child, { status: 'completed', output });
    return output;
  } catch (cause) {
    if (cause instanceof ControlSignal) throw cause;
    if (scope.isClosed) throw new ScopeClosedSignal();
    const error = executionError(child.workflow.id, cause);
    await end(run, child, { status: 'error', error, cause });
    throw new StepFailedError(run.stepId, { cause });
  }
}

async function end({ executionRun }: StepRun, child: LiveExecution, ending: Ending): Promise<void> {
  child.end(ending, executionRun.commits.draft, executionRun.now());
  await callEndHooks(child, executionRun.options.services.logger, ending);
  executionRun.spans?.endChild(child, ending);
}

/** The journal links a step to its sub-workflow, so that a rewind of the step unlinks it. */
const link = 'execution';

function recordedRow({ executionRun, path }: StepRun): Execution | undefined {
  const entry = executionRun.journal.get(`${path}#${link}`);
  return entry === undefined ? undefined : executionRun.children.row(entry.output);
}

function childOf(run: StepRun, workflow: WorkflowDefinition, row: Execution): LiveExecution {
  const { executionRun } = run;
  const child = new LiveExecution(workflow, row, executionRun.started?.get(row.id) ?? new Set());
  executionRun.spans?.beginChild(run, child, { isNew: false });
  executionRun.children.add(child);
  return child;
}

async function newChild(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
): Promise<LiveExecution> {
  const { executionRun, execution: parent, path, scope } = run;
  const input = await chooseInput();
  if (scope.isClosed) throw new ScopeClosedSignal();
  const now = executionRun.now();
  const id = executionRun.options.services.ids.next();
  const { context, conversationId, metadata, user, userId } = parent;
  const fields = { path, input, context, workflowState: {}, metadata, userId, conversationId, user };
  const child = new LiveExecution(workflow, { ...fields, id, createdAt: now, status: 'running' }, new Set());
  executionRun.spans?.beginChild(run, child, { isNew: true });
  run.recordAt(`${path}#${link}`, link, id);
  const change = executionRun.commits.draft.change(id);
  change.created = {
    ...fields,
    metadata: child.metadata,
    workflowId: workflow.id,
    workflowName: workflow.name,
    parentExecutionId: parent.id,
  };
  change.events.push({ type: 'workflow-start', from: workflow.id, timestamp: isoTime(now), input });
  // At once: it has begun, also when the execution ends before it gets further.
  executionRun.children.add(child);
  await callWorkflowHook(child, executionRun.options.services.logger, 'onStart');
  return child;
}
