import type {
  JournalEntry,
  JsonObject,
  JsonValue,
  Logger,
  NewExecutionEvent,
  Span,
  StepFailedError,
} from '@halyard/contracts';
import { copyJson } from '../../../json/to-json.ts';
import { isoTime } from '../../../services/iso-time.ts';
import type { StepDetails } from '../../../telemetry/attributes/step.ts';
import { isLoop } from '../../definition/step-index.ts';
import type { AnyStep } from '../../definition/step.ts';
import { ScopeClosedSignal } from '../branches/control.ts';
import type { Scope } from '../branches/scope.ts';
import { executionLogger } from '../run/execution-logger.ts';
import type { ExecutionRun } from '../run/execution-run.ts';
import { callWorkflowHook } from '../run/hooks.ts';
import type { LiveExecution } from '../run/live-execution.ts';
import { runStep } from './run-step.ts';

interface StepEnd {
  readonly status: JournalEntry['status'];
  readonly output?: JsonValue;
  readonly error?: unknown;
}

/** One instance of a step while it runs: what the steps' own code works with. */
export class StepRun {
  readonly executionRun: ExecutionRun;
  readonly execution: LiveExecution;
  readonly scope: Scope;
  readonly step: AnyStep;
  /** Where it is in the root's tree: `lines:3/approve`. */
  readonly path: string;
  /** The loop items that it is in, `:3`; as in its instance id. */
  readonly items: string;
  /** As events name it: `approve:3` in a loop. */
  readonly stepId: string;
  readonly stepIndex: number;
  readonly startedAt: number;
  /** Of the step or the workflow that it is in. */
  readonly outerSpan: Span | undefined;
  /** While it runs; undefined where nothing is recorded. */
  span: Span | undefined = undefined;
  details: StepDetails | undefined = undefined;
  /** Tries so far. */
  attempts = 1;
  endedAt: number | undefined = undefined;
  /** What is recorded when it ends without a failure. */
  status: 'success' | 'skipped' = 'success';

  constructor(
    outer: { readonly executionRun: ExecutionRun; readonly execution: LiveExecution; readonly span: Span | undefined },
    scope: Scope,
    step: AnyStep,
    place: { readonly path: string; readonly items: string; readonly stepIndex: number },
  ) {
    this.executionRun = outer.executionRun;
    this.execution = outer.execution;
    this.outerSpan = outer.span;
    this.scope = scope;
    this.step = step;
    this.path = place.path;
    this.items = place.items;
    this.stepId = place.items === '' ? step.id : step.id + place.items;
    this.stepIndex = place.stepIndex;
    this.startedAt = this.executionRun.now();
  }

  /** Of its body: its lines say where they are from. */
  get logger(): Logger {
    return executionLogger(this.executionRun.options.services.logger, this.execution, this);
  }

  /** Same for each repetition of this step; another after a rewind. */
  get idempotencyKey(): string {
    const { generations, root } = this.executionRun;
    const generation = generations.of(this.path);
    return `${root.id}/${this.path}${generation === 0 ? '' : `@${generation}`}`;
  }

  /** Runs a step inside this one, on a strand of its own where `scope` says so. */
  inner(
    step: AnyStep,
    data: JsonValue,
    { item, scope = this.scope }: { item?: number; scope?: Scope } = {},
  ): Promise<JsonValue> {
    const isItem = item !== undefined && isLoop(this.step);
    const place = {
      path: `${this.path}${isItem ? `:${item}` : ''}/${step.id}`,
      items: isItem ? `${this.items}:${item}` : this.items,
      stepIndex: this.stepIndex,
    };
    return runStep(new StepRun(this, scope, step, place), data);
  }

  tell(type: string, fields: JsonObject): void {
    this.#write({ ...fields, type, from: this.stepId, timestamp: isoTime(this.executionRun.now()) });
  }

  /** Tells that it starts: once, however often it is continued. A promise only when a hook gave one. */
  start(data: JsonValue): void | Promise<void> {
    const { executionRun, execution, startedAt, step, stepId, stepIndex } = this;
    if (execution.started.has(stepId)) return undefined;
    execution.started.add(stepId);
    const timestamp = isoTime(startedAt);
    this.#write({ type: 'step-start', from: stepId, timestamp, stepType: step.type, stepIndex, input: data });
    const { logger } = executionRun.options.services;
    return callWorkflowHook(execution, logger, 'onStepStart', { stepId, stepType: step.type });
  }

  /** Records what came of it. A promise only when a hook gave one. */
  finish(output: JsonValue): void | Promise<void> {
    const { executionRun, status, step, stepId, stepIndex } = this;
    const endedAt = executionRun.now();
    this.endedAt = endedAt;
    executionRun.record(this.#entry(status, output, endedAt));
    const timestamp = isoTime(endedAt);
    this.#write({ type: 'step-complete', from: stepId, timestamp, stepType: step.type, stepIndex, status, output });
    return this.#callEndHook({ status, output });
  }

  /** Records that it failed. A promise only when a hook gave one. */
  finishFailed(failure: StepFailedError): void | Promise<void> {
    const { code, message, stepId } = failure;
    const { executionRun } = this;
    this.endedAt = executionRun.now();
    executionRun.record({ ...this.#entry('error', null, this.endedAt), error: { message, stepId, code } });
    this.tell('step-error', { error: message });
    return this.#callEndHook({ status: 'error', error: failure });
  }

  /** What the step has decided under this name, or now decides: recorded, so that it is not decided again. */
  async decide<Value extends JsonValue>(name: string, decision: () => Value | Promise<Value>): Promise<Value> {
    const path = `${this.path}#${name}`;
    const entry = this.executionRun.journal.get(path);
    // It is what the same decision recorded.
    if (entry !== undefined) return entry.output as Value;
    const value = await decision();
    if (this.scope.isClosed) throw new ScopeClosedSignal();
    this.recordAt(path, name, value);
    return value;
  }

  /** Records what is not a step: a decision, a call of an agent. */
  recordAt(path: string, type: string, output: JsonValue): void {
    const now = this.executionRun.now();
    this.executionRun.record({ path, type, status: 'success', output, attempts: 1, startedAt: now, endedAt: now });
  }

  /** The events there are most of are written out at once: objects that grow cost more, and are kept. */
  #write(event: NewExecutionEvent): void {
    this.execution.tell(event, this.executionRun.commits.draft);
  }

  #entry(status: JournalEntry['status'], output: JsonValue, endedAt: number): JournalEntry {
    const { attempts, path, startedAt, step } = this;
    return { path, type: step.type, status, output, attempts, startedAt, endedAt };
  }

  #callEndHook(end: StepEnd): void | Promise<void> {
    const { executionRun, execution, step, stepId } = this;
    if (execution.workflow.hooks.onStepEnd === undefined) return undefined;
    const { logger } = executionRun.options.services;
    return callWorkflowHook(execution, logger, 'onStepEnd', { stepId, stepType: step.type, ...copied(end) });
  }
}

/** For the author's code, which may change it. */
function copied(end: StepEnd): StepEnd {
  return end.output === undefined ? end : { ...end, output: copyJson(end.output) };
}
