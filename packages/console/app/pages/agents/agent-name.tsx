import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { agentsQuery } from './agents-query.ts';

/** The name of an agent; its id if the server does not know it any more. */
export function AgentName({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery(agentsQuery);
  return <bdi title={id}>{data?.find((agent) => agent.id === id)?.name ?? id}</bdi>;
}
