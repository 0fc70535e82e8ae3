import {
  type AuthProvider,
  type AuthRequest,
  type Clock,
  ConfigurationError,
  toUser,
  type User,
} from '@halyard/contracts';
import { VerifiedCache, type VerifiedCacheOptions } from './verified-cache.ts';

export interface CustomAuthOptions {
  /** A name for logs and start-up messages. */
  readonly type: string;
  /**
   * Returns the user of a token, or null for an invalid one. Throwing and returning anything but a
   * plain object mean invalid too.
   */
  readonly verifyToken: (token: string, request: AuthRequest) => Promise<User | null> | User | null;
  /**
   * How long `verifyToken` may take, in milliseconds, before the token counts as invalid. Default
   * 5000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Caches the users of accepted tokens. Use it only when the user depends on nothing but the
   * token. Default: no cache.
   */
  readonly cache?: VerifiedCacheOptions | undefined;
  /** Routes that need no credentials, as route patterns. */
  readonly publicRoutes?: readonly string[] | undefined;
  /** Legacy mode: whether the app's own routes and unknown routes are protected. */
  readonly defaultPrivate?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Accepts the tokens that the app's own function accepts. The provider's `verifyToken` never throws
 * and settles within `timeoutMs`.
 *
 * @throws ConfigurationError for invalid options.
 */
export function customAuth(options: CustomAuthOptions): AuthProvider {
  const { type, verifyToken, timeoutMs = 5_000, clock = { now: Date.now }, publicRoutes, defaultPrivate } = options;
  if (typeof type !== 'string' || type.trim() === '') throw new ConfigurationError('customAuth needs a type: a name');
  if (typeof verifyToken !== 'function') throw new ConfigurationError('customAuth needs verifyToken: a function');
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0 || timeoutMs > longestTimeoutMs) {
    throw new ConfigurationError('timeoutMs of customAuth must be a number of milliseconds above 0');
  }
  const verify = (token: string, request: AuthRequest): Promise<User | null> =>
    userWithin(timeoutMs, () => verifyToken(token, request));
  const cache = options.cache === undefined ? undefined : new VerifiedCache(options.cache, clock);
  return {
    type,
    ...(publicRoutes === undefined ? {} : { publicRoutes }),
    ...(defaultPrivate === undefined ? {} : { defaultPrivate }),
    verifyToken: (token, request) => {
      if (typeof token !== 'string' || token === '') return null;
      return cache === undefined ? verify(token, request) : cache.find(token, () => verify(token, request));
    },
  };
}

/**
 * The user that `verify` returns; null when it fails, returns anything else, or takes longer than
 * the limit.
 */
async function userWithin(limitMs: number, verify: () => unknown): Promise<User | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), limitMs);
  try {
    return toUser(await Promise.race([verify(), late]));
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Node's timers take 31 bits; longer ones fire at once. */
const longestTimeoutMs = 2_147_483_647;
