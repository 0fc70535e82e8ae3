import type { Execution, JsonValue } from '@halyard/contracts';
import { StepDetails } from '../../../telemetry/attributes/step.ts';
import { spanNames } from '../../../telemetry/span-names.ts';
import type { Scope } from '../branches/scope.ts';
import type { Ending } from '../run/ending.ts';
import type { LiveExecution } from '../run/live-execution.ts';
import type { StepRun } from '../step/step-run.ts';
import { traceOf, withTrace, type WorkflowSpan, type WorkflowTraces } from './workflow-traces.ts';

const nameOfStep = spanNames('step');

/** How a step's span ended that neither succeeded nor failed. */
type Outcome = 'suspended' | 'sleeping' | 'halted' | 'bailed' | 'dropped';

/** The spans of one activation: of the execution, its sub-workflows and its steps. None outlives it. */
export class ExecutionRunSpans {
  readonly #traces: WorkflowTraces;
  readonly #root: LiveExecution;
  /** In the order they began. */
  readonly #open: StepRun[] = [];

  constructor(traces: WorkflowTraces, root: LiveExecution, execution: Execution) {
    this.#traces = traces;
    this.#root = root;
    root.traced = traces.stretch(execution);
  }

  /** Where the sub-workflow is new, its metadata names its span from here on. */
  beginChild(run: StepRun, child: LiveExecution, { isNew }: { readonly isNew: boolean }): void {
    const { id, workflow, input, userId, conversationId, metadata } = child;
    const traced = { id, workflowId: workflow.id, workflowName: workflow.name, input, userId, conversationId };
    const earlier = isNew ? undefined : traceOf(metadata);
    child.traced = run.span && this.#traces.beginChild(traced, run.span.context, earlier);
    if (isNew) child.metadata = withTrace(metadata, child.traced);
  }

  endChild(child: LiveExecution, ending?: Ending): void {
    if (child.traced !== undefined) this.#endExecution(child, child.traced, child.status, ending);
  }

  beginStep(run: StepRun, data: JsonValue): void {
    const { recorder } = this.#traces;
    const parent = run.outerSpan?.context ?? null;
    const details = new StepDetails(
      run.stepId,
      run.step.type,
      run.execution.id,
      recorder.recordsContent ? data : undefined,
    );
    run.span = recorder.start({
      name: nameOfStep(run.stepId),
      parent,
      details,
      startTime: run.startedAt,
    });
    run.details = details;
    this.#open.push(run);
  }

  stepSucceeded(run: StepRun, output: JsonValue): void {
    run.details?.answered(output);
    this.#endStep(run);
  }

  stepFailed(run: StepRun, error: unknown): void {
    this.#endStep(run, { error });
  }

  stepLeft(run: StepRun, outcome: Outcome): void {
    this.#endStep(run, { outcome });
  }

  /** Nobody waits for what is in it any more. */
  dropWithin(scope: Scope): void {
    for (const run of this.#open.toReversed()) if (run.scope.isWithin(scope)) this.stepLeft(run, 'dropped');
  }

  /**
   * The activation is over.
   *
   * @param status of the execution; undefined where others are in charge of it.
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
    // Mostly there are none.
    if (this.#open.length > 0) for (const run of this.#open.toReversed()) this.stepLeft(run, outcomeOf(run));
    for (const child of children) this.endChild(child);
    if (status === undefined) traced.span.addEvent('lost');
    if (ending === undefined) this.#traces.rested(root.id, traced.span);
    else this.#traces.ended(root.id);
    this.#endExecution(root, traced, status ?? 'running', ending);
  }

  #endExecution(
    { workflow }: LiveExecution,
    { details, span }: WorkflowSpan,
    status: Execution['status'],
    ending: Ending | undefined,
  ): void {
    if (!span.isRecording) return;
    details.ended(status, ending?.status === 'completed' ? ending.output : undefined);
    if (ending?.status === 'error') span.end({ error: ending.cause ?? workflow.id });
    else span.end();
  }

  #endStep(run: StepRun, { error, outcome }: { readonly error?: unknown; readonly outcome?: Outcome } = {}): void {
    // Mostly the one that began last.
    const place = this.#open.lastIndexOf(run);
    if (place < 0 || run.span === undefined) return;
    if (place === this.#open.length - 1) this.#open.pop();
    else this.#open.splice(place, 1);
    if (outcome === 'halted' || outcome === 'dropped') run.span.addEvent(outcome);
    run.details?.ended(run.attempts, error === undefined ? (outcome ?? run.status) : 'error');
    run.span.end({ error, endTime: run.endedAt });
  }
}
