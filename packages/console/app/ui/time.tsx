import { type ReactNode, useSyncExternalStore } from 'react';
import { formatAgo, formatDateTime } from './format.ts';

/** One timer for all times on the page, which runs while one is shown. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** How long ago, with the date and time as its tooltip. */
export function Ago({ time }: { readonly time: string }): ReactNode {
  const current = useNow();
  return (
    <time dateTime={time} title={formatDateTime(time)}>
      {formatAgo(Date.parse(time), current)}
    </time>
  );
}
