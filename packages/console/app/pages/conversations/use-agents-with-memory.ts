import { useQuery } from '@tanstack/react-query';
import { agentsQuery } from '../agents/agents-query.ts';

/** The ids of the agents whose conversations can be read. */
export function useAgentsWithMemory(): readonly string[] {
  const { data = [] } = useQuery(agentsQuery);
  return data.filter(({ memory }) => memory !== null).map(({ id }) => id);
}
