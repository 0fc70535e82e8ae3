import { createHash } from 'node:crypto';
import type { Owner } from '@halyard/contracts';

/** The id of the bulk operation of a request. It is the same for a repeated request. */
export function toBulkId(owner: Owner, requestId: string): string {
  const text = JSON.stringify([owner === 'anyone' ? null : owner.user, requestId]);
  return `bulk-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** Whether an id has the form of those of {@link toBulkId}. */
export function isBulkId(id: string): boolean {
  return /^bulk-[0-9a-f]{32}$/.test(id);
}
