import {
  type AuthProvider,
  type AuthRequest,
  checkOptionNames,
  type Clock,
  ConfigurationError,
  ForwardedLogger,
  type Logger,
  type OptionNames,
  toUser,
  type User,
} from '@halyard/contracts';
import { type PublicKeys, publicKeys, secretKeys, type Secrets } from './fixed-keys.ts';
import { JwkSet, type JwksOptions } from './jwk-set.ts';
import { discoveredLocation, fixedLocation } from './jwks-location.ts';
import type { KeySource } from './key-source.ts';
import type { Refusal } from './refusal.ts';
import { readHeader } from './token-header.ts';
import { TokenVerifier } from './token-verifier.ts';
import { type JwtVerifyOptions, verifySettings } from './verify-settings.ts';
import type { Verification } from './verify-signed.ts';

/** The claims of a valid token. */
export interface JwtClaims extends User {
  /** When the token expires, in seconds since the epoch. */
  readonly exp?: number;
}

/**
 * Set one of `secret`, `publicKey`, `jwksUri` and `issuer`. Without any, the secret is the
 * environment variable `JWT_SECRET`.
 */
export interface JwtAuthOptions {
  /**
   * The HMAC secret of the tokens, 32 bytes or more. Each secret of a list is accepted, so that a
   * secret can be rotated.
   */
  readonly secret?: Secrets | undefined;
  /** The public key of the tokens, in PEM or as a `KeyObject`. Each key of a list is accepted. */
  readonly publicKey?: PublicKeys | undefined;
  /** The address of an identity provider's JSON Web Key Set. */
  readonly jwksUri?: string | URL | undefined;
  /**
   * The identity provider, exactly as it writes `iss` into its tokens. Its key set is discovered:
   * `jwks_uri` of `<issuer>/.well-known/openid-configuration`, whose `issuer` must be equal. Tokens
   * must have this issuer, unless `verifyOptions.issuer` names others.
   */
  readonly issuer?: string | undefined;
  readonly jwks?: JwksOptions | undefined;
  /**
   * Converts the claims of a valid token to a user; null refuses the token. Default: the claims are
   * the user, whose id is `sub`. A claim `id` is left out then: its meaning, and who can change it,
   * differs between identity providers.
   */
  readonly mapUser?: ((claims: JwtClaims) => Promise<User | null> | User | null) | undefined;
  readonly verifyOptions?: JwtVerifyOptions | undefined;
  /** Routes that need no credentials, as route patterns. */
  readonly publicRoutes?: readonly string[] | undefined;
  /** Legacy mode: whether the app's own routes and unknown routes are protected. */
  readonly defaultPrivate?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Receives warnings about short secrets and about keys that cannot be fetched, and at `debug` why
   * a token was refused, never the token. Default: the server's log; before there is one,
   * warnings are emitted by `process.emitWarning`.
   */
  readonly logger?: Logger | undefined;
}

/**
 * Accepts JSON Web Tokens. Keys and algorithms come from the options, never from a token.
 *
 * `verifyToken` throws only what `mapUser` throws. It returns a promise only with a key set or when
 * `mapUser` returns one.
 *
 * @throws ConfigurationError for invalid or weak keys, and for unknown or invalid options.
 */
export function jwtAuth(options: JwtAuthOptions = {}): AuthProvider {
  checkOptionNames('jwtAuth', options, optionNames);
  const forwarded = new ForwardedLogger(processWarnings);
  const { clock = { now: Date.now }, logger = forwarded, mapUser, publicRoutes, defaultPrivate } = options;
  const keys = keySource(options, clock, logger);
  const { issuer, verifyOptions = {} } = options;
  const expected = issuer === undefined ? verifyOptions : { issuer, ...verifyOptions };
  const settings = verifySettings(expected, keys.defaults, keys.possible);
  const verifier = new TokenVerifier(settings, clock);
  return {
    type: 'jwt',
    ...(settings.issuer === undefined ? {} : { issuers: settings.issuer }),
    ...(publicRoutes === undefined ? {} : { publicRoutes }),
    ...(defaultPrivate === undefined ? {} : { defaultPrivate }),
    ...(logger === forwarded && { useLogger: (ofServer) => forwarded.forwardTo(ofServer) }),
    verifyToken: (token, request) => {
      const header = readHeader(token);
      if (typeof header === 'string') return refuse(header, request);
      if (!settings.algorithms.has(header.alg)) return refuse('algorithm', request);
      const found = keys.find(header);
      return found instanceof Promise
        ? found.then(async (fetched) => userOf(await verifier.verifyByKeySet(token, fetched), request))
        : userOf(verifier.verify(token, found), request);
    },
  };

  function userOf(verification: Verification, request: AuthRequest): Promise<User | null> | User | null {
    if (!('claims' in verification)) return refuse(verification.refused, request);
    if (mapUser === undefined) return withoutId(verification.claims);
    const mapped = mapUser(verification.claims);
    const accept = (value: unknown): User | null => toUser(value) ?? refuse('user', request);
    return isThenable(mapped) ? Promise.resolve(mapped).then(accept) : accept(mapped);
  }

  function refuse(reason: Refusal, request: AuthRequest): null {
    (options.logger ?? request.logger)?.debug({ provider: 'jwt', reason }, 'a token was refused');
    return null;
  }
}

function withoutId(claims: JwtClaims): User {
  if (claims.id === undefined) return claims;
  const { id: _, ...user } = claims;
  return user;
}

const optionNames: OptionNames<JwtAuthOptions> = {
  clock: true,
  defaultPrivate: true,
  issuer: true,
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
  const { secret, publicKey, issuer, jwksUri, jwks = {} } = options;
  if ([secret, publicKey, issuer, jwksUri].filter((given) => given !== undefined).length > 1) {
    throw new ConfigurationError(
      'jwtAuth takes one of secret, publicKey, jwksUri and issuer. Beside one of the others, the issuer is verifyOptions.issuer',
    );
  }
  if (issuer !== undefined) return new JwkSet(discoveredLocation(issuer, logger), jwks, { clock, logger });
  if (jwksUri !== undefined) return new JwkSet(fixedLocation(jwksUri, logger), jwks, { clock, logger });
  if (publicKey !== undefined) return publicKeys(publicKey);

  const signing = secret ?? process.env['JWT_SECRET'];
  if (signing === undefined) {
    throw new ConfigurationError(
      'jwtAuth needs secret, publicKey, jwksUri or issuer, or JWT_SECRET in the environment',
    );
  }
  return secretKeys(signing, logger);
}

/** Query builders of some databases return thenables that are not promises. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

const emitWarning: Logger['warn'] = (fields, message) =>
  process.emitWarning(`${message}${readReason(fields)}`, 'HalyardAuthWarning');

const processWarnings: Logger = { debug: () => {}, info: () => {}, warn: emitWarning, error: emitWarning };

function readReason(fields: object): string {
  return 'err' in fields ? toMessages(fields.err) : '';
}

/**
 * With the causes, because `fetch failed` does not say whether a name, a port, a certificate or a
 * time limit is wrong.
 */
function toMessages(error: unknown): string {
  return error instanceof Error ? `: ${error.message}${toMessages(error.cause)}` : '';
}
