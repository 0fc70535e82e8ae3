import { type Attributes, InvalidInputError, type JsonValue, StepFailedError } from '@halyard/contracts';
import { RunSuspended } from '../../../agent/run/suspensions.ts';
import { toJson } from '../../../json/to-json.ts';
import type { StepContext } from '../../definition/step-context.ts';
import type { StepRetries } from '../../definition/step.ts';
import { givenJson } from '../accept-json.ts';
import { BailSignal, ScopeClosedSignal } from '../branches/control.ts';
import { bailPath } from '../run/run-workflow.ts';
import { retryPath } from '../waits/waits.ts';
import { Attempt, type AttemptOutcome } from './attempt.ts';
import type { StepRun } from './step-run.ts';

type Body = (context: StepContext<unknown>) => unknown;

const defaultStepRetries: StepRetries = {
  attempts: 1,
  delayMs: 1_000,
  maxDelayMs: 60_000,
  retryOn: () => true,
};

/**
 * Calls the body of a step until it gives something: again when it was resumed, again after a failure that is worth it. A promise only where
 * there is something to wait for.
 *
 * @throws whatever the last try threw; a ControlSignal.
 */
export function runBody(run: StepRun, data: JsonValue, body: Body): JsonValue | Promise<JsonValue> {
  const wait = hindrance(run);
  if (wait !== undefined) return wait.then(() => runBody(run, data, body));
  const called = tryOnce(run, data, body);
  return called instanceof Promise
    ? called.then((outcome) => settled(run, data, body, outcome))
    : settled(run, data, body, called);
}

function settled(run: StepRun, data: JsonValue, body: Body, outcome: AttemptOutcome): JsonValue | Promise<JsonValue> {
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  if (outcome.kind === 'value') {
    run.executionRun.useHandedOn();
    return givenJson(outcome.value, 'it returned');
  }
  const later = goOn(run, outcome);
  return later === undefined ? runBody(run, data, body) : later.then(() => runBody(run, data, body));
}

function tryOnce(run: StepRun, data: JsonValue, body: Body): AttemptOutcome | Promise<AttemptOutcome> {
  const retryCount = run.executionRun.waits.failuresOf(run.path);
  run.attempts = retryCount + 1;
  return new Attempt(run, data, { retryCount }).call(body, run.step.timeoutMs);
}

/** What follows from a try that gave no value. @throws its error, where that is not worth another try; a ControlSignal. */
function goOn(run: StepRun, outcome: Exclude<AttemptOutcome, { kind: 'value' }>): void | Promise<void> {
  const { executionRun } = run;
  if (outcome.kind !== 'halted' && outcome.kind !== 'error') executionRun.useHandedOn();
  switch (outcome.kind) {
    case 'suspend':
      return suspend(run, outcome);
    case 'bail':
      throw bail(run, outcome.result);
    case 'abort':
      executionRun.cancel(outcome.reason);
      throw new ScopeClosedSignal();
    case 'halted':
      return undefined;
    case 'error':
      if (outcome.error instanceof RunSuspended) return suspendForAgent(run, outcome.error);
      return retryLater(run, run.attempts, outcome.error);
    default:
      return outcome satisfies never;
  }
}

/** Waits until the step may go on. @throws ScopeClosedSignal */
export async function ready(run: StepRun): Promise<void> {
  for (let wait = hindrance(run); wait !== undefined; wait = hindrance(run)) await wait;
}

/** What keeps a step from going on, for now: it waits for somebody or something, or what came before it is not recorded yet. */
function hindrance(run: StepRun): Promise<void> | undefined {
  const { executionRun, path, scope } = run;
  if (scope.isClosed) throw new ScopeClosedSignal();
  if (executionRun.isHalting || executionRun.waits.holds(path, executionRun)) return executionRun.waits.park(run);
  return executionRun.commits.saved();
}

/** Suspends the step for each call that its agent waits for. One answer is enough for the agent to continue. */
async function suspendForAgent(run: StepRun, { suspensions: calls }: RunSuspended): Promise<void> {
  const { executionRun, path: stepPath } = run;
  const paths = calls.map(({ key }) => `${stepPath}#${key}`);
  const { resumptions, suspensions } = executionRun.waits;
  for (const [index, { answerId, data, kind, reason }] of calls.entries()) {
    const path = paths[index];
    if (path === undefined || suspensions.has(path)) continue;
    // An answer may arrive while the agent is still running the other calls.
    const answer = resumptions.get(path);
    if (answer === undefined || answer.suspensionId === answerId)
      executionRun.suspend(run, { path, kind, reason, data });
  }
  if (paths.every((path) => suspensions.has(path))) await executionRun.waits.park(run, paths);
  if (run.scope.isClosed) throw new ScopeClosedSignal();
}

/** Of several steps that bail at a time the first counts: its result is that of the workflow, whichever of them gets there first. */
function bail(run: StepRun, result: JsonValue): BailSignal {
  const { executionRun, execution, path } = run;
  const at = bailPath(execution);
  const earlier = executionRun.journal.get(at);
  if (earlier !== undefined) return new BailSignal(execution.id, at, earlier.output);
  run.recordAt(at, 'bail', result);
  return new BailSignal(execution.id, path, result);
}

async function suspend(
  run: StepRun,
  { data, reason }: { readonly data: JsonValue | undefined; readonly reason: string },
): Promise<void> {
  const accepted = await acceptSuspendData(run, data);
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  run.executionRun.suspend(run, { kind: 'step', reason, data: accepted });
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

/** @throws the error, when it is not worth another try. */
function retryLater(run: StepRun, failed: number, error: unknown): void {
  const { executionRun, execution, path, step } = run;
  const { attempts, delayMs, maxDelayMs, retryOn } = {
    ...defaultStepRetries,
    ...execution.workflow.retries,
    ...step.retries,
  };
  if (failed >= attempts || !retryOn(error)) throw error;
  const wait = Math.min(maxDelayMs, delayMs * 2 ** (failed - 1));
  const shortened = Math.round(wait * (1 - executionRun.options.random() / 2));
  run.tell('step-retry', {
    attempt: failed,
    error: new StepFailedError(run.stepId, { cause: error }).message,
    delayMs: shortened,
  });
  run.span?.addEvent('retry', retryAttributes(failed, shortened, error));
  executionRun.sleep(retryPath(path), executionRun.now() + shortened, failed);
}

function retryAttributes(attempt: number, delayMs: number, error: unknown): Attributes {
  return {
    'halyard.step.attempt': attempt,
    'halyard.retry.delay_ms': delayMs,
    'exception.type': error instanceof Error ? error.constructor.name : typeof error,
    ...(error instanceof Error && { 'exception.message': error.message.slice(0, 4096) }),
  };
}
