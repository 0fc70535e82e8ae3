import { HalyardError, type Owner } from '@halyard/contracts';
import type { Caller } from './caller.ts';
import { subjectOf } from './identity.ts';

/**
 * Whose data a caller may touch: a verified user's own; anybody's where nobody is verified (no access control, console, dev bypass).
 *
 * @throws HalyardError (`UNAUTHENTICATED`) for a verified user without an id: nobody knows who that is, which is not the same as anybody.
 */
export function ownerOf(caller: Caller): Owner {
  if (caller.user === undefined) return 'anyone';
  const user = subjectOf(caller);
  if (user === undefined || user === '')
    throw new HalyardError('unauthenticated', 'UNAUTHENTICATED', 'Invalid or expired token');
  return { user };
}
