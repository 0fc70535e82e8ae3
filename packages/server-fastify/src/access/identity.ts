import { AccessRefusedError } from './access-refused-error.ts';
import type { Caller } from './caller.ts';

/** Who a request says it is about, wherever it says so. */
export interface SentIdentity {
  readonly userId?: string | undefined;
  readonly context?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Identity {
  readonly userId: string | undefined;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The person a verified credential speaks for; undefined without one.
 *
 * @throws AccessRefusedError for a verified user without an id: nobody knows who that is, which is not the same as anybody.
 */
export function subjectOf({ user }: Caller): string | undefined {
  if (user === undefined) return undefined;
  const subject = user.id ?? user.sub ?? '';
  if (subject === '') throw AccessRefusedError.invalidToken();
  return subject;
}

/** Whom a run is for: the verified user, whatever was sent; without one, as sent. `context.userId` follows where there is one. */
export function identify(caller: Caller, { context, userId }: SentIdentity): Identity {
  const subject = subjectOf(caller);
  const sent = context ?? undefined;
  if (subject === undefined) return { userId, context: sent };
  return {
    userId: subject,
    context: sent !== undefined && Object.hasOwn(sent, 'userId') ? { ...sent, userId: subject } : sent,
  };
}

/** What the limits of a caller are counted by. */
export function callerKey(caller: Caller): string {
  const subject = subjectOf(caller);
  return subject === undefined ? `address:${caller.address}` : `user:${subject}`;
}
