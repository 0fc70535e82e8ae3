import { InvalidInputError, type JournalEntry, type JsonValue, StepFailedError } from '@halyard/contracts';
import { copyJson, toJson } from '../../../json/to-json.ts';
import type { CompiledSchema } from '../../../schema/compile-schema.ts';
import { BailSignal, ControlSignal, ScopeClosedSignal } from '../branches/control-signals.ts';
import { keepCause } from './failure-cause.ts';
import type { StepRun } from './step-run.ts';

/**
 * Runs a step, or returns its recorded output.
 *
 * @throws StepFailedError naming the innermost step that failed; a ControlSignal.
 */
export async function runStep(run: StepRun, data: JsonValue): Promise<JsonValue> {
  const { executionRun, path, scope, step } = run;
  if (scope.isClosed) throw new ScopeClosedSignal();
  const entry = executionRun.journal.get(path);
  if (entry !== undefined) return recordedOutput(run, entry, data);
  const { spans } = executionRun;
  const { hooks } = run.execution.workflow;
  spans?.startStep(run, data);
  try {
    if (run.start(data) && hooks.onStepStart !== undefined) await run.callStartHook();
    const input = step.input === undefined ? data : keepCause(data, await accept(step.input, data, 'input'));
    const output = await step.run(run, input);
    if (scope.isClosed) throw new ScopeClosedSignal();
    const accepted = step.output === undefined ? output : await accept(step.output, output, 'output');
    if (accepted !== data) run.checkSize(accepted, 'its output');
    run.finish(accepted);
    if (hooks.onStepEnd !== undefined) await run.callEndHook({ status: run.status, output: copyJson(accepted) });
    spans?.stepSucceeded(run, accepted);
    return accepted;
  } catch (error) {
    if (scope.isClosed) {
      spans?.stepLeft(run, 'dropped');
      throw new ScopeClosedSignal();
    }
    if (error instanceof BailSignal && error.path === path) {
      run.finish(error.result);
      await run.callEndHook({ status: run.status, output: copyJson(error.result) });
    }
    if (error instanceof ControlSignal) {
      spans?.stepLeft(run, 'bailed');
      throw error;
    }
    return failStep(run, error, data);
  }
}

/** @throws InvalidInputError */
async function accept(schema: CompiledSchema<unknown>, value: JsonValue, at: 'input' | 'output'): Promise<JsonValue> {
  const result = await schema.validate(value, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value === value ? value : toJson(result.value);
}

async function failStep(run: StepRun, cause: unknown, data: JsonValue): Promise<JsonValue> {
  const failure = cause instanceof StepFailedError ? cause : new StepFailedError(run.stepId, { cause });
  run.finishFailed(failure);
  await run.callEndHook({ status: 'error', error: failure });
  run.executionRun.spans?.stepFailed(run, cause);
  if (run.step.outputOnError === undefined) throw failure;
  run.logger.warn({ err: failure }, 'a step failed, and its workflow continues');
  return run.step.outputOnError(data);
}

function recordedOutput(
  { step, stepId }: StepRun,
  { error, output, status }: JournalEntry,
  data: JsonValue,
): JsonValue {
  if (status !== 'error') return output;
  if (step.outputOnError !== undefined) return step.outputOnError(data);
  throw new StepFailedError(
    error?.stepId ?? stepId,
    error === undefined ? {} : { message: error.message, causeCode: error.code },
  );
}
