import {
  type Execution,
  type ExecutionLog,
  InvalidInputError,
  isHalyardError,
  type Owner,
  type Suspension,
} from '@halyard/contracts';
import type { InternalRunOptions } from '../../agent/agent-options.ts';
import type { AgentServices } from '../../agent/agent-services.ts';
import type { Agent } from '../../agent/agent.ts';
import { type ExecutionResponse, findExecutionResponses } from '../../agent/approvals/execution-responses.ts';
import { runOwner } from '../../memory/run-owner.ts';
import type { AgentInput } from '../../model/messages/message.ts';
import type { ResumeOptions } from '../../workflow/engine/runtime-options.ts';
import type { WorkflowRuntime } from '../../workflow/engine/workflow-runtime.ts';
import { ResumedRun } from './resumed-run.ts';
import { ResumedStep } from './resumed-step.ts';

/** The services of a chat that may continue executions. */
export interface ResumeServices extends FollowServices {
  readonly workflows: WorkflowRuntime;
}

/** The services that continuing executions itself needs. */
export interface FollowServices {
  readonly agentServices: AgentServices;
  readonly storage: { readonly executions: Pick<ExecutionLog, 'find'> };
  readonly workflows: Pick<WorkflowRuntime, 'follow' | 'resume'>;
  /** Workflows whose executions the sender of the responses does not control. Default: none. */
  readonly hiddenWorkflows?: readonly string[];
}

/** A response, and the suspension that it is for. */
interface Match {
  readonly answer: ExecutionResponse;
  readonly root: Execution;
  readonly suspension: Suspension;
}

/**
 * Resumes the executions whose agents requested the approvals to which the end of the input
 * responds, and follows these agents. All responses are verified before the first execution is
 * resumed. The user of the options is their author.
 *
 * @returns undefined when the input responds to no execution: it is for the agent itself.
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for a response that is forged, expired,
 * already used, or not awaited.
 */
export async function resumeExecutions(
  agent: Agent,
  input: AgentInput,
  { conversationId, signal, traceParent, user, userId }: InternalRunOptions,
  services: FollowServices,
): Promise<ResumedRun | undefined> {
  const answers = await findExecutionResponses(input, agent, services.agentServices, { userId, conversationId, user });
  if (answers.length === 0) return undefined;

  const owner = runOwner(user);
  const resumedBy = owner === 'anyone' ? undefined : owner.user;
  const responder = { resumedBy, user, requestedBy: 'user' as const, traceParent };
  const matches = await Promise.all(answers.map((answer) => findSuspension(answer, owner, services)));
  const steps: ResumedStep[] = [];
  try {
    for (const match of onePerStep(matches)) steps.push(await followStep(match, owner, signal, services));
    for (const match of matches) await resume(match, owner, responder, services);
  } catch (error) {
    for (const step of steps) step.stop();
    throw error;
  }
  return new ResumedRun(steps, signal);
}

async function findSuspension(
  answer: ExecutionResponse,
  owner: Owner,
  { hiddenWorkflows = [], storage }: Pick<FollowServices, 'hiddenWorkflows' | 'storage'>,
): Promise<Match> {
  const root = await storage.executions.find(owner, answer.executionId);
  const suspension = root?.suspensions.find(
    ({ data, path }) => path === answer.path && approvalIdIn(data) === answer.approvalId,
  );
  if (root === undefined || suspension === undefined || hiddenWorkflows.includes(root.workflowId))
    throw notAwaited(answer);
  return { answer, root, suspension };
}

function approvalIdIn(data: Suspension['data']): unknown {
  return (data as { readonly approvalId?: unknown } | null | undefined)?.approvalId;
}

/** A step with several approval responses is followed once. */
function onePerStep(matches: readonly Match[]): readonly Match[] {
  const steps = new Map<string, Match>();
  for (const match of matches) {
    const { executionId, stepId } = match.suspension;
    steps.set(`${executionId} ${stepId}`, match);
  }
  return [...steps.values()];
}

/**
 * Follows from before the resume, so that no event is missed. The events of a sub-workflow belong
 * to its own execution.
 */
async function followStep(
  { answer, root, suspension }: Match,
  owner: Owner,
  signal: AbortSignal | undefined,
  { storage, workflows }: FollowServices,
): Promise<ResumedStep> {
  const { executionId, stepId } = suspension;
  const execution = executionId === root.id ? root : await storage.executions.find(owner, executionId);
  if (execution === undefined) throw notAwaited(answer);
  const { seq, workflowId } = execution;
  return new ResumedStep(stepId, await workflows.follow({ owner, workflowId, executionId }, seq, signal));
}

async function resume(
  { answer, root, suspension }: Match,
  owner: Owner,
  options: Pick<ResumeOptions, 'resumedBy' | 'traceParent'>,
  { workflows }: FollowServices,
): Promise<void> {
  const { approved, input, reason } = answer;
  const resumeData = { approved, ...(reason !== undefined && { reason }), ...(input !== undefined && { input }) };
  try {
    await workflows.resume(
      { owner, workflowId: root.workflowId, executionId: root.id },
      { suspensionId: suspension.id, resumeData, ...options },
    );
  } catch (error) {
    // Another request responded first.
    const isGone =
      isHalyardError(error) &&
      (['EXECUTION_NOT_SUSPENDED', 'SUSPENSION_NOT_PENDING'].includes(error.code) ||
        (error.kind === 'invalid-input' && input === undefined));
    throw isGone ? notAwaited(answer, error) : error;
  }
}

function notAwaited({ approvalId }: ExecutionResponse, cause?: unknown): InvalidInputError {
  return new InvalidInputError(`Approval "${approvalId}" is not accepted: no execution waits for it, or not any more`, {
    code: 'APPROVAL_NOT_ACCEPTED',
    cause,
  });
}
