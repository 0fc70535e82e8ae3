import { useSyncExternalStore } from 'react';

/** The same width as in `layout.css`. */
const narrow = matchMedia('(max-width: 719px)');

/** Whether the sidebar is a drawer. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      narrow.addEventListener('change', onChange);
      return () => narrow.removeEventListener('change', onChange);
    },
    () => narrow.matches,
  );
}
