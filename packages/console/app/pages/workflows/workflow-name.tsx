import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { workflowsQuery } from './workflows-query.ts';

/** The name of a workflow; its id if the server does not know it any more. */
export function WorkflowName({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery({ ...workflowsQuery, staleTime: 30_000 });
  return <bdi title={id}>{data?.find((workflow) => workflow.id === id)?.name ?? id}</bdi>;
}
