import {
  type Execution,
  type ExecutionLog,
  InvalidInputError,
  type JsonObject,
  type JsonValue,
  type Owner,
} from '@halyard/contracts';
import { retryStorage } from './retry-storage.ts';
import type { StepRun } from './step-run.ts';
import { untilReady } from './until-ready.ts';

/** The type of the journal entry that records that an execution continues as a new one. */
export const continuationType = 'continue';

/** The metadata of an execution that names its predecessor. */
export const continuedFrom = 'continuedFrom';

/**
 * Starts the execution that continues this one, once.
 *
 * @returns the result of this one.
 * @throws InvalidInputError in a sub-workflow, and for an input that does not fit.
 */
export async function continueAsNew(run: StepRun, input: JsonValue): Promise<JsonObject> {
  const { context, conversationId, id, metadata, path, user, userId, workflow } = run.execution;
  if (path !== '') throw new InvalidInputError('a sub-workflow cannot continue as a new execution');
  const { services, start } = run.executionRun.options;
  const continuedAs = await run.decide('continued-as', () => services.ids.next());
  // The id is stored before the execution.
  await untilReady(run);
  const options = {
    userId,
    subject: run.executionRun.subject,
    conversationId,
    context,
    user,
    metadata: { ...metadata, [continuedFrom]: id },
    traceParent: run.span?.context,
    isContinuation: true,
  };
  await retryStorage(run, () => start(workflow.id, continuedAs, input, options));
  return { continuedAs };
}

/**
 * Finds the execution as which another one continues. The result of any workflow may look like that
 * of `continueAsNew`, so the new execution must name the old one, too, which no request can.
 */
export async function findContinuation(
  store: Pick<ExecutionLog, 'find'>,
  owner: Owner,
  { id, output, status, workflowId }: Execution,
): Promise<Execution | undefined> {
  if (status !== 'completed' || typeof output !== 'object' || output === null || !('continuedAs' in output))
    return undefined;
  const { continuedAs } = output;
  const next = typeof continuedAs === 'string' ? await store.find(owner, continuedAs) : undefined;
  return next?.workflowId === workflowId && next.metadata[continuedFrom] === id ? next : undefined;
}
