import {
  InvalidInputError,
  type JsonObject,
  type JsonValue,
  type Logger,
  TimeLimitError,
  type User,
} from '@halyard/contracts';
import { copyJson } from '../../../json/to-json.ts';
import { longestTimerMs } from '../../../services/longest-timer.ts';
import { runNext } from '../../../telemetry/run-next.ts';
import type { ExecutionInfo, StepContext, StepData, StepWriter } from '../../definition/step-context.ts';
import { pathOfInstance } from '../../definition/step-index.ts';
import { givenJson } from '../accept-json.ts';
import { LeaveSignal } from '../branches/control.ts';
import type { Scope } from '../branches/scope.ts';
import type { StepRun } from './step-run.ts';

/** What came of one call of a body. */
export type AttemptOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  /** It failed because it was told to stop: it did not fail. */
  | { readonly kind: 'halted' }
  | { readonly kind: 'suspend'; readonly reason: string; readonly data: JsonValue | undefined }
  | { readonly kind: 'bail'; readonly result: JsonValue }
  | { readonly kind: 'abort'; readonly reason: string };

/**
 * One call of a body, and the context that it is given. Values are copied when they are first asked for: what the body does to them
 * stays with it. Once it is over, what the body still does is dropped.
 */
export class Attempt implements StepContext<unknown> {
  readonly scope: Scope;
  readonly retryCount: number;
  readonly #run: StepRun;
  readonly #rawData: JsonValue;
  readonly #canHalt: boolean;
  #data: unknown;
  #hasData = false;
  #controller: AbortController | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #isHalted = false;
  #isOver = false;
  #wish: AttemptOutcome | undefined;

  /** @param options `canHalt`: it may be told to stop, and is called again later. */
  constructor(
    run: StepRun,
    data: JsonValue,
    { canHalt = true, retryCount = 0 }: { readonly canHalt?: boolean; readonly retryCount?: number } = {},
  ) {
    this.scope = run.scope;
    this.retryCount = retryCount;
    this.#canHalt = canHalt;
    this.#run = run;
    this.#rawData = data;
  }

  /**
   * Calls the body. Never rejects. What the body wants (to suspend, to bail, to abort) holds, whatever it does after that. A promise only when
   * the body gave one.
   */
  call(
    body: (context: StepContext<unknown>) => unknown,
    limitMs: number | undefined,
  ): AttemptOutcome | Promise<AttemptOutcome> {
    try {
      const { span } = this.#run;
      const value = span === undefined ? body(this) : runNext(span, () => body(this));
      return isThenable(value) ? this.#outcomeOf(value, limitMs) : this.#ended({ kind: 'value', value });
    } catch (error) {
      return this.#ended({ kind: 'error', error });
    }
  }

  /** Its work is of no use any more. */
  stop(reason: unknown): void {
    this.#isOver = true;
    this.#abort(reason);
  }

