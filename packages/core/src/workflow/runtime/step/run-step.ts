import {
  type ExecutionError,
  InvalidInputError,
  type JournalEntry,
  type JsonValue,
  StepFailedError,
} from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import type { CompiledSchema } from '../../../schema/compile-schema.ts';
import { BailSignal, ControlSignal, ScopeClosedSignal } from '../branches/control.ts';
import type { StepRun } from './step-run.ts';

/**
 * Runs a step, or reads what it gave if that is recorded.
 *
 * @throws StepFailedError naming the innermost step that failed; a ControlSignal.
 */
export async function runStep(run: StepRun, data: JsonValue): Promise<JsonValue> {
  const { executionRun, path, scope, step } = run;
  if (scope.isClosed) throw new ScopeClosedSignal();
  const entry = executionRun.journal.get(path);
  if (entry !== undefined) return recordedOutput(run, entry, data);
  const { spans } = executionRun;
  spans?.beginStep(run, data);
  try {
    const told = run.start(data);
    if (told !== undefined) await told;
    const input = step.input === undefined ? data : await accept(step.input, data, 'input');
    const given = step.run(run, input);
    const output = given instanceof Promise ? await given : given;
    if (scope.isClosed) throw new ScopeClosedSignal();
    const accepted = step.output === undefined ? output : await accept(step.output, output, 'output');
    const ended = run.finish(accepted);
    if (ended !== undefined) await ended;
    spans?.stepSucceeded(run, accepted);
    return accepted;
  } catch (error) {
    if (scope.isClosed) {
      spans?.stepLeft(run, 'dropped');
      throw new ScopeClosedSignal();
    }
    if (error instanceof BailSignal && error.path === path) await run.finish(error.result);
    if (error instanceof ControlSignal) {
      spans?.stepLeft(run, 'bailed');
      throw error;
    }
    return failed(run, error, data);
  }
}

/** @throws InvalidInputError */
async function accept(schema: CompiledSchema<unknown>, value: JsonValue, at: string): Promise<JsonValue> {
  const result = await schema.validate(value, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value === value ? value : toJson(result.value);
}

async function failed(run: StepRun, cause: unknown, data: JsonValue): Promise<JsonValue> {
  const failure = cause instanceof StepFailedError ? cause : new StepFailedError(run.stepId, { cause });
  await run.finishFailed(failure);
  run.executionRun.spans?.stepFailed(run, cause);
  if (run.step.inSpiteOf === undefined) throw failure;
  logSurvived(run, failure);
  return run.step.inSpiteOf(data);
}

function recordedOutput(
  { step, stepId }: StepRun,
  { error, output, status }: JournalEntry,
  data: JsonValue,
): JsonValue {
  if (status !== 'error') return output;
  if (step.inSpiteOf !== undefined) return step.inSpiteOf(data);
  throw recordedFailure(stepId, error);
}

function recordedFailure(stepId: string, error: ExecutionError | undefined): StepFailedError {
  return new StepFailedError(error?.stepId ?? stepId, error === undefined ? {} : { message: error.message });
}

function logSurvived({ logger }: StepRun, failure: StepFailedError): void {
  logger.warn({ err: failure }, 'a step failed that its workflow does without');
}
