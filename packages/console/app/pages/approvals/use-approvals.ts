import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { isUser } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';

export type Approval = components['schemas']['Approval'];

export interface ApprovalList {
  readonly approvals: readonly Approval[];
  readonly hasMore: boolean;
}

/** The menu and the title of the tab, which is read most where the tab is in the background. */
const countEveryMs = 5_000;

const request = {
  queryKey: ['approvals', 'list'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<ApprovalList> =>
    isUser() ? readData(api.GET('/api/approvals', { signal })) : readData(api.GET('/approvals', { signal })),
};

/** Waiting requests, live: for a user, in the user's own runs. */
export function useApprovals(): UseQueryResult<ApprovalList> {
  useLiveQueries(['approvals']);
  return useQuery(request);
}

/**
 * How many requests wait for a person, a few seconds late: all pages show it, so it must cost
 * little.
 */
export function useApprovalCount(): number {
  const { data } = useQuery({
    ...request,
    refetchInterval: countEveryMs,
    refetchIntervalInBackground: true,
  });
  return data?.approvals.length ?? 0;
}

/** Identifies an approval in the address of the page. */
export function approvalKey({ conversationId, executionId, id }: Approval): string {
  return `${executionId ?? conversationId ?? ''}.${id}`;
}
