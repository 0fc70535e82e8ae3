import type { Owner } from '@halyard/contracts';
import type { Caller } from './caller.ts';
import { subjectOf } from './identity.ts';

/**
 * Whose data a caller may touch: a verified user's own; anybody's where nobody is verified (no access control, console, dev bypass).
 *
 * @throws HalyardError (`UNAUTHENTICATED`) for a verified user without an id.
 */
export function ownerOf(caller: Caller): Owner {
  const user = subjectOf(caller);
  return user === undefined ? 'anyone' : { user };
}
