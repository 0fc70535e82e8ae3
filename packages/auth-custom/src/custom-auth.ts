import {
  type AuthProvider,
  type AuthRequest,
  type Clock,
  ConfigurationError,
  toUser,
  type User,
} from '@halyard/contracts';
import { isThenable, userWithin } from './user-within.ts';
import { VerifiedCache, type VerifiedCacheOptions } from './verified-cache.ts';

export interface CustomAuthOptions {
  /** A name for logs and start-up messages. */
  readonly type: string;
  /** The user that a token speaks for; null when it is not valid. Throwing, and anything but a plain object, counts as not valid. */
  readonly verifyToken: (token: string, request: AuthRequest) => Promise<User | null> | User | null;
  /** How long `verifyToken` may take, in milliseconds, before the token counts as not valid. Default 5000. */
  readonly timeoutMs?: number;
  /** Keeps who tokens were found to speak for. Default: each request asks anew. Only where that depends on nothing but the token. */
  readonly cache?: VerifiedCacheOptions;
  /** Routes that need no credentials, as route patterns. */
  readonly publicRoutes?: readonly string[];
  /** Legacy mode: whether the app's own routes and unknown ones are protected. */
  readonly defaultPrivate?: boolean;
  readonly clock?: Clock;
}

/**
 * Accepts what a function of one's own accepts. Its `verifyToken` never throws, and comes to an end in `timeoutMs`.
 *
 * @throws ConfigurationError for options that cannot be.
 */
export function customAuth(options: CustomAuthOptions): AuthProvider {
  const { type, verifyToken, timeoutMs = 5_000, clock = { now: Date.now }, publicRoutes, defaultPrivate } = options;
  for (const name of Object.keys(options)) {
    if (!names.has(name)) throw new ConfigurationError(`customAuth knows no option ${name}`);
  }
  if (typeof type !== 'string' || type.trim() === '') throw new ConfigurationError('customAuth needs a type: a name');
  if (typeof verifyToken !== 'function') throw new ConfigurationError('customAuth needs verifyToken: a function');
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0 || timeoutMs > longestTimeoutMs) {
    throw new ConfigurationError('timeoutMs of customAuth must be a number of milliseconds above 0');
  }
  const ask = (token: string, request: AuthRequest): Promise<User | null> | User | null => {
    try {
      const answer = verifyToken(token, request);
      return isThenable(answer) ? userWithin(timeoutMs, answer) : toUser(answer);
    } catch {
      return null;
    }
  };
  const cache = options.cache === undefined ? undefined : new VerifiedCache(options.cache, clock);
  return {
    type,
    ...(publicRoutes === undefined ? {} : { publicRoutes }),
    ...(defaultPrivate === undefined ? {} : { defaultPrivate }),
    verifyToken: (token, request) => {
      if (typeof token !== 'string' || token === '') return null;
      return cache === undefined ? ask(token, request) : cache.find(token, () => ask(token, request));
    },
  };
}

const names: ReadonlySet<string> = new Set<keyof CustomAuthOptions>([
  'type',
  'verifyToken',
  'timeoutMs',
  'cache',
  'publicRoutes',
  'defaultPrivate',
  'clock',
]);

/** Timers take no more than 31 bits, and fire at once when given more. */
const longestTimeoutMs = 2_147_483_647;
