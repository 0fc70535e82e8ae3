import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';

/** A warning for a run that names a conversation, of an agent that stores none. */
export function notStoredWarning(
  agent: Agent,
  services: Pick<AgentServices, 'memory'>,
  conversationId: string | undefined,
): string | undefined {
  if (conversationId === undefined || agent.memoryIn(services) !== undefined) return undefined;
  return `Agent "${agent.id}" has no memory: the conversation is not stored`;
}
