import { type Execution, type JsonValue, StepFailedError, TimeLimitError } from '@halyard/contracts';
import { isoTime } from '../../../services/iso-time.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { callWorkflowHook } from '../../definition/workflow-hooks.ts';
import { limitedBranch } from './branches.ts';
import { ControlSignal, ScopeClosedSignal } from './control.ts';
import { callEndHooks } from './end-hooks.ts';
import type { Ending } from './ending.ts';
import { executionError } from './execution-error.ts';
import { LiveExecution } from './live-execution.ts';
import { runWorkflow } from './run-workflow.ts';
import type { Scope } from './scope.ts';
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
    const output = await runWorkflow(run.activation, child, scope);
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

async function end({ activation }: StepRun, child: LiveExecution, ending: Ending): Promise<void> {
  child.end(ending, activation.mailbox.draft, activation.now());
  await callEndHooks(child, activation.options.services.logger, ending);
  activation.spans?.endChild(child, ending);
}

/** The journal links a step to its sub-workflow, so that a rewind of the step unlinks it. */
const link = 'execution';

function recordedRow({ activation, path }: StepRun): Execution | undefined {
  const entry = activation.journal.get(`${path}#${link}`);
  return entry === undefined ? undefined : activation.children.row(entry.output);
}

function childOf(run: StepRun, workflow: WorkflowDefinition, row: Execution): LiveExecution {
  const { activation } = run;
  const child = new LiveExecution(workflow, row, activation.started?.get(row.id) ?? new Set());
  activation.spans?.beginChild(run, child, { isNew: false });
  activation.children.add(child);
  return child;
}

async function newChild(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
): Promise<LiveExecution> {
  const { activation, execution: parent, path, scope } = run;
  const input = await chooseInput();
  if (scope.isClosed) throw new ScopeClosedSignal();
  const now = activation.now();
  const id = activation.options.services.ids.next();
  const { context, conversationId, metadata, user, userId } = parent;
  const fields = { path, input, context, workflowState: {}, metadata, userId, conversationId, user };
  const child = new LiveExecution(workflow, { ...fields, id, createdAt: now, status: 'running' }, new Set());
  activation.spans?.beginChild(run, child, { isNew: true });
  run.recordAt(`${path}#${link}`, link, id);
  const change = activation.mailbox.draft.change(id);
  change.created = {
    ...fields,
    metadata: child.metadata,
    workflowId: workflow.id,
    workflowName: workflow.name,
    parentExecutionId: parent.id,
  };
  change.events.push({ type: 'workflow-start', from: workflow.id, timestamp: isoTime(now), input });
  // At once: it has begun, also when the execution ends before it gets further.
  activation.children.add(child);
  await callWorkflowHook(child, activation.options.services.logger, 'onStart');
  return child;
}
