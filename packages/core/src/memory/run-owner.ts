import { HalyardError, type Owner, type User } from '@halyard/contracts';

/**
 * Whose data a run may touch: a verified user's own; anybody's where nobody is verified.
 *
 * @throws HalyardError (`UNAUTHENTICATED`) for a verified user without an id: nobody knows who that is, which is not the same as anybody.
 */
export function runOwner(user: User | undefined): Owner {
  if (user === undefined) return 'anyone';
  const subject = user.id ?? user.sub ?? '';
  if (subject === '') throw new HalyardError('unauthenticated', 'UNAUTHENTICATED', 'The verified user has no id');
  return { user: subject };
}
