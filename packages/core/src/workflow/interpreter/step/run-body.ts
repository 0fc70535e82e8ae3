import {
  type Attributes,
  cutText,
  InvalidInputError,
  type JsonValue,
  StepFailedError,
  type StoredExpiry,
  SuspensionTimeoutError,
} from '@halyard/contracts';
import { RunSuspended } from '../../../agent/loop/suspensions.ts';
import { toJson } from '../../../json/to-json.ts';
import { loggedRunError } from '../../../model/providers/provider-failure.ts';
import { callPath, decisionPath } from '../../definition/place.ts';
import type { StepContext } from '../../definition/step-context.ts';
import type { StepRetries } from '../../definition/step.ts';
import { acceptJson } from '../../engine/accept-json.ts';
import { BailSignal, ScopeClosedSignal } from '../branches/control-signals.ts';
import type { SuspendOptions } from '../run/execution-run-options.ts';
import { askAgain } from '../waits/ask-again.ts';
import { takeOutsideResumeData } from '../waits/outside-resume-data.ts';
import { Attempt, type AttemptOutcome } from './attempt.ts';
import { continuationType, continueAsNew } from './continue-as-new.ts';
import type { StepRun } from './step-run.ts';
import { isReady, waitForChange } from './until-ready.ts';

type Body = (context: StepContext<unknown>) => unknown;

const defaultStepRetries: StepRetries = {
  attempts: 1,
  delayMs: 1_000,
  maxDelayMs: 60_000,
  retryOn: () => true,
};

/**
 * Calls the body of a step until it returns a value: again after it was resumed or interrupted, and
 * again after a failure that its retries cover.
 *
 * @throws the error of the last attempt; SuspensionTimeoutError; a ControlSignal.
 */
export async function runBody(run: StepRun, data: JsonValue, body: Body): Promise<JsonValue> {
  const { executionRun, path, scope, step } = run;
  for (;;) {
    while (!isReady(run)) await waitForChange(run);
    if (askAgain(run)) continue;
    if (executionRun.waits.resumptions.get(path)?.isTimeout === true) throw new SuspensionTimeoutError(run.stepId);
    const retryCount = executionRun.waits.failuresOf(path);
    run.attempts = retryCount + 1;
    const { outsideResumption } = executionRun.waits;
    const answer = outsideResumption && (await takeOutsideResumeData(run));
    const outcome = await new Attempt(run, data, { retryCount, outsideResumption: answer }).call(body, step.timeoutMs);
    if (scope.isClosed) throw new ScopeClosedSignal();
    if (answer !== undefined && outcome.kind !== 'interrupted' && outcome.kind !== 'error')
      executionRun.waitChanges.consumeOutsideResumption();
    switch (outcome.kind) {
      case 'value':
        return acceptJson(outcome.value, 'it returned');
      case 'suspend':
        await suspend(run, outcome);
        break;
      case 'bail':
        refuseInCompensation(run);
        throw bail(run, outcome.result);
      case 'continue':
        refuseInCompensation(run);
        throw bail(run, await continueAsNew(run, outcome.input), continuationType);
      case 'abort':
        refuseInCompensation(run);
        executionRun.cancel(outcome.reason);
        throw new ScopeClosedSignal();
      case 'interrupted':
        break;
      case 'error':
        if (outcome.error instanceof RunSuspended) await suspendForAgent(run, outcome.error);
        else scheduleRetry(run, outcome.error);
        break;
      default:
        outcome satisfies never;
    }
  }
}

/** The workflow is already ending. @throws InvalidInputError */
function refuseInCompensation({ isCompensation }: StepRun): void {
  if (isCompensation) throw new InvalidInputError('a compensation cannot bail or abort');
}

/**
 * Suspends the step for each waiting call of its agent. One response is enough for the agent to
 * continue.
 */
