import type { KeyObject } from 'node:crypto';
import { type AuthProvider, type Clock, ConfigurationError, type Logger, toUser, type User } from '@halyard/contracts';
import jwt from 'jsonwebtoken';
import { type PublicKeys, publicKeys, secretKeys, type Secrets } from './fixed-keys.ts';
import { JwkSet, type JwksOptions } from './jwk-set.ts';
import type { KeySource } from './key-source.ts';
import { readHeader } from './token-header.ts';
import { VerifiedTokens } from './verified-tokens.ts';
import { type JwtVerifyOptions, type VerifySettings, verifySettings } from './verify-settings.ts';

/** What a valid token says. */
export interface JwtClaims extends User {
  /** When it ends, in seconds since the epoch. */
  readonly exp?: number;
}

/** One of `secret`, `publicKey` and `jwksUri`; without any, the secret is `JWT_SECRET` of the environment. */
export interface JwtAuthOptions {
  /** What tokens are signed with (HMAC), of 32 bytes or more. Of several each is accepted, so that a secret can be changed. */
  readonly secret?: Secrets;
  /** The public half of what tokens are signed with, in PEM. Of several each is accepted. */
  readonly publicKey?: PublicKeys;
  /** Where an identity provider publishes its keys as a JSON Web Key Set. */
  readonly jwksUri?: string | URL;
  readonly jwks?: JwksOptions;
  /** Makes the user of the claims of a valid token; null refuses it. Default: the claims are the user. */
  readonly mapUser?: (claims: JwtClaims) => Promise<User | null> | User | null;
  readonly verifyOptions?: JwtVerifyOptions;
  /** Routes that need no credentials, as route patterns. */
  readonly publicRoutes?: readonly string[];
  /** Legacy mode: whether the app's own routes and unknown ones are protected. */
  readonly defaultPrivate?: boolean;
  readonly clock?: Clock;
  /** Told about secrets that are too short and keys that cannot be fetched. Default: warnings of the process. */
  readonly logger?: Logger;
}

/**
 * Accepts JSON Web Tokens. The keys and algorithms are those of the options, never those of a token.
 *
 * `verifyToken` throws, or rejects with, only what `mapUser` does. Without a `jwksUri`, and with a `mapUser` that returns at once, so does it.
 *
 * @throws ConfigurationError for keys that are none or too weak, and options that cannot be.
 */
export function jwtAuth(options: JwtAuthOptions = {}): AuthProvider {
  for (const name of Object.keys(options)) {
    if (!names.has(name)) throw new ConfigurationError(`jwtAuth knows no option ${name}`);
  }
  const { clock = { now: Date.now }, logger = processWarnings, mapUser, publicRoutes, defaultPrivate } = options;
  const keys = keySource(options, clock, logger);
  const settings = verifySettings(options.verifyOptions ?? {}, keys.defaults, keys.possible);
  const verified = new VerifiedTokens();
  const userOf = (token: string, candidates: readonly KeyObject[]): Promise<User | null> | User | null => {
    const nowMs = clock.now();
    const claims = verified.find(token, candidates, nowMs) ?? claimsOf(token, candidates, settings, nowMs, verified);
    if (claims === null || mapUser === undefined) return claims;
    const mapped = mapUser(claims);
    return isThenable(mapped) ? Promise.resolve(mapped).then(toUser) : toUser(mapped);
  };
  return {
    type: 'jwt',
    ...(publicRoutes === undefined ? {} : { publicRoutes }),
    ...(defaultPrivate === undefined ? {} : { defaultPrivate }),
    verifyToken: (token) => {
      const header = readHeader(token);
      if (header === undefined || !settings.algorithms.has(header.alg)) return null;
      const found = keys.find(header);
      return found instanceof Promise ? found.then((fetched) => userOf(token, fetched)) : userOf(token, found);
    },
  };
}

const names: ReadonlySet<string> = new Set<keyof JwtAuthOptions>([
  'secret',
  'publicKey',
  'jwksUri',
  'jwks',
  'mapUser',
  'verifyOptions',
  'publicRoutes',
  'defaultPrivate',
  'clock',
  'logger',
]);

function keySource(options: JwtAuthOptions, clock: Clock, logger: Logger): KeySource {
  const { secret, publicKey, jwksUri, jwks } = options;
  if ([secret, publicKey, jwksUri].filter((given) => given !== undefined).length > 1) {
    throw new ConfigurationError('jwtAuth takes one of secret, publicKey and jwksUri');
  }
  if (jwksUri !== undefined) return new JwkSet(jwksUri, jwks ?? {}, { clock, logger });
  if (publicKey !== undefined) return publicKeys(publicKey);

  const signing = secret ?? process.env['JWT_SECRET'];
  if (signing === undefined) {
    throw new ConfigurationError('jwtAuth needs secret, publicKey or jwksUri, or JWT_SECRET in the environment');
  }
  return secretKeys(signing, logger);
}

/** What a token says when it was signed for one of the keys and holds now; null when not. */
function claimsOf(
  token: string,
  keys: readonly KeyObject[],
  { algorithms, ...settings }: VerifySettings,
  nowMs: number,
  verified: VerifiedTokens,
): JwtClaims | null {
  const clockTimestamp = Math.floor(nowMs / 1_000);
  for (const key of keys) {
    try {
      const claims = toUser(jwt.verify(token, key, { ...settings, algorithms: [...algorithms], clockTimestamp }));
      if (claims !== null) verified.add(token, key, claims, nowMs, endsAtMs(claims, settings) - nowMs);
      return claims;
    } catch {
      // The reason is nobody's business who sends tokens; another key may be the one.
    }
  }
  return null;
}

/** When a token that holds now will not any more. */
function endsAtMs({ exp, iat }: JwtClaims, settings: Pick<VerifySettings, 'clockTolerance' | 'maxAge'>): number {
  const { clockTolerance, maxAge = Number.POSITIVE_INFINITY } = settings;
  const expiresAt = exp ?? Number.POSITIVE_INFINITY;
  const agedAt = typeof iat === 'number' ? iat + maxAge : Number.POSITIVE_INFINITY;
  return (Math.min(expiresAt, agedAt) + clockTolerance) * 1_000;
}

/** Not only promises: what databases return may be another thing that can be waited for. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

const processWarnings: Logger = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => process.emitWarning(`${message}${reasonOf(fields)}`, 'HalyardAuthWarning'),
  error: (fields, message) => process.emitWarning(`${message}${reasonOf(fields)}`, 'HalyardAuthWarning'),
};

function reasonOf(fields: object): string {
  return 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : '';
}
