import {
  InvalidInputError,
  type JsonObject,
  type JsonValue,
  type Logger,
  type Resumption,
  type StoredApprovalRules,
  type StoredExpiry,
  TimeLimitError,
  type User,
} from '@halyard/contracts';
import { acceptExpiry, acceptRules } from '../../../agent/approvals/expiry-rules.ts';
import { outsideTools } from '../../../agent/loop/nested-runs.ts';
import { longestTimerMs } from '../../../async/longest-timer.ts';
import { copyJson } from '../../../json/to-json.ts';
import { runInWorkflow } from '../../../telemetry/active-workflow.ts';
import { ownPlace } from '../../definition/place.ts';
import type {
  ExecutionInfo,
  StepContext,
  StepData,
  StepWriter,
  SuspensionOptions,
} from '../../definition/step-context.ts';
import { findStepPath } from '../../definition/step-index.ts';
import { acceptJson } from '../../engine/accept-json.ts';
import { ExitSignal } from '../branches/control-signals.ts';
import type { Scope } from '../branches/scope.ts';
import { copyWithCause } from './failure-cause.ts';
import type { StepRun } from './step-run.ts';

/** The outcome of one call of a body. */
export type AttemptOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  /**
   * It threw after it was interrupted: that does not count as a failure, and it is called again
   * later.
   */
  | { readonly kind: 'interrupted' }
  | Exit;

/** A body left by `suspend`, `bail`, `continueAsNew` or `abort`. */
type Exit =
  | {
      readonly kind: 'suspend';
      readonly reason: string;
      readonly data: JsonValue | undefined;
      readonly expiry: StoredExpiry | undefined;
      readonly rules: StoredApprovalRules | undefined;
    }
  | { readonly kind: 'bail'; readonly result: JsonValue }
  | { readonly kind: 'continue'; readonly input: JsonValue }
  | { readonly kind: 'abort'; readonly reason: string };

interface AttemptOptions {
  /** Whether it may be interrupted and called again later; default true. */
  readonly canBeInterrupted?: boolean | undefined;
  readonly retryCount?: number | undefined;
  /** The resume data of a suspension from outside, if it is for this step. */
  readonly outsideResumption?: Resumption | undefined;
}

/**
 * One call of a body, and the context that the body receives. Values are copied when they are first
 * read, so the body can change them without effect elsewhere. After the attempt has ended, calls of
 * its context have no effect.
 */
export class Attempt implements StepContext<unknown> {
  readonly scope: Scope;
  readonly retryCount: number;
  readonly #run: StepRun;
  readonly #canBeInterrupted: boolean;
  readonly #outsideResumption: Resumption | undefined;
  #controller: AbortController | undefined;
  #data: { readonly copy: unknown } | undefined;
  readonly #originalData: JsonValue;
  #isInterrupted = false;
  #hasEnded = false;
  #exit: Exit | undefined;

  constructor(
    run: StepRun,
    data: JsonValue,
    { canBeInterrupted = true, outsideResumption, retryCount = 0 }: AttemptOptions = {},
  ) {
    this.scope = run.scope;
    this.retryCount = retryCount;
    this.#run = run;
    this.#canBeInterrupted = canBeInterrupted;
    this.#outsideResumption = outsideResumption;
    this.#originalData = data;
  }

