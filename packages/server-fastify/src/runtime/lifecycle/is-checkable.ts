import type { Storage } from '@halyard/contracts';

/**
 * Whether a storage or a vector store can be checked. A memory may use only some stores of a
 * storage, which have no `check`.
 */
export function isCheckable(part: object): part is Pick<Storage, 'check'> {
  return 'check' in part && typeof part.check === 'function';
}
