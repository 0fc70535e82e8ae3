import type { Ids } from '@halyard/contracts';

/** `id-1`, `id-2`, …: ids that a test can write down. */
export function sequentialIds(prefix = 'id'): Ids {
  let last = 0;
  return {
    next: () => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
