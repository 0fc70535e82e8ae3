import { InvalidInputError, type JsonValue, StepFailedError } from '@halyard/contracts';
import { toJson } from '../../json/to-json.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';
import { runSubWorkflow } from '../interpreter/step/run-sub-workflow.ts';
import type { AnyWorkflow } from '../workflow.ts';

/** Options of a sub-workflow whose input is the data. */
export interface WorkflowStepOptions<In, Out, Id extends string = string> extends StepOptions<Id> {
  readonly workflow: AnyWorkflow<In, Out>;
  readonly input?: undefined;
}

/** Options of a sub-workflow whose input a function returns. */
export interface WorkflowInputOptions<
  In,
  ChildIn,
  Out,
  F extends Flow,
  Id extends string = string,
> extends StepOptions<Id> {
  readonly workflow: AnyWorkflow<ChildIn, Out>;
  /** Returns the input of the sub-workflow. Called once. */
  readonly input: (context: DataContext<In, F>) => ChildIn | Promise<ChildIn>;
}

/**
 * Runs another workflow as a separate execution that is linked to this one. The output is its
 * result. While it is suspended, this execution is too; if it fails, this step fails.
 */
export function andWorkflow<In, ChildIn, Out, F extends Flow = Flow, Id extends string = string>(
  options: WorkflowInputOptions<In, ChildIn, Out, F, Id>,
): Step<In, Out, F, StepOutput<Id, Out>>;
export function andWorkflow<In, Out, F extends Flow = Flow, Id extends string = string>(
  options: WorkflowStepOptions<In, Out, Id>,
): Step<In, Out, F, StepOutput<Id, Out>>;
export function andWorkflow<In, ChildIn, Out, F extends Flow, Id extends string>(
  options: WorkflowStepOptions<ChildIn, Out, Id> | WorkflowInputOptions<In, ChildIn, Out, F, Id>,
): Step<In, Out, F, StepOutput<Id, Out>> {
  // The input of this step is a function; that of other steps is a schema.
  const { input, workflow, ...step } = options;
  return createStep('andWorkflow', step, {
    workflow,
    run: (run, data) =>
      runSubWorkflow(run, workflow, async () =>
        acceptInput(
          workflow,
          input === undefined ? data : acceptJson(await askAuthor(run, data, input), 'its input is'),
          run.stepId,
        ),
      ),
  });
}

async function acceptInput(workflow: AnyWorkflow, input: JsonValue, stepId: string): Promise<JsonValue> {
  const result = await workflow.input?.validate(input, 'input');
  if (result === undefined) return input;
  if (!result.ok) throw new StepFailedError(stepId, { cause: new InvalidInputError(result.message) });
  return result.value === input ? input : toJson(result.value);
}
