import type { Ids } from '@halyard/contracts';

/** Returns `id-1`, `id-2`, and so on. */
export function sequentialIds(prefix = 'id'): Ids {
  let last = 0;
  return {
    next: () => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
