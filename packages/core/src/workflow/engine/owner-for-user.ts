import type { Owner } from '@halyard/contracts';

/** The owner of everything that an execution of this user may access. Undefined: it has no user. */
export function ownerForUser(userId: string | undefined): Owner {
  return userId === undefined ? 'anyone' : { user: userId };
}
