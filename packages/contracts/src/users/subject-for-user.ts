/**
 * The subject of an execution of this user: `user:` and the id. Undefined without a user: then it
 * is the app's own work.
 */
export function subjectForUser(userId: string | null | undefined): string | undefined {
  return userId === null || userId === undefined ? undefined : `user:${userId}`;
}
