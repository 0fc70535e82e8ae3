import type {
  ExecutionError,
  JournalEntry,
  JsonObject,
  JsonValue,
  Logger,
  NewExecutionEvent,
  Span,
  StepFailedError,
} from '@halyard/contracts';
import { defaultExecutionValueBytes } from '../../../agent/agent-services.ts';
import { isoTime } from '../../../json/iso-time.ts';
import { checkOwnSize } from '../../../json/json-bytes.ts';
import { childPath, type Decision, decisionPath, itemPath } from '../../definition/place.ts';
import { hasCode, isLoop } from '../../definition/step-index.ts';
import type { AnyStep } from '../../definition/step.ts';
import { toKeyPrefix } from '../../engine/creation.ts';
import { stateEntry } from '../../rewind/journaled-state.ts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import type { Scope } from '../branches/scope.ts';
import { executionLogger } from '../run/execution-logger.ts';
import type { ExecutionRun } from '../run/execution-run.ts';
import { callWorkflowHook } from '../run/hooks.ts';
import type { LiveExecution } from '../run/live-execution.ts';
import { runStep } from './run-step.ts';

/** One instance of a step while it runs. The `and…` functions work with it. */
export class StepRun {
  readonly executionRun: ExecutionRun;
  readonly execution: LiveExecution;
  readonly scope: Scope;
  readonly step: AnyStep;
  /** Its path in the root's tree: `lines:3/approve`. */
  readonly path: string;
  /** The loop items around it, as in its instance id: `:3`. */
  readonly items: string;
  /**
   * The instance id that events use: `approve:3` in a loop, `checkout/charge` for a step that the
   * code of `andRun` calls.
   */
  readonly stepId: string;
  readonly stepIndex: number;
  /** Whether it undoes the step. */
  readonly isCompensation: boolean;
  /** By the store's clock, like all times that are recorded. */
  readonly startedAt: number;
  /** The span of the step or workflow around it. */
  readonly outerSpan: Span | undefined;
  /** Undefined when tracing is off. */
  span: Span | undefined = undefined;
  /** Attempts so far. */
  attempts = 1;
  /** When its body ended: by the clock of this process, like all times of spans. */
  endedAt: number | undefined = undefined;
  /** The recorded status when the step ends without an error. */
  status: 'success' | 'skipped' = 'success';
  #stateChanges = 0;

  constructor(
    outer: { readonly executionRun: ExecutionRun; readonly execution: LiveExecution; readonly span: Span | undefined },
    scope: Scope,
    step: AnyStep,
    place: {
      readonly path: string;
      readonly items: string;
      readonly stepIndex: number;
      /** Default: the id of the step, with the loop items. */
      readonly stepId?: string;
      readonly isCompensation?: boolean;
    },
  ) {
    this.executionRun = outer.executionRun;
    this.execution = outer.execution;
    this.outerSpan = outer.span;
    this.scope = scope;
    this.step = step;
    this.path = place.path;
    this.items = place.items;
    this.stepId = place.stepId ?? step.id + place.items;
    this.stepIndex = place.stepIndex;
    this.isCompensation = place.isCompensation ?? false;
    this.startedAt = this.executionRun.now();
  }

  /** The logger of its body. */
  get logger(): Logger {
    return executionLogger(this.executionRun.options.services.logger, this.execution, this);
  }

  /**
   * The same for each repetition of this step; different after a rewind, and after the step was
   * undone. No other execution has it, not even a later one with the same id.
   */
  get idempotencyKey(): string {
    const { rewinds, root } = this.executionRun;
    const newKeys = rewinds.countNewKeys(this.path);
    return `${toKeyPrefix(root)}/${this.path}${newKeys === 0 ? '' : `@${newKeys}`}`;
  }

  /** Runs a step inside this one, or reads its record. `item`: in a loop; `scope`: in a branch. */
  async inner(
    step: AnyStep,
    data: JsonValue,
    { item, scope = this.scope }: { readonly item?: number; readonly scope?: Scope } = {},
  ): Promise<JsonValue> {
    const isItem = item !== undefined && isLoop(this.step);
    const items = isItem ? itemPath(this.items, item) : this.items;
    const place = {
      path: childPath(isItem ? itemPath(this.path, item) : this.path, step.id),
      items,
      stepIndex: this.stepIndex,
      ...(hasCode(this.step) && { stepId: childPath(this.step.id, step.id) + items }),
    };
    return runStep(new StepRun(this, scope, step, place), data);
  }

