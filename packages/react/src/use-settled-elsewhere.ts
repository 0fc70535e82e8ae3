import type { Client } from '@halyard/client';
import { useEffect } from 'react';

interface WaitingChat {
  readonly conversationId: string;
  /** Whether a call of the newest message waits for a person. */
  readonly isWaiting: boolean;
  /** Reads the live reply on, or the history again, unless the chat is busy. */
  readonly resume: () => Promise<void>;
}

/** Continues a chat when somebody else has answered what it waits for. */
export function useSettledElsewhere(
  client: Pick<Client, 'approvals'>,
  { conversationId, isWaiting, resume }: WaitingChat,
): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const message of client.approvals.follow({ signal: abort.signal })) {
        const isSettled = message.type === 'APPROVAL_SETTLED' && message.data.conversationId === conversationId;
        // Before the connection, it may have been settled, too.
        if (isSettled || message.type === 'CONNECTION_SUCCESS') await resume();
      }
    };
    // Without a channel, the chat continues when the page is opened again.
    follow().catch(() => {});
    return () => abort.abort();
  }, [client, conversationId, isWaiting, resume]);
}
