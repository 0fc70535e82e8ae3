import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, clientHeader, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { type ChannelState, followChannel } from '../../live/follow-channel.ts';

export type LogEntry = components['schemas']['LogEntry'];

/** The oldest lines leave the page when there are more. */
const keptLines = 5_000;
const firstLines = 500;
/** Lines can arrive faster than a browser can show them. */
const showMs = 150;

export interface LogTailFilter {
  /** This level and above. */
  readonly level: string | undefined;
  readonly text: string | undefined;
  /** Whether the lines of requests with which consoles have read are among them. */
  readonly hasConsole: boolean;
}

/**
 * The newest lines of the log that match, oldest first, and those that are written from now on
 * unless `isPaused`.
 */
export function useLogTail(
  { hasConsole, level, text }: LogTailFilter,
  isPaused: boolean,
): { readonly lines: readonly LogEntry[]; readonly state: ChannelState; readonly heldBack: number } {
  const [lines, setLines] = useState<readonly LogEntry[]>([]);
  const [state, setState] = useState<ChannelState>('connecting');
  const [heldBack, setHeldBack] = useState(0);
  const waiting = useRef<LogEntry[]>([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;

  useEffect(() => {
    waiting.current = [];
    setLines([]);
    const show = (): void => {
      if (waiting.current.length > keptLines) waiting.current = waiting.current.slice(-keptLines);
      setHeldBack(paused.current ? waiting.current.length : 0);
      if (paused.current || waiting.current.length === 0) return;
      const arrived = waiting.current;
      waiting.current = [];
      setLines((shown) => [...shown, ...arrived].slice(-keptLines));
    };
    const timer = setInterval(show, showMs);
    const closeChannel = followChannel('/ws/logs', {
      query: {
        limit: String(firstLines),
        ...(level !== undefined && { level }),
        ...(text !== undefined && { text }),
        ...(!hasConsole && { withoutClient: clientHeader['x-client-name'] }),
      },
      onState: setState,
      onMessage: (message) => {
        // After a lost connection the server sends the newest lines again.
        if (message.type === 'initial') {
          waiting.current = [];
          setLines(message.logs);
        }
        if (message.type === 'update') waiting.current.push(...message.logs);
      },
    });
    return () => {
      clearInterval(timer);
      closeChannel();
    };
  }, [hasConsole, level, text]);
  return { lines, state, heldBack };
}

/** The lines that a trace has written, oldest first. */
export function useTraceLogs(traceId: string | undefined): {
  readonly lines: readonly LogEntry[] | undefined;
  readonly error: Error | null;
} {
  const { data, error } = useQuery({
    queryKey: ['logs', 'trace', traceId],
    enabled: traceId !== undefined,
    queryFn: async ({ signal }) => {
      const params = { path: { traceId: traceId ?? '' }, query: { limit: 1_000, offset: 0 } };
      const { logs } = await readData(api.GET('/observability/traces/{traceId}/logs', { params, signal }));
      return logs
        .map(({ attributes, body, severityText, spanId, timestamp, traceId: id }): LogEntry => ({
          ...attributes,
          timestamp,
          level: severityText.toLowerCase() as LogEntry['level'],
          msg: body,
          ...(id !== null && { traceId: id }),
          ...(spanId !== null && { spanId }),
        }))
        .toReversed();
    },
  });
  return { lines: data, error };
}