  emit(type: string, fields: JsonObject): void {
    this.#emit({ ...fields, type, from: this.stepId, timestamp: isoTime(this.executionRun.now()) });
  }

  /** Writes `step-start`. @returns false when an earlier run has written it. */
  start(data: JsonValue): boolean {
    const { execution, startedAt, step, stepId, stepIndex } = this;
    if (execution.started.has(stepId)) return false;
    execution.started.add(stepId);
    const timestamp = isoTime(startedAt);
    this.#emit({ type: 'step-start', from: stepId, timestamp, stepType: step.type, stepIndex, input: data });
    return true;
  }

  /** Records the output of the step. */
  finish(output: JsonValue): void {
    const { executionRun, status, step, stepId, stepIndex } = this;
    const endedAt = executionRun.now();
    this.endedAt = executionRun.options.services.clock.now();
    executionRun.record(this.#entry(status, output, endedAt));
    const timestamp = isoTime(endedAt);
    this.#emit({ type: 'step-complete', from: stepId, timestamp, stepType: step.type, stepIndex, status, output });
  }

  /** Records that the step failed. */
  finishFailed(failure: StepFailedError): void {
    const { causeCode: code, message, stepId } = failure;
    const { executionRun } = this;
    const endedAt = executionRun.now();
    this.endedAt = executionRun.options.services.clock.now();
    executionRun.record({ ...this.#entry('error', null, endedAt), error: { message, stepId, code } });
    this.emit('step-error', { error: message });
  }

  /** Sets fields of the workflow state. */
  setState(patch: JsonObject): void {
    const { execution, executionRun } = this;
    this.checkSize({ ...execution.state, ...patch }, 'the workflow state');
    execution.patchState(patch, executionRun.commits.draft);
    const change = { executionId: execution.id, patch };
    executionRun.record(stateEntry(this.#nextStatePath(), change, executionRun.now()));
  }

  /** @throws HalyardError `VALUE_TOO_LARGE` */
  checkSize(value: JsonValue, name: string): void {
    const { executionValueBytes = defaultExecutionValueBytes } = this.executionRun.options.services;
    checkOwnSize(value, executionValueBytes, name);
  }

  /** An earlier attempt, or the same before a suspension, may have changed the state, too. */
  #nextStatePath(): string {
    for (;;) {
      const path = decisionPath(this.path, `state-${this.#stateChanges}`);
      this.#stateChanges += 1;
      if (!this.executionRun.journal.has(path)) return path;
    }
  }

  async callStartHook(): Promise<void> {
    const { logger } = this.executionRun.options.services;
    await callWorkflowHook(this.execution, logger, 'onStepStart', { stepId: this.stepId, stepType: this.step.type });
  }

  async callEndHook(end: Pick<JournalEntry, 'status'> & { output?: JsonValue; error?: unknown }): Promise<void> {
    const { logger } = this.executionRun.options.services;
    const step = { stepId: this.stepId, stepType: this.step.type };
    await callWorkflowHook(this.execution, logger, 'onStepEnd', { ...step, ...end });
  }

  /** Returns the recorded decision of this name, or makes it now and records it. */
  async decide<Value extends JsonValue>(name: Decision, decision: () => Value | Promise<Value>): Promise<Value> {
    const path = decisionPath(this.path, name);
    const entry = this.executionRun.journal.get(path);
    // The same decision recorded it, so it has the same type.
    if (entry !== undefined) return entry.output as Value;
    const value = await decision();
    if (this.scope.isClosed) throw new ScopeClosedSignal();
    this.recordAt(path, name, value);
    return value;
  }

  /** Records a decision, a call of an agent, or a compensation; with `error`, a failed one. */
  recordAt(path: string, type: string, output: JsonValue, error?: ExecutionError): void {
    const now = this.executionRun.now();
    const entry = {
      path,
      type,
      output,
      attempts: this.isCompensation ? this.attempts : 1,
      startedAt: now,
      endedAt: now,
    };
    this.executionRun.record({
      ...entry,
      ...(error === undefined ? { status: 'success' } : { status: 'error', error }),
    });
  }

  #emit(event: NewExecutionEvent): void {
    this.execution.emit(event, this.executionRun.commits.draft);
  }

  #entry(status: JournalEntry['status'], output: JsonValue, endedAt: number): JournalEntry {
    const { attempts, path, startedAt, step } = this;
    return { path, type: step.type, status, output, attempts, startedAt, endedAt };
  }
}
