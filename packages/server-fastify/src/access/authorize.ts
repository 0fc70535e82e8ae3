import { type AuthProvider, type AuthRequest, type Logger, toUser, type User } from '@halyard/contracts';
import { AccessRefusedError } from './access-refused-error.ts';
import type { ConsoleKey } from './console-key.ts';
import type { Credentials } from './credentials.ts';
import type { Requirement } from './requirement.ts';

/** What credentials are held against. */
export interface AuthSettings {
  readonly provider: AuthProvider | undefined;
  readonly consoleKey: ConsoleKey;
  /** Whether the dev bypass counts; asked only where somebody wants to use it. */
  readonly allowsDevBypass: () => boolean;
  readonly logger: Logger;
}

/** A request that may go on. `user` is whom its token speaks for; undefined for console, developers and public routes. */
export interface Authorized {
  readonly user: User | undefined;
  /** Whether a token or the console key let it in: something that the page of another site does not have. */
  readonly hasCredential: boolean;
}

/** How long a provider may take to say whose a token is. */
export const verifyLimitMs = 5_000;

const nobody: Authorized = { user: undefined, hasCredential: false };
const console: Authorized = { user: undefined, hasCredential: true };

/**
 * Lets a request go on that brings what its route requires.
 *
 * @throws AccessRefusedError for all others.
 */
export async function authorize(
  requirement: Requirement,
  credentials: Credentials,
  settings: AuthSettings,
  request: AuthRequest,
): Promise<Authorized> {
  switch (requirement) {
    case 'public':
      return nobody;
    case 'console':
      return asConsole(credentials, settings);
    case 'user':
      return asUser(credentials, settings, request, false);
    case 'console-or-user':
      return settings.consoleKey.matches(credentials.consoleKey)
        ? console
        : asUser(credentials, settings, request, hasKey(credentials));
    default:
      return requirement satisfies never;
  }
}

function asConsole(credentials: Credentials, settings: AuthSettings): Authorized {
  if (settings.consoleKey.matches(credentials.consoleKey)) return console;
  if (isDeveloper(credentials, settings)) return nobody;
  throw AccessRefusedError.console(hasKey(credentials));
}

function hasKey({ consoleKey }: Credentials): boolean {
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
  // A developer who is somebody is that user, and not anybody.
  if (user !== undefined) return { user, hasCredential: true };
  if (isDeveloper(credentials, settings)) return nobody;
  throw token === undefined ? AccessRefusedError.missing(hasWrongKey) : AccessRefusedError.invalidToken();
}

async function verify(
  token: string,
  { logger, provider }: AuthSettings,
  request: AuthRequest,
): Promise<User | undefined> {
  if (provider === undefined) return undefined;
  try {
    const answer: unknown = provider.verifyToken(token, request);
    // Without a promise there is nothing to wait for, and no timer is needed.
    const user = isThenable(answer) ? await inTime(answer) : answer;
    return toUser(user) ?? undefined;
  } catch (error) {
    // Its name alone: what a provider says of a token may hold the token.
    const why = error instanceof Error ? error.name : typeof error;
    logger.debug({ provider: provider.type, error: why }, 'the auth provider did not take a token');
    return undefined;
  }

  async function inTime(answer: PromiseLike<unknown>): Promise<unknown> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      logger.warn({ provider: provider?.type, limitMs: verifyLimitMs }, 'the auth provider took too long');
      resolve(undefined);
    }, verifyLimitMs);
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
