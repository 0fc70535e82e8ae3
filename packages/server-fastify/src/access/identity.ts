import { AccessRefusedError } from './access-refused-error.ts';
import type { Caller } from './caller.ts';

/** The user and context that a request names. */
export interface SentIdentity {
  readonly userId?: string | undefined;
  readonly context?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Identity {
  readonly userId: string | undefined;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The id of the verified user; undefined without one.
 *
 * @throws AccessRefusedError for a verified user without an id, who must not be treated like a request without a user.
 */
export function subjectOf({ user }: Caller): string | undefined {
  if (user === undefined) return undefined;
  const subject = user.id ?? user.sub ?? '';
  if (subject === '') throw AccessRefusedError.invalidToken();
  return subject;
}

/** The user of a run: the verified user, else the one that the request names. A `userId` in the context is replaced too. */
export function identify(caller: Caller, { context, userId }: SentIdentity): Identity {
  const subject = subjectOf(caller);
  const sent = context ?? undefined;
  if (subject === undefined) return { userId, context: sent };
  return {
    userId: subject,
    context: sent !== undefined && Object.hasOwn(sent, 'userId') ? { ...sent, userId: subject } : sent,
  };
}

/** The key by which limits are counted: the verified user, else the address. */
export function callerKey(caller: Caller): string {
  const subject = subjectOf(caller);
  return subject === undefined ? `address:${caller.address}` : `user:${subject}`;
}
