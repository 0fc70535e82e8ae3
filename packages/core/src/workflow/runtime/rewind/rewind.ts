import {
  type Execution,
  type ExecutionStore,
  type Ids,
  InvalidInputError,
  type JsonValue,
  NotSuspendedError,
  type Owner,
} from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { acceptJson } from '../accept-json.ts';
import type { ReplayOptions } from '../runtime-options.ts';
import { withTrace, withoutTrace, type WorkflowTraces } from '../spans/workflow-traces.ts';
import { startEvent } from '../start.ts';
import { acceptResumeData } from '../waits/accept-resume-data.ts';
import { planReplay } from './replay.ts';
import { planRewind } from './rewind-plan.ts';

interface Parts {
  readonly store: ExecutionStore;
  readonly ids: Ids;
  readonly now: () => number;
  readonly traces: WorkflowTraces | undefined;
}

/**
 * Lets an execution go back to a step that it has come to: what was recorded from there on is forgotten.
 *
 * @throws InvalidInputError for a step that it has not come to, or data that does not fit; NotSuspendedError when something else happened first.
 */
export async function rewindExecution(
  { store }: Pick<Parts, 'store'>,
  owner: Owner,
  { execution, workflow }: { readonly execution: Execution; readonly workflow: WorkflowDefinition },
  {
    data,
    resumedBy,
    stepId,
  }: { readonly stepId: string; readonly data: JsonValue; readonly resumedBy: string | undefined },
  at: { readonly resumeData: string; readonly stepId: string },
): Promise<void> {
  const { parentExecutionId, rootExecutionId } = execution;
  const root = parentExecutionId === null ? execution : await store.find(owner, rootExecutionId);
  const plan = planRewind(workflow, execution, await store.journal(owner, rootExecutionId), stepId);
  if (plan === undefined || root === undefined)
    throw new InvalidInputError(`${at.stepId} names no suspended or earlier step: ${stepId}`);
  const { entries, path } = plan;
  // Whoever goes back wants it to go on: a suspension from outside is over with that.
  const held = root.suspensions.filter(({ kind }) => kind === 'request').map((suspension) => suspension.path);
  const paths = [...plan.paths, ...held];
  const accepted =
    data === null ? null : await acceptResumeData(workflow, { kind: 'step', stepId }, data, at.resumeData);
  const resumption = { path, suspensionId: '', data: accepted, ...(resumedBy !== undefined && { resumedBy }) };
  const outcome = await store.rewind(owner, {
    executionId: rootExecutionId,
    expectedSeq: root.seq,
    expectedSignals: root.signals,
    paths,
    entries,
    ...(accepted !== null && { resumption }),
  });
  if (outcome === 'outdated') throw new NotSuspendedError(execution.id);
}

/**
 * Writes a new execution that begins at a step of another one: what was recorded before that step is taken over, with its input, context, state and
 * metadata.
 *
 * @returns its id.
 * @throws InvalidInputError for a step that the other has not come to, or data that does not fit.
 */
export async function createReplay(
  { ids, now, store, traces }: Parts,
  owner: Owner,
  { execution, workflow }: { readonly execution: Execution; readonly workflow: WorkflowDefinition },
  { inputData, resumeData, stepId }: ReplayOptions,
  at: { readonly resumeData: string; readonly stepId: string },
): Promise<string> {
  const plan = planReplay(workflow, execution, await store.journal(owner, execution.rootExecutionId), {
    stepId,
    inputData: inputData === undefined ? undefined : acceptJson(inputData, 'inputData is'),
  });
  if (plan === undefined)
    throw new InvalidInputError(`${at.stepId} names no step that the execution has come to: ${stepId}`);
  const data =
    resumeData === undefined
      ? undefined
      : await acceptResumeData(
          workflow,
          { kind: 'step', stepId },
          acceptJson(resumeData, `${at.resumeData} is`),
          at.resumeData,
        );
  const id = ids.next();
  const { context, conversationId, metadata, user, userId, workflowName, workflowState } = execution;
  const { input } = plan;
  const replay = { id, workflowId: workflow.id, workflowName, input, userId, conversationId };
  const begun = traces?.startReplay(replay, execution);
  const written = store.create(
    {
      ...replay,
      context,
      workflowState,
      metadata: withTrace({ ...withoutTrace(metadata), replayedFrom: execution.id }, begun),
      user,
      events: [startEvent(workflow.id, input, now())],
    },
    {
      requestId: ids.next(),
      journal: plan.journal,
      ...(data !== undefined && { resumptions: [{ path: plan.path, suspensionId: '', data }] }),
    },
  );
  try {
    await written;
  } catch (error) {
    begun?.span.end({ error });
    throw error;
  }
  if (begun !== undefined) traces?.addPending(id, begun);
  return id;
}
