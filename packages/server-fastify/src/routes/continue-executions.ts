import {
  type Execution,
  InvalidInputError,
  isHalyardError,
  type Owner,
  type SpanContext,
  type Suspension,
} from '@halyard/contracts';
import {
  type Agent,
  type AgentInput,
  type ExecutionAnswer,
  executionAnswers,
  type ResumeOptions,
  type RunOptions,
} from '@halyard/core';
import type { Caller } from '../access/caller.ts';
import { subjectOf } from '../access/identity.ts';
import { ownerOf } from '../access/owner.ts';
import type { Services } from '../define/services.ts';
import { AnsweredStep } from '../streaming/answered-step.ts';
import { ContinuedRun } from '../streaming/continued-run.ts';

/** An answer, and what it is for. */
interface Place {
  readonly answer: ExecutionAnswer;
  readonly root: Execution;
  readonly suspension: Suspension;
}

/**
 * Hands the answers to approvals at the end of the messages to the executions whose agents asked, and follows what these agents do then. Nothing is answered
 * before all answers are known to be good.
 *
 * @returns undefined where the messages are for the agent itself.
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for an answer that is forged, expired, used before, or that nobody waits for any more.
 */
export async function continueExecutions(
  agent: Agent,
  input: AgentInput,
  { conversationId, user, userId }: RunOptions,
  { caller, traceParent }: { readonly caller: Caller; readonly traceParent: SpanContext | undefined },
  services: Pick<Services, 'run' | 'storage' | 'workflows'>,
): Promise<ContinuedRun | undefined> {
  const answers = await executionAnswers(input, agent, services.run, { userId, conversationId, user });
  if (answers.length === 0) return undefined;

  const owner = ownerOf(caller);
  const places = await Promise.all(answers.map((answer) => findPlace(answer, owner, services)));
  const steps: AnsweredStep[] = [];
  try {
    for (const place of onePerStep(places)) steps.push(await followStep(place, owner, services));
    for (const place of places) await resume(place, { owner, resumedBy: subjectOf(caller), traceParent }, services);
  } catch (error) {
    for (const step of steps) step.cancel();
    throw error;
  }
  return new ContinuedRun(steps);
}

async function findPlace(
  answer: ExecutionAnswer,
  owner: Owner,
  { storage }: Pick<Services, 'storage'>,
): Promise<Place> {
  const root = await storage.executions.find(owner, answer.executionId);
  const suspension = root?.suspensions.find(
    ({ data, path }) => path === answer.path && approvalIdIn(data) === answer.approvalId,
  );
  if (root === undefined || suspension === undefined) throw notAwaited(answer);
  return { answer, root, suspension };
}

function approvalIdIn(data: Suspension['data']): unknown {
  return typeof data === 'object' && data !== null && 'approvalId' in data ? data.approvalId : undefined;
}

/** Of several answers to one step, one: it goes on with all of them. */
function onePerStep(places: readonly Place[]): readonly Place[] {
  const steps = new Map<string, Place>();
  for (const place of places) {
    const { executionId, stepId } = place.suspension;
    steps.set(`${executionId} ${stepId}`, place);
  }
  return [...steps.values()];
}

/** From before the answer on, so that nothing it does goes unheard. What a sub-workflow's agent does is told by that one's execution. */
async function followStep(
  { answer, root, suspension }: Place,
  owner: Owner,
  { storage, workflows }: Pick<Services, 'storage' | 'workflows'>,
): Promise<AnsweredStep> {
  const { executionId, stepId } = suspension;
  const execution = executionId === root.id ? root : await storage.executions.find(owner, executionId);
  if (execution === undefined) throw notAwaited(answer);
  const { seq, workflowId } = execution;
  return new AnsweredStep(stepId, await workflows.follow({ owner, workflowId, executionId }, seq));
}

async function resume(
  { answer, root }: Place,
  { owner, ...options }: { readonly owner: Owner } & Pick<ResumeOptions, 'resumedBy' | 'traceParent'>,
  { workflows }: Pick<Services, 'workflows'>,
): Promise<void> {
  const { approvalId, approved, reason } = answer;
  const resumeData = { approved, ...(reason !== undefined && { reason }) };
  try {
    await workflows.resume(
      { owner, workflowId: root.workflowId, executionId: root.id },
      { stepId: approvalId, resumeData, ...options },
    );
  } catch (error) {
    // Somebody else was faster.
    const isGone =
      isHalyardError(error) && (error.code === 'EXECUTION_NOT_SUSPENDED' || error.kind === 'invalid-input');
    throw isGone ? notAwaited(answer, error) : error;
  }
}

function notAwaited({ approvalId }: ExecutionAnswer, cause?: unknown): InvalidInputError {
  return new InvalidInputError(`Approval "${approvalId}" is not accepted: no execution waits for it, or not any more`, {
    code: 'APPROVAL_NOT_ACCEPTED',
    cause,
  });
}
