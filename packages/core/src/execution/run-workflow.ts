import { InvalidInputError, type JsonValue, StepFailedError } from '@halyard/contracts';
import { toJson } from '../json/to-json.ts';
import type { Activation } from './activation.ts';
import { BailSignal } from './control.ts';
import type { LiveExecution } from './live-execution.ts';
import { runStep } from './run-step.ts';
import type { Scope } from './scope.ts';
import { StepRun } from './step-run.ts';

/**
 * Runs the steps of a workflow one after the other, those that are recorded from their records.
 *
 * @returns its result, as its schema has it.
 */
export async function runWorkflow(activation: Activation, execution: LiveExecution, scope: Scope): Promise<JsonValue> {
  return acceptResult(execution, await runSteps(activation, execution, scope));
}

/** Where it is recorded that a step ended its workflow. */
export function bailPath({ path }: LiveExecution): string {
  return `${path}#bail`;
}

async function runSteps(activation: Activation, execution: LiveExecution, scope: Scope): Promise<JsonValue> {
  const bailed = activation.journal.get(bailPath(execution));
  if (bailed !== undefined) {
    activation.closeBelow(execution.path, scope.open());
    return bailed.output;
  }
  let data = execution.input;
  let stepIndex = 0;
  try {
    const { steps } = execution.workflow;
    for (let step = steps[0]; step !== undefined; step = steps[stepIndex]) {
      const place = { path: execution.pathOf(step.id), items: '', stepIndex };
      data = await runStep(new StepRun({ activation, execution, span: execution.span }, scope, step, place), data);
      stepIndex += 1;
    }
    return data;
  } catch (error) {
    if (error instanceof BailSignal && error.executionId === execution.id) return error.result;
    throw error;
  }
}

async function acceptResult({ workflow }: LiveExecution, result: JsonValue): Promise<JsonValue> {
  if (workflow.result === undefined) return result;
  const checked = workflow.result.validate(result, 'result');
  const accepted = checked instanceof Promise ? await checked : checked;
  if (!accepted.ok)
    throw new StepFailedError(workflow.steps.at(-1)?.id ?? workflow.id, {
      cause: new InvalidInputError(accepted.message),
    });
  return accepted.value === result ? result : toJson(accepted.value);
}
