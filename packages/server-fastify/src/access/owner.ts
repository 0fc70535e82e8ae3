import { HalyardError, type Owner } from '@halyard/contracts';
import type { Caller } from './caller.ts';
import { subjectOf } from './identity.ts';

/**
 * The owner whose data a caller may access: the verified user, else anyone (without access control, with the console key or the dev
 * bypass).
 *
 * @throws AccessRefusedError for a verified user without an id.
 */
export function ownerOf(caller: Caller): Owner {
  const user = subjectOf(caller);
  return user === undefined ? 'anyone' : { user };
}

/**
 * {@link ownerOf} for a request that names a user. A verified user can name nobody else; other callers access the data of the user
 * that they name.
 *
 * @throws HalyardError (`USER_MISMATCH`) for a verified user who names another user.
 */
export function ownerNamed(caller: Caller, userId: string | undefined): Owner {
  const owner = ownerOf(caller);
  if (userId === undefined) return owner;
  if (owner !== 'anyone' && owner.user !== userId)
    throw new HalyardError('forbidden', 'USER_MISMATCH', 'userId must be that of the verified user');
  return { user: userId };
}
