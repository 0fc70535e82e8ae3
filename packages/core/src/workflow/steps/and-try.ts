import { ConfigurationError, type JsonValue, StepFailedError } from '@halyard/contracts';
import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import type { Flow } from '../definition/step-context.ts';
import type { AnyStep, Step, StepOptions, StepOutput } from '../definition/step.ts';
import { ControlSignal } from '../interpreter/branches/control-signals.ts';
import { noteCause } from '../interpreter/step/failure-cause.ts';
import type { StepRun } from '../interpreter/step/step-run.ts';

/** The error that a body threw. */
export interface FailureCause {
  /** Of the error, such as `TypeError`. */
  readonly name: string;
  /** Of the error, as it is: it may be the text of a driver or provider. */
  readonly message: string;
  /** The code of the error, if it is a string, such as `ECONNREFUSED`. */
  readonly code?: string;
}

/** The data of the `catch` step. */
export interface TryFailure<In> {
  /** The data of the failed step. */
  readonly data: In;
  readonly error: {
    /**
     * The recorded message: clients can read it too, so it has no texts of drivers or providers.
     */
    readonly message: string;
    /** The step instance that failed: `step` itself, or one inside it. */
    readonly stepId: string;
    /**
     * Why it failed, as in docs/errors.md: `STEP_TIMED_OUT`, `SUSPENSION_TIMED_OUT`,
     * `TIME_LIMIT_EXCEEDED`, `MODEL_FAILED`, `INVALID_INPUT`, or the code of another
     * `HalyardError`; `STEP_FAILED` for every other error. Recorded like the message.
     */
    readonly code: string;
    /**
     * The thrown error, as long as the run goes on in which the step failed. Missing in a run that
     * continues an execution: after a wait, a restart or a takeover. It is not recorded, and not
     * enumerable. So use it for logs only, and `code` for decisions.
     */
    readonly cause?: FailureCause;
  };
}

export interface TryOptions<
  In,
  Out,
  Caught,
  F extends Flow,
  Id extends string = string,
  Inner extends object = {},
  CaughtInner extends object = {},
> extends StepOptions<Id> {
  readonly step: Step<In, Out, F, Inner>;
  /**
   * Runs when `step` has failed for good, after its retries. Its output replaces that of `step`.
   */
  readonly catch?: Step<TryFailure<In>, Caught, F, CaughtInner> | undefined;
  /**
   * Runs last, with the same data as `step`, whether the others succeeded or failed. Its output is
   * not used; its failure fails this step.
   */
  readonly finally?: Step<In, unknown, F> | undefined;
}

/**
 * Handles the failure of a step, like `try`, `catch` and `finally`. Neither `catch` nor `finally`
 * runs when the workflow ends early: by `bail`, `abort`, a cancellation or its time limit.
 */
export function andTry<
  In,
  Out,
  Caught = never,
  F extends Flow = Flow,
  Id extends string = string,
  Inner extends object = {},
  CaughtInner extends object = {},
>(
  options: TryOptions<In, Out, Caught, F, Id, Inner, CaughtInner>,
): Step<In, Out | Caught, F, Inner & CaughtInner & StepOutput<Id, Out | Caught>> {
  checkStepOptions('andTry', options);
  const { step, catch: onFailure, finally: last } = options;
  if (onFailure === undefined && last === undefined)
    throw new ConfigurationError(`Step "${options.id}" (andTry) needs \`catch\` or \`finally\``);
  return createStep('andTry', options, {
    steps: [step, onFailure, last].filter((one) => one !== undefined),
    roles: {
      ...(onFailure !== undefined && { [onFailure.id]: 'catch' }),
      ...(last !== undefined && { [last.id]: 'finally' }),
    },
    run: async (run, data) => {
      let output: JsonValue;
      try {
        output = await runOrCatch(run, data, step, onFailure);
      } catch (error) {
        if (!(error instanceof ControlSignal) && last !== undefined) await run.inner(last, data);
        throw error;
      }
      if (last !== undefined) await run.inner(last, data);
      return output;
    },
  });
}

async function runOrCatch(
  run: StepRun,
  data: JsonValue,
  step: AnyStep,
  onFailure: AnyStep | undefined,
): Promise<JsonValue> {
  try {
    return await run.inner(step, data);
  } catch (error) {
    if (onFailure === undefined || !(error instanceof StepFailedError)) throw error;
    const { causeCode: code, message, stepId } = error;
    const failure = { data, error: { message, stepId, code } };
    noteCause(failure, error);
    return run.inner(onFailure, failure);
  }
}
