import type { User } from '@halyard/contracts';

/** The `user.id` of a span: the verified user, otherwise the user that the request names. */
export function userAttribute(user: User | undefined, userId: string | undefined): string | undefined {
  return user === undefined ? userId : (user.id ?? user.sub);
}
