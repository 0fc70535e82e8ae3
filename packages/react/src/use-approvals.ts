import type { Approval, ApprovalAnswer, Client } from '@halyard/client';
import { useCallback, useEffect, useState } from 'react';
import { isVisible, onVisibilityChange } from './page.ts';

export interface ApprovalsOptions {
  /** How often the list is read while the page is visible and the server cannot announce changes. Default 5000 ms. */
  readonly pollMs?: number | undefined;
}

/** The ids of a request. */
type Answerable = Pick<Approval, 'id' | 'executionId' | 'conversationId'>;

export interface Approvals {
  /** Undefined until they are loaded. */
  readonly approvals: readonly Approval[] | undefined;
  /** Whether older requests wait, too. They are listed when these have a response. */
  readonly hasMore: boolean;
  /** Why the list could not be read. It is tried again. */
  readonly error: Error | undefined;
  /** Responds to a request. Rejects with a `NotFoundError` when another response came first. */
  readonly answer: (
    approval: Answerable,
    answer: Pick<ApprovalAnswer, 'always' | 'approved' | 'input' | 'reason' | 'resumeData'>,
  ) => Promise<void>;
  /** Reads the list again now. */
  readonly refresh: () => void;
}

/**
 * Requests that wait for a person, in executions and in conversations: those that the user of the
 * client's token may answer, or with the console key all.
 */
export function useApprovals(client: Pick<Client, 'approvals'>, { pollMs = 5000 }: ApprovalsOptions = {}): Approvals {
  const [approvals, setApprovals] = useState<readonly Approval[]>();
  const [hasMore, setHasMore] = useState(false);
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => setRound((count) => count + 1), []);

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isStale = false;
    let isFollowed = false;
    const read = async (): Promise<void> => {
      isStale = isReading;
      if (isReading) return;
      isReading = true;
      let hasSucceeded = false;
      clearTimeout(timer);
      try {
        const list = await client.approvals.list({ signal: abort.signal });
        if (abort.signal.aborted) return;
        setApprovals(list.approvals);
        setHasMore(list.hasMore);
        setError(undefined);
        hasSucceeded = true;
      } catch (failure) {
        if (abort.signal.aborted) return;
        setError(failure instanceof Error ? failure : new TypeError(String(failure)));
      } finally {
        isReading = false;
      }
      if (isStale) void read();
      else if (isVisible() && !(isFollowed && hasSucceeded)) timer = setTimeout(() => void read(), pollMs);
    };
    const follow = async (): Promise<void> => {
      const onLost = (): void => {
        isFollowed = false;
        if (isVisible()) void read();
      };
      for await (const { success } of client.approvals.follow({ signal: abort.signal, onLost })) {
        isFollowed = success;
        if (isVisible()) void read();
      }
    };
    const stopWatching = onVisibilityChange(() => {
      if (isVisible()) void read();
    });
    void read();
    // Where there are no WebSockets, the list is read again and again.
    follow().catch(() => {
      isFollowed = false;
      if (!abort.signal.aborted) void read();
    });
    return () => {
      abort.abort();
      clearTimeout(timer);
      stopWatching();
    };
  }, [client, pollMs, round]);

  const answer = useCallback<Approvals['answer']>(
    async (approval, given) => {
      const { conversationId, executionId, id } = approval;
      try {
        await client.approvals.answer({ ...given, id, executionId, conversationId });
        setApprovals((known) => known?.filter((other) => !isSame(other, approval)));
      } finally {
        refresh();
      }
    },
    [client, refresh],
  );
  return { approvals, hasMore, error, answer, refresh };
}

/** The id alone identifies a request only within its execution or conversation. */
function isSame(one: Answerable, other: Answerable): boolean {
  return one.id === other.id && one.executionId === other.executionId && one.conversationId === other.conversationId;
}
