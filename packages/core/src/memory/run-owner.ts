import { HalyardError, type Owner, type User } from '@halyard/contracts';

/**
 * Whose data a run may access: that of the verified user; without a verified user, that of anyone.
 *
 * @throws HalyardError (`UNAUTHENTICATED`) for a verified user without an id, who must not be
 * treated as anyone.
 */
export function runOwner(user: User | undefined): Owner {
  if (user === undefined) return 'anyone';
  const subject = user.id ?? user.sub ?? '';
  if (subject === '') throw new HalyardError('unauthenticated', 'UNAUTHENTICATED', 'The verified user has no id');
  return { user: subject };
}
