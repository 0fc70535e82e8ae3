import type { JsonValue } from '@halyard/contracts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions } from '../definition/step.ts';
import { acceptJson } from '../runtime/accept-json.ts';
import { askAuthor } from '../runtime/step/ask-author.ts';
import { type StartByStepOptions, startExecution } from '../runtime/step/start-execution.ts';
import type { AnyWorkflow } from '../workflow.ts';

/** Options of a step that starts a workflow with the data as its input. */
export interface StartStepOptions<In> extends StepOptions, StartByStepOptions {
  readonly workflow: AnyWorkflow<In>;
  readonly input?: undefined;
}

/** Options of a step that starts a workflow with an input that a function returns. */
export interface StartInputOptions<In, ChildIn, F extends Flow> extends StepOptions, StartByStepOptions {
  readonly workflow: AnyWorkflow<ChildIn>;
  /** Returns the input of the new execution. */
  readonly input: (context: DataContext<In, F>) => ChildIn | Promise<ChildIn>;
}

/** The output of a step that starts an execution. */
export interface StartedExecution {
  readonly executionId: string;
}

/**
 * Starts another workflow as an execution of its own, and does not wait for it. It runs in any process, has its own journal, and continues when this execution ends. It belongs to
 * the same user and conversation, and has the same context. `andJoin` waits for it.
 */
export function andStart<In, ChildIn, F extends Flow = Flow>(
  options: StartInputOptions<In, ChildIn, F>,
): Step<In, StartedExecution, F>;
export function andStart<In, F extends Flow = Flow>(options: StartStepOptions<In>): Step<In, StartedExecution, F>;
export function andStart<In, ChildIn, F extends Flow>(
  options: StartStepOptions<ChildIn> | StartInputOptions<In, ChildIn, F>,
): Step<In, StartedExecution, F> {
  const { input, metadata, priority, startAfterMs, workflow, ...step } = options;
  return createStep('andStart', step, {
    starts: workflow,
    run: async (run, data) => {
      const chooseInput = async (): Promise<JsonValue> =>
        input === undefined ? data : acceptJson(await askAuthor(run, data, input), 'its input is');
      return { ...(await startExecution(run, workflow, chooseInput, { metadata, priority, startAfterMs })) };
    },
  });
}
