import type { JsonObject, JsonValue, OpenApproval } from '@halyard/contracts';
import type { Tool } from '../../tool/tool.ts';
import type { RunContext } from '../agent-options.ts';
import type { AgentTools } from '../agent-tools.ts';
import type { Agent } from '../agent.ts';
import type { ApprovalResponse } from '../loop/run.ts';
import type { ToolCallRecord } from '../run-result.ts';
import type { Usage } from '../usage.ts';
import type { VerifiedResponse } from './approval-responses.ts';
import { approvalNotAccepted, type Approvals, readDelegation } from './approvals.ts';

/**
 * A call that has started sub-agents, which wait for approvals. Clients see only the requests: what
 * the sub-agents did so far is stored here.
 */
export interface StoredDelegation {
  /** The call of the agent that delegates. */
  readonly call: Pick<ToolCallRecord, 'input' | 'toolCallId' | 'toolName'>;
  /** The journal of the call: its keys and values. */
  readonly entries: Readonly<Record<string, JsonValue>>;
  /** What the sub-agents have used so far. */
  readonly usage: Usage;
  /** The agents that ask, by the ids of their requests. */
  readonly askedBy: Readonly<Record<string, string>>;
}

/** A delegation that continues with responses. */
export interface AnsweredDelegation extends StoredDelegation {
  readonly id: string;
  /** Counts how often it has waited. */
  readonly revision: number;
  readonly responses: readonly ApprovalResponse[];
}

/** Names one revision of a delegation in the ids of its requests. */
export function delegationRef(id: string, revision: number): string {
  return `${id}:${revision}`;
}

/**
 * The delegations that the responses are for, each in its newest revision.
 *
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for one that is not stored any more.
 */
export async function findAnsweredDelegations(
  verified: readonly VerifiedResponse[],
  approvals: Pick<Approvals, 'find'>,
): Promise<readonly AnsweredDelegation[]> {
  const groups = Map.groupBy(
    verified.filter(({ request }) => readDelegation(request.approvalId) !== undefined),
    ({ request }) => readRef(request.approvalId)?.id,
  );
  return Promise.all(
    [...groups.values()].map(async (responses) => {
      const [first] = responses.toSorted((one, other) => revisionOf(one) - revisionOf(other));
      const approvalId = first?.request.approvalId ?? '';
      const found = await findDelegation(approvalId, approvals);
      if (found === undefined) throw approvalNotAccepted(approvalId);
      return { ...found, responses: responses.map(({ request: _, ...response }) => response) };
    }),
  );
}

function revisionOf({ request }: VerifiedResponse): number {
  return readRef(request.approvalId)?.revision ?? 0;
}

/**
 * The tool of a request: of the agent, or of the sub-agent that asks. Undefined if the run does not
 * have it.
 *
 * @param tools of the agent.
 */
export async function findRequestedTool(
  { approvalId, toolName }: { readonly approvalId: string; readonly toolName: string },
  tools: AgentTools,
  context: RunContext,
  approvals: Pick<Approvals, 'find'>,
): Promise<Tool | undefined> {
  if (readDelegation(approvalId) === undefined) return tools.find(toolName);
  const agentId = await findAskingAgent(approvalId, approvals);
  const seen = new Set<Agent>();
  for (let agents = tools.subAgents; agents.length > 0;) {
    const deeper: Agent[] = [];
    for (const agent of agents) {
      if (seen.has(agent)) continue;
      seen.add(agent);
      const theirs = await agent.toolsFor(context);
      if (agent.id === agentId) return theirs.find(toolName);
      deeper.push(...theirs.subAgents);
    }
    agents = deeper;
  }
  return undefined;
}

/** The sub-agent whose call asks; undefined if it is the agent of the conversation. */
export async function findAskingAgent(
  approvalId: string,
  approvals: Pick<Approvals, 'find'>,
): Promise<string | undefined> {
  return (await findDelegation(approvalId, approvals))?.askedBy[approvalId];
}

/** The newest revision of the delegation of a request. */
async function findDelegation(
  approvalId: string,
  approvals: Pick<Approvals, 'find'>,
): Promise<Omit<AnsweredDelegation, 'responses'> | undefined> {
  const ref = readRef(approvalId);
  if (ref === undefined) return undefined;
  const { id } = ref;
  let newest: Omit<AnsweredDelegation, 'responses'> | undefined;
  for (let { revision } = ref; ; revision += 1) {
    const stored = readStored(await approvals.find(delegationRef(id, revision)));
    if (stored === undefined) return newest;
    newest = { ...stored, id, revision };
  }
}

function readStored(open: OpenApproval | undefined): StoredDelegation | undefined {
  // Only `Delegation` writes it.
  return open?.delegation as (StoredDelegation & JsonObject) | undefined;
}

function readRef(approvalId: string): { readonly id: string; readonly revision: number } | undefined {
  const [, id, revision] = /^(.+):(\d+)$/s.exec(readDelegation(approvalId) ?? '') ?? [];
  return id === undefined ? undefined : { id, revision: Number(revision) };
}
