import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type LiveMessage, useChannelState, useLiveMessages } from './live.ts';

/** How long after a message a list is read again, with all that happened until then. */
const intervalMs = 1_500;
/**
 * The shortest time between two readings: many runs must not become many requests, and a list must
 * show what happened within 3 seconds.
 */
const usualMs = 2_500;

/**
 * Reads the queries that begin with `key` again after something happened on the server, and after a
 * lost connection is back.
 *
 * @param everyMs the shortest time between two readings that follow each other. The first one after
 * a quiet time does not wait for it.
 */
export function useLiveQueries(key: QueryKey, everyMs: number = usualMs): void {
  const client = useQueryClient();
  const hash = JSON.stringify(key);
  const refresh = useCallback(
    () => void client.invalidateQueries({ queryKey: JSON.parse(hash) as QueryKey }),
    [client, hash],
  );
  useLiveRefresh(refresh, everyMs);
}

/** The same, with another way to read. Pass a stable function. */
export function useLiveRefresh(refresh: () => unknown, everyMs: number = usualMs): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readAt = useRef(0);
  const schedule = useCallback(() => {
    const waitMs = Math.max(intervalMs, readAt.current + everyMs - Date.now());
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      readAt.current = Date.now();
      if (document.visibilityState === 'visible') refresh();
    }, waitMs);
  }, [refresh, everyMs]);
  const onMessage = useCallback(
    ({ type }: LiveMessage) => {
      if (type === 'OBSERVABILITY_CHANGE') schedule();
    },
    [schedule],
  );
  useLiveMessages(onMessage);

  const state = useChannelState();
  const wasLost = useRef(false);
  useEffect(() => {
    if (state === 'lost') wasLost.current = true;
    if (state === 'open' && wasLost.current) {
      wasLost.current = false;
      schedule();
    }
  }, [state, schedule]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [refresh],
  );
}
