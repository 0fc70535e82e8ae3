import { toUser, type User } from '@halyard/contracts';

/** The user that is told of within the limit; null for all else, an error too. What comes later is let go. */
export async function userWithin(limitMs: number, answer: PromiseLike<unknown>): Promise<User | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), limitMs);
  try {
    return toUser(await Promise.race([answer, late]));
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
