import type { KeyObject } from 'node:crypto';
import {
  type AuthProvider,
  checkOptionNames,
  type Clock,
  ConfigurationError,
  type Logger,
  type OptionNames,
  toUser,
  type User,
} from '@halyard/contracts';
import jwt from 'jsonwebtoken';
import { type PublicKeys, publicKeys, secretKeys, type Secrets } from './fixed-keys.ts';
import { JwkSet, type JwksOptions } from './jwk-set.ts';
import type { KeySource } from './key-source.ts';
import { readHeader } from './token-header.ts';
import { VerifiedTokens } from './verified-tokens.ts';
import { type JwtVerifyOptions, type VerifySettings, verifySettings } from './verify-settings.ts';

/** The claims of a valid token. */
export interface JwtClaims extends User {
  /** When the token expires, in seconds since the epoch. */
  readonly exp?: number;
}

/** Set one of `secret`, `publicKey` and `jwksUri`. Without any, the secret is the environment variable `JWT_SECRET`. */
export interface JwtAuthOptions {
  /** The HMAC secret of the tokens, 32 bytes or more. Each secret of a list is accepted, so that a secret can be rotated. */
  readonly secret?: Secrets;
  /** The public key of the tokens, in PEM or as a `KeyObject`. Each key of a list is accepted. */
  readonly publicKey?: PublicKeys;
  /** The address of an identity provider's JSON Web Key Set. */
  readonly jwksUri?: string | URL;
  readonly jwks?: JwksOptions;
  /**
   * Converts the claims of a valid token to a user; null refuses the token. Default: the claims are the user, whose id is `sub`. A claim
   * `id` is left out then: what it means, and who can change it, differs between identity providers.
   */
  readonly mapUser?: (claims: JwtClaims) => Promise<User | null> | User | null;
  readonly verifyOptions?: JwtVerifyOptions;
  /** Routes that need no credentials, as route patterns. */
  readonly publicRoutes?: readonly string[];
  /** Legacy mode: whether the app's own routes and unknown routes are protected. */
  readonly defaultPrivate?: boolean;
  readonly clock?: Clock;
  /** Receives warnings about short secrets and about keys that cannot be fetched. Default: `process.emitWarning`. */
  readonly logger?: Logger;
}

/**
 * Accepts JSON Web Tokens. Keys and algorithms come from the options, never from a token.
 *
 * `verifyToken` throws only what `mapUser` throws. It returns a promise only with a `jwksUri` or when `mapUser` returns one.
 *
 * @throws ConfigurationError for invalid or weak keys, and for unknown or invalid options.
 */
export function jwtAuth(options: JwtAuthOptions = {}): AuthProvider {
  checkOptionNames('jwtAuth', options, optionNames);
  const { clock = { now: Date.now }, logger = processWarnings, mapUser, publicRoutes, defaultPrivate } = options;
  const keys = keySource(options, clock, logger);
  const settings = verifySettings(options.verifyOptions ?? {}, keys.defaults, keys.possible);
  const verified = new VerifiedTokens();
  const userOf = (token: string, candidates: readonly KeyObject[]): Promise<User | null> | User | null => {
    const nowMs = clock.now();
    const claims = verified.find(token, candidates, nowMs) ?? claimsOf(token, candidates, settings, nowMs, verified);
    if (claims === null) return null;
    if (mapUser === undefined) return withoutId(claims);
    const mapped = mapUser(claims);
    return isThenable(mapped) ? Promise.resolve(mapped).then(toUser) : toUser(mapped);
  };
  return {
    type: 'jwt',
    ...(settings.issuer === undefined ? {} : { issuers: settings.issuer }),
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

function withoutId(claims: JwtClaims): User {
  if (claims.id === undefined) return claims;
  const { id: _, ...user } = claims;
  return user;
}

const optionNames: OptionNames<JwtAuthOptions> = {
  clock: true,
  defaultPrivate: true,
  jwks: true,
  jwksUri: true,
  logger: true,
  mapUser: true,
  publicKey: true,
  publicRoutes: true,
  secret: true,
  verifyOptions: true,
};

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

/** The claims of a token that one of the keys has signed and that is valid now; null for any other. */
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
      if (claims === null || !hasFiniteTimes(claims)) return null;
      verified.add(token, key, claims, nowMs, validUntilMs(claims, settings) - nowMs);
      return claims;
    } catch {
      // The reason is not reported to the client. The next key may fit.
    }
  }
  return null;
}

/** JSON can contain numbers that are too large for a time: `1e999` is read as Infinity, and such a token would never expire. */
function hasFiniteTimes({ exp, iat, nbf }: JwtClaims): boolean {
  return [exp, iat, nbf].every((time) => typeof time !== 'number' || Number.isFinite(time));
}

/** Until when a token that is valid now remains valid. */
function validUntilMs({ exp, iat }: JwtClaims, settings: Pick<VerifySettings, 'clockTolerance' | 'maxAge'>): number {
  const { clockTolerance, maxAge = Number.POSITIVE_INFINITY } = settings;
  const expiresAt = exp ?? Number.POSITIVE_INFINITY;
  const agedAt = typeof iat === 'number' ? iat + maxAge : Number.POSITIVE_INFINITY;
  return (Math.min(expiresAt, agedAt) + clockTolerance) * 1_000;
}

/** Query builders of some databases return thenables that are not promises. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

const emitWarning: Logger['warn'] = (fields, message) =>
  process.emitWarning(`${message}${reasonOf(fields)}`, 'HalyardAuthWarning');

const processWarnings: Logger = { debug: () => {}, info: () => {}, warn: emitWarning, error: emitWarning };

function reasonOf(fields: object): string {
  return 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : '';
}
