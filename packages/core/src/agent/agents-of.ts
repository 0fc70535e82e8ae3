import { type Collection, itemsOf } from '../tool/collection.ts';
import type { Agent } from './agent.ts';

/** The agents in a list or a record. @throws ConfigurationError when there is something else. */
export function agentsOf(agents: Collection<Agent> | undefined, owner: string): readonly Agent[] {
  const isItem = (value: unknown): boolean => typeof value === 'object' && value !== null && 'generateText' in value;
  return itemsOf(agents, { owner, noun: 'agent', isItem }).map(([, agent]) => agent);
}
