import { InvalidInputError, isExternalId, type JsonObject, type JsonValue } from '@halyard/contracts';
import { records } from '../../definition/place.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { BeginOptions, StartOptions } from '../../engine/runtime-options.ts';
import { retryStorage } from './retry-storage.ts';
import type { StepRun } from './step-run.ts';
import { untilReady } from './until-ready.ts';

/** The metadata of an execution that names the execution whose step started it. */
export const startedBy = 'startedBy';

/** A step's options for an execution that it starts. */
export interface StartByStepOptions extends Pick<StartOptions, 'metadata' | 'priority' | 'startAfterMs'> {
  /**
   * The owner of the new execution: 1 to 256 characters, none of them a control character. Default:
   * the user of this execution, if it has one. Only code chooses it, so it is trusted like the app.
   * For another user, the new execution has no conversation, no verified `user` and a trace of its
   * own, and a `userId` in the context is replaced.
   */
  readonly userId?: string | undefined;
}

/**
 * Starts an execution of its own for the same user and conversation, with the same context, or for
 * another user. It is started once, however often the step is repeated.
 *
 * @throws InvalidInputError
 */
export async function startExecution(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
  {
    chooseUser,
    metadata,
    priority,
    startAfterMs,
  }: Omit<StartByStepOptions, 'userId'> & { readonly chooseUser: () => Promise<string | undefined> },
): Promise<{ readonly executionId: string }> {
  const { id } = run.execution;
  const { services, start } = run.executionRun.options;
  const executionId = await run.decide('started', () => services.ids.next());
  // The id is stored before the execution.
  await untilReady(run);
  const input = await chooseInput();
  const options = {
    ...startedFor(run, await chooseUser()),
    priority,
    startAfterMs,
    metadata: { ...metadata, [startedBy]: id },
  };
  await retryStorage(run, () => start(workflow.id, executionId, input, options));
  return { executionId };
}

/** The owner of the new execution, with the fields of that user. @throws InvalidInputError */
function startedFor(
  { execution, executionRun: { subject }, span }: StepRun,
  chosen: string | undefined,
): Pick<BeginOptions, 'context' | 'conversationId' | 'subject' | 'traceParent' | 'user' | 'userId'> {
  const { context, conversationId, user, userId } = execution;
  if (chosen === undefined || chosen === userId)
    return { context, conversationId, subject, user, userId, traceParent: span?.context };
  if (typeof chosen !== 'string' || !isExternalId(chosen))
    throw new InvalidInputError('userId must be a text of 1 to 256 characters without control characters');
  // Each user of a trace can read all of it, and who knows its id can join it: so there is no link
  // either.
  return { context: toContext(chosen, context), userId: chosen, traceParent: null };
}

function toContext(userId: string, context: JsonObject): JsonObject {
  return Object.hasOwn(context, 'userId') ? { ...context, userId } : context;
}

/**
 * The ids of the executions that steps of this execution and its sub-workflows have started, by its
 * journal.
 */
export function startedExecutions({ executionRun }: StepRun): ReadonlySet<JsonValue> {
  return new Set(
    [...executionRun.journal.values()].filter((entry) => records(entry, 'started')).map(({ output }) => output),
  );
}
