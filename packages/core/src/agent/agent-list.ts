import { type Collection, toNamedItems } from '../tool/collection.ts';
import type { Agent } from './agent.ts';

/** The agents in a list or a record. @throws ConfigurationError when there is something else. */
export function toAgentList(agents: Collection<Agent> | undefined, owner: string): readonly Agent[] {
  const isItem = (value: unknown): boolean => typeof value === 'object' && value !== null && 'generateText' in value;
  return toNamedItems(agents, { owner, noun: 'agent', isItem }).map(([, agent]) => agent);
}
