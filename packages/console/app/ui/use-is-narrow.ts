import { useCallback, useSyncExternalStore } from 'react';

/** Whether the window is too narrow for tables of many columns. */
export function useIsNarrow(): boolean {
  return useMatches('(max-width: 48rem)');
}

/** Whether a media query matches. */
export function useMatches(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
