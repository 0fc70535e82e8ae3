import type { User } from '@halyard/contracts';

/** Whose work it is: the verified user, else who the request names. */
export function userAttribute(user: User | undefined, userId: string | undefined): string | undefined {
  return user === undefined ? userId : (user.id ?? user.sub);
}
