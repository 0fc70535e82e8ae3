import { createHmac } from 'node:crypto';
import { HalyardError, InvalidInputError, isExternalId, type Owner, type User } from '@halyard/contracts';
import { networkForAddress, type Responder } from '@halyard/core/server';
import { AccessRefusedError } from './access-refused-error.ts';
import type { ConsoleGrant } from './console-roles.ts';

/** The sender of a request. */
export interface Caller {
  /** The verified user, if any. */
  readonly user: User | undefined;
  /**
   * Whether the console key, or a role of its token, has opened the console: its request is about the
   * data of all users, and not about its own.
   */
  readonly hasConsoleAccess?: boolean;
  /**
   * Whether it may do what only operators may: with the console key, a console role or the dev
   * bypass, or without access control; never with a verified user, nor by a call without credentials
   * to a public or open route.
   */
  readonly isOperator?: boolean;
  /**
   * The user of a token that was sent beside the console key or the dev bypass, which decide whose
   * data the request can access, or of a console role. The record of a decision names this user.
   */
  readonly tokenUser?: User | undefined;
  /** What the roles of the token allow on this route: its limits, for an operator without a `user`. */
  readonly grants?: readonly ConsoleGrant[] | undefined;
  /** Whether it has neither a token nor the dev bypass, on a route where some calls need one. */
  readonly isUnauthorized?: boolean | undefined;
  /** The IP address, to which limits apply when there is no user. */
  readonly address: string;
}

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
 * @throws AccessRefusedError for a verified user without an id, who must not be treated like a
 * request without a user.
 */
export function subjectForCaller({ user }: Caller): string | undefined {
  if (user === undefined) return undefined;
  const subject = findUserId(user);
  if (subject === undefined) throw AccessRefusedError.invalidToken();
  return subject;
}

/** The id of the person who acts: also of an operator who has sent a token beside the console key. */
export function actorForCaller(caller: Caller): string | undefined {
  return subjectForCaller(caller.user === undefined ? { ...caller, user: caller.tokenUser } : caller);
}

/** What limits an operator, who has opened the console with a role; undefined for others. */
export function limitsOfOperator({ grants, user }: Caller): readonly ConsoleGrant[] | undefined {
  return user === undefined ? grants : undefined;
}

/** The person who responds to a request. The console key and the dev bypass are nobody. */
export function responderForCaller({ grants, isOperator = false, tokenUser, user }: Caller): Responder {
  return { user: user ?? (grants === undefined ? undefined : tokenUser), isOperator };
}

/** The same person as an operator, by a console role, and not as the user. */
export function asOperator({ user, ...caller }: Caller): Caller {
  return { ...caller, user: undefined, tokenUser: user, isOperator: true, hasConsoleAccess: true };
}

/**
 * The id of a user. Undefined also if it is not {@link isExternalId}: the routes of the user's data
 * could not be addressed.
 */
export function findUserId(user: User): string | undefined {
  const id = user.id ?? user.sub;
  return id !== undefined && isExternalId(id) ? id : undefined;
}

/**
 * The user of a run: the verified user, else the user that the request names. A `userId` in the
 * context is replaced too.
 */
export function identify(caller: Caller, { context, userId }: SentIdentity): Identity {
  const subject = subjectForCaller(caller);
  const sent = context ?? undefined;
  if (subject === undefined) return { userId: acceptSentUser(userId), context: sent };
  return {
    userId: subject,
    context: sent !== undefined && Object.hasOwn(sent, 'userId') ? { ...sent, userId: subject } : sent,
  };
}

/**
 * @throws InvalidInputError for half of a surrogate pair, which JSON can contain and a path cannot.
 */
function acceptSentUser(userId: string | undefined): string | undefined {
  if (userId === undefined || userId.isWellFormed()) return userId;
  throw new InvalidInputError('userId must be well-formed Unicode');
}

/**
 * The kind of caller that requests an operation for operators, which a workflow may allow to its
 * users.
 */
export function requesterForCaller({ isOperator = false }: Caller): 'operator' | 'user' {
  return isOperator ? 'operator' : 'user';
}

/**
 * @throws AccessRefusedError without credentials, else HalyardError (`OPERATION_NOT_ALLOWED`),
 * unless an operator calls.
 */
export function requireOperator({ isOperator = false, user }: Caller, operation: string): void {
  if (isOperator) return;
  if (user === undefined) throw AccessRefusedError.missing(false);
  throw new HalyardError('forbidden', 'OPERATION_NOT_ALLOWED', `Only operators may ${operation}`);
}

/** The {@link callerKey} of callers with the console key. */
export const operatorKey = 'console';

/**
 * The key by which limits are counted: the verified user, the console key, else the network of the
 * address.
 */
export function callerKey(caller: Caller): string {
  const subject = limitsOfOperator(caller) === undefined ? subjectForCaller(caller) : actorForCaller(caller);
  if (subject !== undefined) return `user:${subject}`;
  return caller.hasConsoleAccess === true ? operatorKey : `address:${networkForAddress(caller.address)}`;
}

/**
 * The {@link callerKey} as it is stored with executions: without the address, which nobody finds by
 * trying all without the secret. Processes with the same secret have the same key for an address.
 */
export function storedCallerKey(caller: Caller, secret: string): string {
  const key = callerKey(caller);
  if (!key.startsWith('address:')) return key;
  // The first part keeps it apart from all else that is signed with the secret.
  const signed = JSON.stringify(['caller-address', key]);
  return `address:${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/**
 * The owner whose data a caller may access: the verified user, else anyone (without access control,
 * with the console key or the dev bypass).
 *
 * @throws AccessRefusedError for a verified user without an id.
 */
export function ownerForCaller(caller: Caller): Owner {
  const user = subjectForCaller(caller);
  return user === undefined ? 'anyone' : { user };
}

/**
 * {@link ownerForCaller} for a request that names a user. A verified user cannot name another user; other
 * callers access the data of the user that they name.
 *
 * @throws HalyardError (`USER_MISMATCH`) for a verified user who names another user.
 */
export function ownerNamed(caller: Caller, userId: string | undefined): Owner {
  const owner = ownerForCaller(caller);
  if (userId === undefined) return owner;
  if (owner !== 'anyone' && owner.user !== userId)
    throw new HalyardError('forbidden', 'USER_MISMATCH', 'userId must be that of the verified user');
  acceptSentUser(userId);
  return { user: userId };
}
