import type { Owner } from '@halyard/contracts';

/** Who may access what an execution of this user may access. Undefined: it has no user. */
export function ownerOf(userId: string | undefined): Owner {
  return userId === undefined ? 'anyone' : { user: userId };
}
