import type { JsonValue } from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { StartOptions } from '../runtime-options.ts';
import { retryStorage } from './retry-storage.ts';
import type { StepRun } from './step-run.ts';
import { untilReady } from './until-ready.ts';

/** The metadata of an execution that names the execution whose step started it. */
export const startedBy = 'startedBy';

/** What a step chooses for an execution that it starts. */
export type StartByStepOptions = Pick<StartOptions, 'metadata' | 'priority' | 'startAfterMs'>;

/**
 * Starts an execution of its own for the same user and conversation, with the same context. It is started once, however often the step is repeated.
 *
 * @throws InvalidInputError
 */
export async function startExecution(
  run: StepRun,
  workflow: WorkflowDefinition,
  chooseInput: () => Promise<JsonValue>,
  { metadata, priority, startAfterMs }: StartByStepOptions,
): Promise<{ readonly executionId: string }> {
  const { context, conversationId, id, user, userId } = run.execution;
  const { services, start } = run.executionRun.options;
  const executionId = await run.decide('started', () => services.ids.next());
  // The id is stored before the execution.
  await untilReady(run);
  const input = await chooseInput();
  const options = {
    userId,
    conversationId,
    context,
    user,
    priority,
    startAfterMs,
    metadata: { ...metadata, [startedBy]: id },
    traceParent: run.span?.context,
  };
  await retryStorage(run, () => start(workflow.id, executionId, input, options));
  return { executionId };
}