  /**
   * Calls the body. Never rejects. A call of `suspend`, `bail`, `continueAsNew` or `abort` decides
   * the outcome, whatever the body does after it.
   */
  async call(body: (context: StepContext<unknown>) => unknown, limitMs: number | undefined): Promise<AttemptOutcome> {
    const { execution, executionRun, span } = this.#run;
    executionRun.attempts.add(this);
    try {
      const work = outsideTools(() =>
        span === undefined ? body(this) : span.run(() => runInWorkflow(execution.workflow.id, () => body(this))),
      );
      const value = await (limitMs === undefined ? work : this.#within(limitMs, work));
      return this.#exit ?? { kind: 'value', value };
    } catch (error) {
      return this.#exit ?? (this.#isInterrupted ? { kind: 'interrupted' } : { kind: 'error', error });
    } finally {
      this.#hasEnded = true;
      executionRun.attempts.delete(this);
    }
  }

  /** Its result is no longer needed. */
  cancel(reason: unknown): void {
    this.#hasEnded = true;
    this.#abortController.abort(reason);
  }

  /** Asks the body to end soon. If it still returns a value, that counts. */
  interrupt(reason: string): void {
    if (!this.#canBeInterrupted) return;
    this.#isInterrupted = true;
    this.#abortController.abort(new DOMException(reason, 'AbortError'));
  }

  get data(): unknown {
    this.#data ??= { copy: copyWithCause(this.#originalData) };
    return this.#data.copy;
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
    const own = this.#run.executionRun.waits.resumptions.get(this.#run.path);
    if (own !== undefined) return copyJson(own.data);
    // After a suspension from outside no data is expected: null counts as none.
    return copyJson(this.#outsideResumption?.data ?? undefined);
  }

  get resumedBy(): string | undefined {
    return (this.#run.executionRun.waits.resumptions.get(this.#run.path) ?? this.#outsideResumption)?.resumedBy;
  }

  get signal(): AbortSignal {
    return this.#abortController.signal;
  }

  get writer(): StepWriter {
    return { write: (event) => this.#writeEvent(event) };
  }

  // Functions are own properties, so that a spread of the context copies them.
  readonly getStepData = (instance: string): StepData | undefined => {
    const { execution, executionRun, path } = this.#run;
    const own = findStepPath(execution.workflow.index, instance, ownPlace(path, execution.path));
    if (own === undefined) return undefined;
    const tooOld = executionRun.rounds.tooOld(execution.pathOf(own), path);
    if (tooOld !== undefined)
      throw new InvalidInputError(
        `getStepData("${instance}") asks for round ${tooOld.round} of a loop, but steps of a loop can only be read in the same round, in the next one, and, of the last two rounds, outside of the loop. Pass older values on in the data of the loop or in workflowState`,
      );
    const entry = executionRun.journal.get(execution.pathOf(own));
    if (entry === undefined) return undefined;
    const { error, output, status } = entry;
    return status === 'error'
      ? { status, output: null, error: { message: error?.message ?? '' } }
      : { status, output: copyJson(output) };
  };

  readonly setWorkflowState = (patch: object | ((state: object) => object)): void => {
    if (this.#isStale) return;
    const fields = acceptJson(typeof patch === 'function' ? patch(this.workflowState) : patch, 'it set the state to');
    if (!isJsonObject(fields)) throw new InvalidInputError('setWorkflowState takes an object');
    this.#run.setState(fields);
  };

  readonly suspend = (reason: string, data?: unknown, options: SuspensionOptions = {}): never => {
    const [rules, expiry] = [acceptRules(options, this.user), acceptExpiry(options, this.user)];
    return this.#leave(() => ({
      kind: 'suspend',
      reason,
      data: data === undefined ? undefined : this.#accept(data, 'it suspended with'),
      expiry,
      rules,
    }));
  };

  readonly bail = (result?: unknown): never =>
    this.#leave(() => ({ kind: 'bail', result: this.#accept(result, 'it bailed with') }));

  readonly continueAsNew = (input: unknown): never =>
    this.#leave(() => ({ kind: 'continue', input: this.#accept(input, 'it continues with') }));

  readonly abort = (reason = 'aborted by a step'): never => this.#leave(() => ({ kind: 'abort', reason }));

  /** Created on first use: most bodies neither read their signal nor are stopped. */
  get #abortController(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }

  get #isStale(): boolean {
    return this.#hasEnded || this.scope.isClosed;
  }

  #writeEvent(event: Parameters<StepWriter['write']>[0]): void {
    const fields = this.#accept(event, 'it wrote an event with');
    if (!isJsonObject(fields) || typeof event.type !== 'string' || !event.type.startsWith('custom-'))
      throw new InvalidInputError('The type of an event that a step writes must start with "custom-"');
    if (!this.#isStale) this.#run.emit(event.type, fields);
  }

  #accept(value: unknown, subject: string): JsonValue {
    const json = acceptJson(value, subject);
    this.#run.checkSize(json, `${subject} a value that`);
    return json;
  }

  /** The first exit counts. */
  #leave(exit: () => Exit): never {
    this.#exit ??= exit();
    throw new ExitSignal('the step has left its body; do not catch this error');
  }

  async #within(limitMs: number, work: unknown): Promise<unknown> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => {
        const error = new TimeLimitError(`Step "${this.#run.stepId}"`, limitMs, 'STEP_TIMED_OUT');
        this.cancel(error);
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

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
