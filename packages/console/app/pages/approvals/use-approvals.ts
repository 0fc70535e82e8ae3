import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isUser } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { followChannel } from '../../live/follow-channel.ts';

export type Approval = components['schemas']['Approval'];

export interface ApprovalList {
  readonly approvals: readonly Approval[];
  readonly hasMore: boolean;
}

/** While the server cannot announce changes. */
const pollMs = 5_000;

const request = {
  queryKey: ['approvals', 'list'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<ApprovalList> =>
    isUser() ? readData(api.GET('/api/approvals', { signal })) : readData(api.GET('/approvals', { signal })),
};

/** Waiting requests; the menu keeps them live. */
export function useApprovals(): UseQueryResult<ApprovalList> {
  return useQuery(request);
}

/**
 * How many requests wait for a person. All pages show it, also in the title of the tab, which is read
 * most where the tab is in the background.
 */
export function useApprovalCount(): number {
  const isFollowed = useAnnouncements();
  const { data } = useQuery({
    ...request,
    refetchInterval: isFollowed ? false : pollMs,
    refetchIntervalInBackground: true,
  });
  return data?.approvals.length ?? 0;
}

/** Reads the requests again when the server announces a change. @returns whether it can */
function useAnnouncements(): boolean {
  const client = useQueryClient();
  const [isFollowed, setFollowed] = useState(false);
  useEffect(
    () =>
      followChannel('/ws/approvals', {
        query: { console: 'true' },
        onState: (state) => setFollowed(state === 'open'),
        onMessage: () => void client.invalidateQueries({ queryKey: ['approvals'] }),
      }),
    [client],
  );
  return isFollowed;
}

/** Identifies an approval in the address of the page. */
export function approvalKey({ conversationId, executionId, id }: Approval): string {
  return `${executionId ?? conversationId ?? ''}.${id}`;
}
