import type { Owner } from '@halyard/contracts';
import { toText } from './text.ts';

/** The condition of every query, with the parameter of {@link ownerParameter}. */
export const isOwners = '(:owner IS NULL OR user_id = :owner)';

export function ownerParameter(owner: Owner): string | null {
  return owner === 'anyone' ? null : toText(owner.user);
}