async function suspendForAgent(run: StepRun, { suspensions: calls }: RunSuspended): Promise<void> {
  const { executionRun, path: stepPath } = run;
  const paths = calls.map(({ key }) => callPath(stepPath, key));
  const { resumptions, suspensions } = executionRun.waits;
  for (const [index, { expiry, resumptionId, data, kind, reason, rules }] of calls.entries()) {
    const path = paths[index];
    if (path === undefined || suspensions.has(path)) continue;
    // A response may arrive while the agent is still running the other calls.
    const answer = resumptions.get(path);
    if (answer === undefined || answer.suspensionId === resumptionId)
      executionRun.waitChanges.suspend(run, { path, kind, reason, data, rules, ...toTimeLimit(expiry) });
  }
  const wakingPaths = paths.flatMap((path) => [path, decisionPath(path, 'timeout')]);
  if (paths.every((path) => suspensions.has(path))) await executionRun.waits.wait(run, wakingPaths);
  if (run.scope.isClosed) throw new ScopeClosedSignal();
}

/**
 * When several steps bail at the same time, the first result counts, whichever of them arrives
 * first.
 */
function bail(run: StepRun, result: JsonValue, type = 'bail'): BailSignal {
  const { execution, executionRun, path } = run;
  const { bailPath } = execution;
  const earlier = executionRun.journal.get(bailPath);
  if (earlier !== undefined) return new BailSignal(execution.id, bailPath, earlier.output);
  run.recordAt(bailPath, type, result);
  return new BailSignal(execution.id, path, result);
}

async function suspend(
  run: StepRun,
  { data, expiry, reason, rules }: Extract<AttemptOutcome, { kind: 'suspend' }>,
): Promise<void> {
  const accepted = await acceptSuspendData(run, data);
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  run.executionRun.waitChanges.suspend(run, { kind: 'step', reason, data: accepted, rules, ...toTimeLimit(expiry) });
}

function toTimeLimit(expiry: StoredExpiry | undefined): Pick<SuspendOptions, 'onExpire' | 'timeoutMs'> {
  return { timeoutMs: expiry?.expiryMs, onExpire: expiry?.onExpire };
}

async function acceptSuspendData(
  { execution, step }: StepRun,
  data: JsonValue | undefined,
): Promise<JsonValue | undefined> {
  const schema = step.suspendSchema ?? execution.workflow.suspendSchema;
  if (schema === undefined || data === undefined) return data;
  const result = await schema.validate(data, 'suspendData');
  if (!result.ok) throw new InvalidInputError(result.message);
  return toJson(result.value);
}

/** @throws the error when it is not retried. */
function scheduleRetry(run: StepRun, error: unknown): void {
  const { attempts: failed, execution, executionRun, path, step } = run;
  const { attempts, delayMs, maxDelayMs, retryOn } = {
    ...defaultStepRetries,
    ...execution.workflow.retries,
    ...step.retries,
  };
  if (failed >= attempts || !retryOn(error)) throw error;
  const longestMs = Math.min(maxDelayMs, delayMs * 2 ** (failed - 1));
  const waitMs = Math.round(longestMs * (1 - executionRun.options.random() / 2));
  const { message } = new StepFailedError(run.stepId, { cause: error });
  run.emit('step-retry', { attempt: failed, error: message, delayMs: waitMs });
  run.span?.addEvent('retry', retryAttributes(failed, waitMs, error), messageAttribute(error));
  run.logger.warn({ ...loggedRunError(error), attempt: failed, delayMs: waitMs }, 'a step failed and is retried');
  executionRun.waitChanges.sleep(decisionPath(path, 'retry'), executionRun.latestNow() + waitMs, failed);
}

function retryAttributes(attempt: number, delayMs: number, error: unknown): Attributes {
  return {
    'halyard.step.attempt': attempt,
    'halyard.retry.delay_ms': delayMs,
    'exception.type': error instanceof Error ? error.constructor.name : typeof error,
  };
}

function messageAttribute(error: unknown): Attributes {
  return error instanceof Error ? { 'exception.message': cutText(error.message, 4096) } : {};
}
