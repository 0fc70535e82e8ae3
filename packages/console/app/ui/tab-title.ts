import { useEffect, useSyncExternalStore } from 'react';

/** Stands before the title of each page. */
let prefix = '';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows in the browser's tab how many requests wait for a person, whichever page is open. */
export function useTabCount(count: number): void {
  useEffect(() => {
    prefix = count === 0 ? '' : `(${count}) `;
    for (const listener of listeners) listener();
  }, [count]);
}

export function useTabTitle(name: string): void {
  const shown = useSyncExternalStore(subscribe, () => prefix);
  useEffect(() => {
    document.title = `${shown}${name} · Halyard`;
  }, [name, shown]);
}
