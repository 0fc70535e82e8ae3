import type { Execution, JsonValue, Span } from '@halyard/contracts';
import { stepAttributes, stepEndAttributes } from '../../telemetry/attributes/step.ts';
import { inputAndOutput } from '../../telemetry/attributes/workflow.ts';
import { describeLater } from '../../telemetry/describe-later.ts';
import { decisionPath } from '../definition/place.ts';
import type { Scope } from '../interpreter/branches/scope.ts';
import type { Ending } from '../interpreter/run/ending.ts';
import type { LiveExecution } from '../interpreter/run/live-execution.ts';
import type { StepRun } from '../interpreter/step/step-run.ts';
import type { Waits } from '../interpreter/waits/waits.ts';
import { readSpanContext, withTrace, type WorkflowSpan, type WorkflowTraces } from './workflow-traces.ts';

/** The outcome of a step that neither succeeded nor failed in this run. */
type Outcome = 'suspended' | 'sleeping' | 'halted' | 'bailed' | 'dropped';

interface OpenStep {
  readonly span: Span;
  /** Undefined where content is not recorded. */
  readonly input: JsonValue | undefined;
}

/**
 * The spans of one run of an execution: its own, and those of its sub-workflows and steps. All end
 * with the run.
 */
export class ExecutionRunSpans {
  readonly #traces: WorkflowTraces;
  readonly #root: LiveExecution;
  /** In the order in which they started. */
  readonly #open = new Map<StepRun, OpenStep>();

  constructor(traces: WorkflowTraces, root: LiveExecution, execution: Execution) {
    this.#traces = traces;
    this.#root = root;
    root.traced = traces.startRun(execution);
  }

  /** The metadata of a new sub-workflow names its span. */
  startChild(run: StepRun, child: LiveExecution, { isNew }: { readonly isNew: boolean }): void {
    const { id, workflow, input, userId, conversationId, metadata } = child;
    const recorded = { id, workflowId: workflow.id, workflowName: workflow.name, input, userId, conversationId };
    const earlier = isNew ? undefined : readSpanContext(metadata);
    child.traced = run.span && this.#traces.startChild(recorded, run.span.context, earlier);
    if (isNew) child.metadata = withTrace(metadata, child.traced);
  }

  endChild(child: LiveExecution, ending?: Ending): void {
    if (child.traced !== undefined) endExecution(child, child.traced, child.status, ending);
  }

  startStep(run: StepRun, data: JsonValue): void {
    const { recorder } = this.#traces;
    const recordsContent = this.#traces.recordsContentOf(run.execution.workflow.id);
    const span = recorder.start({
      name: `${run.isCompensation ? 'compensate' : 'step'} ${run.stepId}`,
      parent: run.outerSpan?.context ?? null,
      attributes: stepAttributes({ id: run.stepId, type: run.step.type, executionId: run.execution.id }),
      ...(recordsContent && { describe: () => inputAndOutput(data, undefined) }),
      startTime: run.executionRun.options.services.clock.now(),
    });
    run.span = span;
    this.#open.set(run, { span, input: recordsContent ? data : undefined });
  }

  stepSucceeded(run: StepRun, output: JsonValue): void {
    this.#endStep(run, run.status, { output });
  }

  stepFailed(run: StepRun, error: unknown): void {
    this.#endStep(run, 'error', { error });
  }

  stepLeft(run: StepRun, outcome: Outcome): void {
    if (outcome === 'halted' || outcome === 'dropped') this.#open.get(run)?.span.addEvent(outcome);
    this.#endStep(run, outcome);
  }

  /** Ends the steps of a closed scope: their results are ignored. */
  dropWithin(scope: Scope): void {
    for (const run of [...this.#open.keys()].toReversed()) if (run.scope.isWithin(scope)) this.stepLeft(run, 'dropped');
  }

  /**
   * Ends all spans of the run. @param status of the execution; undefined when another process has
   * taken it over.
   */
  end(
    status: Execution['status'] | undefined,
    ending: Ending | undefined,
    children: Iterable<LiveExecution>,
    outcomeOf: (run: StepRun) => Outcome,
  ): void {
    const root = this.#root;
    const { traced } = root;
    if (traced === undefined) return;
    for (const run of [...this.#open.keys()].toReversed()) this.stepLeft(run, outcomeOf(run));
    for (const child of children) this.endChild(child);
    if (status === undefined) traced.span.addEvent('lost');
    if (ending === undefined) this.#traces.runEnded(root.id, traced.span);
    else this.#traces.executionEnded(root.id);
    endExecution(root, traced, status ?? 'running', ending);
  }

  #endStep(
    run: StepRun,
    outcome: string,
    { error, output }: { readonly error?: unknown; readonly output?: JsonValue } = {},
  ): void {
    const open = this.#open.get(run);
    if (open === undefined) return;
    this.#open.delete(run);
    open.span.end({
      error,
      outcome: 'failed',
      endTime: run.endedAt,
      attributes: stepEndAttributes(run.attempts, outcome),
      ...describedContent(open.input, output),
    });
  }
}

/** The state of an open step of a run that was released. */
export function openStepOutcome(
  { suspensions, timers }: Waits,
  path: string,
  { isStopping, status }: { readonly isStopping: boolean; readonly status: Execution['status'] | undefined },
): Outcome {
  if (suspensions.has(path)) return 'suspended';
  if (timers.has(path) || timers.has(decisionPath(path, 'retry'))) return 'sleeping';
  if (isStopping) return 'halted';
  return status === 'suspended' ? 'suspended' : 'sleeping';
}

function endExecution(
  { workflow }: LiveExecution,
  { input, span }: WorkflowSpan,
  status: Execution['status'],
  ending: Ending | undefined,
): void {
  if (!span.isRecording) return;
  span.end({
    attributes: {
      'halyard.execution.status': status,
      ...(status === 'cancelled' && { 'halyard.outcome': 'aborted' }),
    },
    ...(ending?.status === 'error' && { error: ending.cause ?? workflow.id, outcome: 'failed' as const }),
    ...describedContent(input, ending?.status === 'completed' ? ending.output : undefined),
  });
}

/** Nothing where content is not recorded. */
function describedContent(
  input: JsonValue | undefined,
  output: JsonValue | undefined,
): ReturnType<typeof describeLater> | undefined {
  return input === undefined ? undefined : describeLater([input, output], () => inputAndOutput(input, output));
}
