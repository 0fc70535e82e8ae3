import type { Attributes, Execution, JsonValue, Span } from '@halyard/contracts';
import type { Ending } from './ending.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Scope } from './scope.ts';
import { setContent } from './span-content.ts';
import type { StepRun } from './step-run.ts';
import { traceOf, withTrace, type WorkflowTraces } from './workflow-traces.ts';

/** How a step's span ended that neither succeeded nor failed. */
type Outcome = 'suspended' | 'sleeping' | 'halted' | 'bailed' | 'dropped';

/** The spans of one activation: of the execution, its sub-workflows and its steps. None outlives it. */
export class ActivationSpans {
  readonly #traces: WorkflowTraces;
  readonly #root: LiveExecution;
  readonly #open = new Set<StepRun>();

  constructor(traces: WorkflowTraces, root: LiveExecution, execution: Execution) {
    this.#traces = traces;
    this.#root = root;
    root.span = traces.stretch(execution);
  }

  /** Where the sub-workflow is new, its metadata names its span from here on. */
  beginChild(run: StepRun, child: LiveExecution, { isNew }: { readonly isNew: boolean }): void {
    const { id, workflow, input, userId, conversationId, metadata } = child;
    const traced = { id, workflowId: workflow.id, workflowName: workflow.name, input, userId, conversationId };
    const earlier = isNew ? undefined : traceOf(metadata);
    child.span = run.span && this.#traces.beginChild(traced, run.span.context, earlier);
    if (isNew) child.metadata = withTrace(metadata, child.span);
  }

  endChild(child: LiveExecution, ending?: Ending): void {
    if (child.span !== undefined) this.#endExecution(child, child.span, child.status, ending);
  }

  beginStep(run: StepRun, data: JsonValue): void {
    const { recorder } = this.#traces;
    const parent = run.outerSpan?.context ?? null;
    run.span = recorder.start({ name: `step ${run.stepId}`, parent, attributes: new StepAttributes(run) });
    setContent(run.span, recorder, 'halyard.input', data);
    this.#open.add(run);
  }

  stepSucceeded(run: StepRun, output: JsonValue): void {
    if (run.span !== undefined) setContent(run.span, this.#traces.recorder, 'halyard.output', output);
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
    for (const run of [...this.#open].toReversed()) if (run.scope.isWithin(scope)) this.stepLeft(run, 'dropped');
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
    if (root.span === undefined) return;
    for (const run of [...this.#open].toReversed()) this.stepLeft(run, outcomeOf(run));
    for (const child of children) this.endChild(child);
    if (status === undefined) root.span.addEvent('lost');
    if (ending === undefined) this.#traces.rested(root.id, root.span);
    else this.#traces.ended(root.id);
    this.#endExecution(root, root.span, status ?? 'running', ending);
  }

  #endExecution(
    { workflow }: LiveExecution,
    span: Span,
    status: Execution['status'],
    ending: Ending | undefined,
  ): void {
    if (ending?.status === 'completed') setContent(span, this.#traces.recorder, 'halyard.output', ending.output);
    const attributes = { 'halyard.execution.status': status };
    span.end({ attributes, ...(ending?.status === 'error' && { error: ending.cause ?? workflow.id }) });
  }

  #endStep(run: StepRun, { error, outcome }: { readonly error?: unknown; readonly outcome?: Outcome } = {}): void {
    if (!this.#open.delete(run) || run.span === undefined) return;
    if (outcome === 'halted' || outcome === 'dropped') run.span.addEvent(outcome);
    const attributes = { 'halyard.step.attempts': run.attempts, 'halyard.step.outcome': outcome ?? run.status };
    run.span.end(error === undefined ? { attributes } : { attributes: failedAfter(run), error });
  }
}

class StepAttributes implements Attributes {
  readonly [name: string]: string;
  readonly 'halyard.step.id': string;
  readonly 'halyard.step.type': string;
  readonly 'halyard.execution.id': string;

  constructor({ execution, step, stepId }: StepRun) {
    this['halyard.step.id'] = stepId;
    this['halyard.step.type'] = step.type;
    this['halyard.execution.id'] = execution.id;
  }
}

function failedAfter({ attempts }: StepRun): Attributes {
  return { 'halyard.step.attempts': attempts, 'halyard.step.outcome': 'error' };
}
