import { type AuthProvider, type AuthRequest, type Logger, toUser, type User } from '@halyard/contracts';
import { AccessRefusedError } from './access-refused-error.ts';
import type { ConsoleKey } from './console-key.ts';
import type { ConsoleGrant } from './console-roles.ts';
import type { Credentials } from './credentials.ts';
import type { Requirement } from './policy.ts';

export interface AuthSettings {
  readonly provider: AuthProvider | undefined;
  readonly consoleKey: ConsoleKey;
  /** What the roles of a verified user allow in the console; undefined if no role does. */
  readonly grantsOf?: ((user: User) => readonly ConsoleGrant[]) | undefined;
  /** Whether the dev bypass is accepted. */
  readonly allowsDevBypass: () => boolean;
  readonly logger: Logger;
  /** No verified user may have one of these ids. */
  readonly reservedUserIds: ReadonlySet<string | undefined>;
}

/** An accepted request. */
export interface Authorized {
  /** The verified user; undefined for public routes, the console key and the dev bypass. */
  readonly user: User | undefined;
  /**
   * Whether the request had a valid token or console key, which a page of another site cannot send.
   */
  readonly hasCredential: boolean;
  /**
   * The user of a token that was sent beside the console key or the dev bypass, or whose roles open a
   * console route.
   */
  readonly tokenUser?: User;
  /** What the roles of the token allow. */
  readonly grants?: readonly ConsoleGrant[];
  /** Whether it has neither a token nor the dev bypass, on a route where some calls need one. */
  readonly isUnauthorized?: boolean;
}

/** The time limit for a provider to verify a token. */
export const verifyLimitMs = 5_000;

const anonymous: Authorized = { user: undefined, hasCredential: false };
const console: Authorized = { user: undefined, hasCredential: true };

/**
 * Accepts a request whose credentials fulfil the requirement of its route.
 *
 * @throws AccessRefusedError for any other request.
 */
export async function authorize(
  requirement: Requirement,
  credentials: Credentials,
  settings: AuthSettings,
  request: AuthRequest,
): Promise<Authorized> {
  switch (requirement) {
    case 'public':
    case 'open':
      return anonymous;
    case 'console':
      return asConsole(credentials, settings, request);
    case 'user':
    case 'calls-of-users':
      return asUser(credentials, settings, request, false);
    case 'user-or-operator':
      return credentials.token === undefined && settings.consoleKey.matches(credentials.consoleKey)
        ? console
        : asUser(credentials, settings, request, false);
    case 'console-or-user':
      return settings.consoleKey.matches(credentials.consoleKey)
        ? console
        : asUser(credentials, settings, request, hasKey(credentials));
    default:
      return requirement satisfies never;
  }
}

async function asConsole(credentials: Credentials, settings: AuthSettings, request: AuthRequest): Promise<Authorized> {
  if (settings.consoleKey.matches(credentials.consoleKey)) return console;
  if (isDeveloper(credentials, settings)) return anonymous;
  const { token } = credentials;
  if (token === undefined || settings.grantsOf === undefined) throw AccessRefusedError.console(hasKey(credentials));
  const user = await verify(token, settings, request);
  const grants = user === undefined ? [] : settings.grantsOf(user);
  if (user === undefined || grants.length === 0)
    throw AccessRefusedError.console(hasKey(credentials) || user === undefined);
  return { user: undefined, hasCredential: true, tokenUser: user, grants };
}

/** Whether a console key was sent. */
export function hasKey({ consoleKey }: Credentials): boolean {
  return consoleKey !== undefined && consoleKey !== '';
}

function isDeveloper({ hasDevBypass }: Credentials, { allowsDevBypass }: AuthSettings): boolean {
  return hasDevBypass && allowsDevBypass();
}

async function asUser(
  credentials: Credentials,
  settings: AuthSettings,
  request: AuthRequest,
  hasWrongKey: boolean,
): Promise<Authorized> {
  const { token } = credentials;
  const user = token === undefined ? undefined : await verify(token, settings, request);
  // A valid token takes precedence over the dev bypass.
  if (user !== undefined) {
    const grants = settings.grantsOf?.(user) ?? [];
    return { user, hasCredential: true, ...(grants.length > 0 && { grants }) };
  }
  if (isDeveloper(credentials, settings)) return anonymous;
  throw token === undefined ? AccessRefusedError.missing(hasWrongKey) : AccessRefusedError.invalidToken();
}

async function verify(
  token: string,
  { logger, provider, reservedUserIds }: AuthSettings,
  request: AuthRequest,
): Promise<User | undefined> {
  if (provider === undefined) return undefined;
  try {
    const verified = toUser(await withinLimit(provider.verifyToken(token, { ...request, logger }))) ?? undefined;
    if (!reservedUserIds.has(verified?.id ?? verified?.sub)) return verified;
    logger.warn({ provider: provider.type }, 'a token names the anonymous user, so it was rejected');
    return undefined;
  } catch (error) {
    // Only the name of the error is logged: its message may contain the token.
    const why = error instanceof Error ? error.name : typeof error;
    logger.debug({ provider: provider.type, error: why }, 'the auth provider refused a token with an error');
    return undefined;
  }

  async function withinLimit(result: unknown): Promise<unknown> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      logger.warn({ provider: provider?.type, limitMs: verifyLimitMs }, 'the auth provider took too long');
      resolve(undefined);
    }, verifyLimitMs);
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