  /** It should end soon; if it does not fail, what it gives counts. */
  halt(reason: string): void {
    if (!this.#canHalt) return;
    this.#isHalted = true;
    this.#abort(new DOMException(reason, 'AbortError'));
  }

  get data(): unknown {
    if (!this.#hasData) {
      this.#data = copyJson(this.#rawData);
      this.#hasData = true;
    }
    return this.#data;
  }

  get input(): unknown {
    return copyJson(this.#run.execution.input);
  }

  get state(): ExecutionInfo {
    return this.#run.execution.info;
  }

  get context(): Readonly<Record<string, unknown>> {
    return copyJson(this.#run.execution.context);
  }

  get workflowState(): object {
    return copyJson(this.#run.execution.state);
  }

  get user(): User | undefined {
    return copyJson(this.#run.execution.user);
  }

  get logger(): Logger {
    return this.#run.logger;
  }

  get idempotencyKey(): string {
    return this.#run.idempotencyKey;
  }

  get resumeData(): unknown {
    const { handedOn, resumptions } = this.#run.executionRun.waits;
    const own = resumptions.get(this.#run.path);
    // Nobody was asked who resumes after a suspension from outside: no answer is none.
    return own === undefined ? copyJson(handedOn?.data ?? undefined) : copyJson(own.data);
  }

  get resumedBy(): string | undefined {
    const { handedOn, resumptions } = this.#run.executionRun.waits;
    return (resumptions.get(this.#run.path) ?? handedOn)?.resumedBy;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  // What few bodies ask for is made when they do.

  get getStepData(): StepContext<unknown>['getStepData'] {
    return (instance) => this.#stepData(instance);
  }

  get setWorkflowState(): StepContext<unknown>['setWorkflowState'] {
    return (patch) => this.#patchState(patch);
  }

  get suspend(): StepContext<unknown>['suspend'] {
    return (reason, data) =>
      this.#leave(() => ({
        kind: 'suspend',
        reason,
        data: data === undefined ? undefined : givenJson(data, 'it suspended with'),
      }));
  }

  get bail(): StepContext<unknown>['bail'] {
    return (result) => this.#leave(() => ({ kind: 'bail', result: givenJson(result, 'it bailed with') }));
  }

  get abort(): StepContext<unknown>['abort'] {
    return (reason = 'aborted by a step') => this.#leave(() => ({ kind: 'abort', reason }));
  }

  get writer(): StepWriter {
    return {
      write: (event) => {
        const fields = givenJson(event, 'it wrote an event with');
        if (!isJsonObject(fields) || typeof event.type !== 'string' || !event.type.startsWith('custom-'))
          throw new InvalidInputError('An event of a step needs a type that starts with "custom-"');
        if (!this.#isOver && !this.scope.isClosed) this.#run.tell(event.type, fields);
      },
    };
  }

  async #outcomeOf(work: PromiseLike<unknown>, limitMs: number | undefined): Promise<AttemptOutcome> {
    const { attempts } = this.#run.executionRun;
    attempts.add(this);
    try {
      return this.#ended({ kind: 'value', value: await (limitMs === undefined ? work : this.#within(limitMs, work)) });
    } catch (error) {
      return this.#ended(this.#isHalted ? { kind: 'halted' } : { kind: 'error', error });
    } finally {
      attempts.delete(this);
    }
  }

  #ended(outcome: AttemptOutcome): AttemptOutcome {
    this.#isOver = true;
    return this.#wish ?? outcome;
  }

  #stepData(instance: string): StepData | undefined {
    const { executionRun, execution, path } = this.#run;
    const near = execution.path === '' ? path : path.slice(execution.path.length + 1);
    const own = pathOfInstance(execution.workflow.index, instance, near);
    const entry = own === undefined ? undefined : executionRun.journal.get(execution.pathOf(own));
    if (entry === undefined) return undefined;
    const { error, output, status } = entry;
    return { status, output: copyJson(output), ...(error !== undefined && { error: { message: error.message } }) };
  }

  #patchState(patch: object | ((state: object) => object)): void {
    const { executionRun, execution } = this.#run;
    if (this.#isOver || this.scope.isClosed) return;
    const fields = givenJson(typeof patch === 'function' ? patch(this.workflowState) : patch, 'it set the state to');
    if (!isJsonObject(fields)) throw new InvalidInputError('setWorkflowState takes an object');
    execution.patchState(fields, executionRun.commits.draft);
  }

  /** The first wish counts. */
  #leave(wish: () => AttemptOutcome): never {
    this.#wish ??= wish();
    throw new LeaveSignal('a step has left its body; let this pass');
  }

  #abort(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#controller?.abort(reason);
  }

  async #within(limitMs: number, work: PromiseLike<unknown>): Promise<unknown> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => {
        const error = new TimeLimitError(`Step "${this.#run.stepId}"`, limitMs);
        this.stop(error);
        reject(error);
      },
      Math.min(limitMs, longestTimerMs),
    );
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
