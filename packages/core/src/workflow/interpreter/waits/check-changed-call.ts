import { type Execution, InvalidInputError, type JsonValue, type Logger, type Suspension } from '@halyard/contracts';
import type { RunContext } from '../../../agent/agent-options.ts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { AgentTools } from '../../../agent/agent-tools.ts';
import type { Agent } from '../../../agent/agent.ts';
import type { Responder } from '../../../agent/approvals/approvals.ts';
import { changedInput, checkInputChange, toApprovalContext } from '../../../agent/approvals/changed-input.ts';
import { readApproval } from '../../../agent/tools/plan-call.ts';
import { ownPlace } from '../../definition/place.ts';
import { stepAtPath } from '../../definition/step-at-path.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { answerableRequest } from './approval-of-suspension.ts';

/** The answer to a suspension. */
interface SuspensionAnswer {
  readonly root: Execution;
  /** With which the root runs. Undefined if only other processes know it. */
  readonly workflow: WorkflowDefinition | undefined;
  readonly suspension: Suspension;
  readonly data: JsonValue;
  readonly responder: Responder;
  /** Names the data in errors. */
  readonly at: string;
}

/**
 * Checks the arguments with which a person approves a call of an agent in place of those of the
 * model. @throws what {@link checkInputChange} throws; InvalidInputError if this process does not
 * have the agent.
 */
export async function checkChangedCall(
  { at, data, responder, root, suspension, workflow }: SuspensionAnswer,
  services: Pick<AgentServices, 'approvals'> & { readonly logger: Logger },
): Promise<void> {
  if (suspension.kind !== 'approval') return;
  const request = answerableRequest(root, suspension);
  const { agentId, toolName = '' } = request;
  const input = changedInput({ input: request.input }, readApproval(data));
  if (input === undefined) return;
  const { context, conversationId, user, userId } = root;
  const run: RunContext = { context, conversationId, user, userId };
  const first = workflow && stepAtPath(workflow, ownPlace(suspension.path, root.path))?.step.agent;
  const found = first && (await findAgentTools(first, agentId, run, new Set()));
  if (found === undefined)
    throw new InvalidInputError(`${at}/input is not accepted: the agent "${agentId}" is not available here`);
  const { toolCallId = '' } = suspension.data as { readonly toolCallId?: string };
  const given = { toolCallId, toolName, context, logger: services.logger, signal: new AbortController().signal };
  await checkInputChange(
    {
      tool: found.find(toolName),
      input,
      at: `${at}/input`,
      rules: suspension.rules,
      request,
      responder,
      context: toApprovalContext({ ...given, idempotencyKey: `${root.id}/${suspension.id}` }, run),
    },
    services,
  );
}

/** The tools of an agent, or of one that works for it, directly or not. */
async function findAgentTools(
  agent: Agent,
  agentId: string | undefined,
  run: RunContext,
  visited: Set<Agent>,
): Promise<AgentTools | undefined> {
  if (visited.has(agent)) return undefined;
  visited.add(agent);
  const tools = await agent.toolsFor(run);
  if (agent.id === agentId) return tools;
  for (const subAgent of tools.subAgents) {
    const found = await findAgentTools(subAgent, agentId, run, visited);
    if (found !== undefined) return found;
  }
  return undefined;
}
