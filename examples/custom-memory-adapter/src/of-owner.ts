import type { Owner } from '@halyard/contracts';
import { toText } from './text.ts';

/** The condition of every query, for the parameter that {@link ownerParameter} gives. */
export const isOwners = '(:owner IS NULL OR user_id = :owner)';

export function ownerParameter(owner: Owner): string | null {
  return owner === 'anyone' ? null : toText(owner.user);
}
