import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 48rem)');

/** Whether the window is too narrow for tables of many columns. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}
