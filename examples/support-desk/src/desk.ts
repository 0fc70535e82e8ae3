import type { Storage } from '@halyard/contracts';
import type { Agent, AnyWorkflow } from '@halyard/core';
import { type AgentId, createAgents, type DeskAgentsOptions } from './agents.ts';
import { createRefund } from './refund.ts';
import { createDailyReport, createFollowUp } from './scheduled.ts';

/** How long a call of a tool waits for a person. */
export const approvalExpiryMs = 14 * 24 * 60 * 60_000;

export interface DeskOptions extends DeskAgentsOptions {
  readonly storage: Storage;
}

export interface Desk {
  readonly agents: Readonly<Record<AgentId, Agent>>;
  readonly workflows: readonly AnyWorkflow[];
}

/**
 * The agents and workflows of the desk. The server runs them on a model; the history plays them
 * with scripted answers.
 */
export function createDesk({ storage, ...options }: DeskOptions): Desk {
  const agents = createAgents(options);
  return {
    agents,
    workflows: [
      createRefund(options.shop, agents.writer),
      createFollowUp(storage),
      createDailyReport(storage, agents.writer),
    ],
  };
}
