import { HalyardError, type Owner } from '@halyard/contracts';
import type { Caller } from './caller.ts';
import { subjectOf } from './identity.ts';

/**
 * Whose data a caller may touch: a verified user's own; anybody's where nobody is verified (no access control, console, dev bypass).
 *
 * @throws AccessRefusedError for a verified user without an id.
 */
export function ownerOf(caller: Caller): Owner {
  const user = subjectOf(caller);
  return user === undefined ? 'anyone' : { user };
}

/**
 * {@link ownerOf}, for a request that says whose data it means: a verified user can mean nobody else's, others mean whom they name.
 *
 * @throws HalyardError (`USER_MISMATCH`) for a verified user who names another.
 */
export function ownerNamed(caller: Caller, userId: string | undefined): Owner {
  const owner = ownerOf(caller);
  if (userId === undefined) return owner;
  if (owner !== 'anyone' && owner.user !== userId)
    throw new HalyardError('forbidden', 'USER_MISMATCH', 'userId must be that of the verified user');
  return { user: userId };
}
