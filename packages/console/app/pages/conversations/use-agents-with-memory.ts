import { useQuery } from '@tanstack/react-query';
import { currentCredential } from '../../access/credential.ts';
import { api, dataOf } from '../../api/client.ts';

/** The ids of the agents whose conversations can be read. A user's token does not open the list of agents: then there is no choice. */
export function useAgentsWithMemory(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['agents', 'with memory'],
    queryFn: async ({ signal }) => {
      const agents = await dataOf(api.GET('/agents', { signal }));
      return agents.filter(({ memory }) => memory !== null).map(({ id }) => id);
    },
    enabled: currentCredential()?.kind !== 'token',
  });
  return data ?? [];
}
