import type { UseChatHelpers } from '@ai-sdk/react';
import { ConnectionError } from '@halyard/client';
import type { UIMessage } from 'ai';
import { useEffect, useRef, useState } from 'react';

const firstRetryMs = 500;
const longestRetryMs = 10_000;
const attempts = 10;

interface ReconnectOptions<Message> {
  readonly isStored: boolean;
  readonly readHistory: (signal: AbortSignal) => Promise<readonly Message[]>;
  /** Reads the live reply on, or the history again. */
  readonly resume: () => Promise<unknown>;
}

/** Reads a reply on after its connection was lost. @returns whether it is trying to */
export function useReconnect<Message extends UIMessage>(
  { clearError, error, setMessages, status }: UseChatHelpers<Message>,
  { isStored, readHistory, resume }: ReconnectOptions<Message>,
): boolean {
  // Attempts since something was received.
  const failures = useRef(0);
  const [isReconnecting, setReconnecting] = useState(false);
  const isLost = isStored && status === 'error' && isConnectionLost(error);
  useEffect(() => {
    if (status === 'streaming') failures.current = 0;
  }, [status]);
  useEffect(() => {
    if (!isLost) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const reconnect = async (): Promise<void> => {
      const history = await readHistory(abort.signal);
      if (abort.signal.aborted) return;
      let isSent = false;
      setMessages((current) => {
        const question = current.findLast(({ role }) => role === 'user');
        isSent = question === undefined || history.some(({ id }) => id === question.id);
        // A question that has not reached the server stays, with the error.
        return isSent ? [...history] : current;
      });
      setReconnecting(false);
      if (!isSent) return;
      clearError();
      await resume();
    };
    const retrySoon = (): void => {
      if (abort.signal.aborted) return;
      if (failures.current >= attempts) {
        setReconnecting(false);
        return;
      }
      const waitMs = Math.min(firstRetryMs * 2 ** failures.current, longestRetryMs) * (0.5 + Math.random() / 2);
      failures.current += 1;
      setReconnecting(true);
      timer = setTimeout(() => void reconnect().catch(retrySoon), waitMs);
    };
    retrySoon();
    return () => {
      abort.abort();
      clearTimeout(timer);
      setReconnecting(false);
    };
    // Each failure begins another attempt.
  }, [clearError, error, isLost, readHistory, resume, setMessages]);
  return isReconnecting;
}

/**
 * The network failed, rather than the server. Browsers report a stream that breaks as a TypeError.
 */
function isConnectionLost(error: Error | undefined): boolean {
  return error instanceof ConnectionError || error instanceof TypeError;
}
