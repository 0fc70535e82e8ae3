import { ConfigurationError, isExternalId, type JsonValue } from '@halyard/contracts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';
import { type StartByStepOptions, startExecution } from '../interpreter/step/start-execution.ts';
import type { AnyWorkflow } from '../workflow.ts';

/** The step's choices besides the input. */
interface StartOptionsOfStep<In, F extends Flow, Id extends string>
  extends StepOptions<Id>, Omit<StartByStepOptions, 'userId'> {
  /**
   * The owner of the new execution, or a function that returns it: {@link
   * StartByStepOptions.userId}. Default: the user of this execution.
   */
  readonly userId?: string | ((context: DataContext<In, F>) => string | Promise<string>);
}

/** Options of a step that starts a workflow with the data as its input. */
export interface StartStepOptions<In, F extends Flow = Flow, Id extends string = string> extends StartOptionsOfStep<
  In,
  F,
  Id
> {
  readonly workflow: AnyWorkflow<In>;
  readonly input?: undefined;
}

/** Options of a step that starts a workflow with an input that a function returns. */
export interface StartInputOptions<In, ChildIn, F extends Flow, Id extends string = string> extends StartOptionsOfStep<
  In,
  F,
  Id
> {
  readonly workflow: AnyWorkflow<ChildIn>;
  /** Returns the input of the new execution. */
  readonly input: (context: DataContext<In, F>) => ChildIn | Promise<ChildIn>;
}

/** The output of a step that starts an execution. */
export interface StartedExecution {
  readonly executionId: string;
}

/**
 * Starts another workflow as an execution of its own, and does not wait for it. It runs in any
 * process, has its own journal, and continues when this execution ends. It belongs to the same user
 * and conversation and has the same context, unless `userId` chooses another user. `andJoin` waits
 * for it.
 *
 * @throws ConfigurationError for a `userId` that cannot be the id of a user.
 */
export function andStart<In, ChildIn, F extends Flow = Flow, Id extends string = string>(
  options: StartInputOptions<In, ChildIn, F, Id>,
): Step<In, StartedExecution, F, StepOutput<Id, StartedExecution>>;
export function andStart<In, F extends Flow = Flow, Id extends string = string>(
  options: StartStepOptions<In, F, Id>,
): Step<In, StartedExecution, F, StepOutput<Id, StartedExecution>>;
export function andStart<In, ChildIn, F extends Flow, Id extends string>(
  options: StartStepOptions<In & ChildIn, F, Id> | StartInputOptions<In, ChildIn, F, Id>,
): Step<In, StartedExecution, F, StepOutput<Id, StartedExecution>> {
  const { input, metadata, priority, startAfterMs, userId, workflow, ...step } = options;
  if (userId !== undefined && typeof userId !== 'function' && !(typeof userId === 'string' && isExternalId(userId)))
    throw new ConfigurationError(
      `userId of step "${step.id}" (andStart) must have 1 to 256 characters and no control characters`,
    );
  return createStep('andStart', step, {
    starts: workflow,
    run: async (run, data) => {
      const chooseInput = async (): Promise<JsonValue> =>
        input === undefined ? data : acceptJson(await askAuthor(run, data, input), 'its input is');
      const chooseUser = async (): Promise<string | undefined> =>
        typeof userId === 'function' ? askAuthor(run, data, userId) : userId;
      const chosen = { chooseUser, metadata, priority, startAfterMs };
      return { ...(await startExecution(run, workflow, chooseInput, chosen)) };
    },
  });
}
