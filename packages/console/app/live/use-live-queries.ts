import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type LiveMessage, useChannelState, useLiveMessages } from './live.ts';

/** How long after a message a list is read again, with all that happened until then. */
const intervalMs = 1_500;
/** The shortest time between two readings: many runs must not become many requests. */
const usualMs = 3_000;
/** A list of several pages is several requests each time. */
const longListMs = 10_000;

/**
 * Reads the queries that begin with `key` again after something happened on the server, and after a
 * lost connection is back.
 *
 * @param everyMs the shortest time between two readings that follow each other. The first one after
 * a quiet time does not wait for it.
 */
export function useLiveQueries(key: QueryKey, everyMs: number = usualMs): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hash = JSON.stringify(key);
  const readAt = useRef(0);
  const refresh = useCallback(() => {
    const waitMs = Math.max(intervalMs, readAt.current + everyMs - Date.now());
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      readAt.current = Date.now();
      if (document.visibilityState === 'visible')
        void client.invalidateQueries({ queryKey: JSON.parse(hash) as QueryKey });
    }, waitMs);
  }, [client, hash, everyMs]);
  const onMessage = useCallback(
    ({ type }: LiveMessage) => {
      if (type === 'OBSERVABILITY_CHANGE') refresh();
    },
    [refresh],
  );
  useLiveMessages(onMessage);

  const state = useChannelState();
  const wasLost = useRef(false);
  useEffect(() => {
    if (state === 'lost') wasLost.current = true;
    if (state === 'open' && wasLost.current) {
      wasLost.current = false;
      refresh();
    }
  }, [state, refresh]);
  useEffect(() => () => clearTimeout(timer.current), []);
}

/**
 * The same for a list that `usePages` reads: less often while more than its first page is loaded.
 */
export function useLiveList(key: QueryKey, isLong: boolean): void {
  useLiveQueries(key, isLong ? longListMs : usualMs);
}
