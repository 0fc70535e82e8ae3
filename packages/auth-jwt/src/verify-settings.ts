import { ConfigurationError } from '@halyard/contracts';
import { isAlgorithm, type JwtAlgorithm } from './jwt-algorithm.ts';

/** What a token must say beside being signed. */
export interface JwtVerifyOptions {
  /** Default: `HS256` for secrets; for a public key that of its kind (`RS256`, `ES256`, …); for a JWKS `RS256` and `ES256`. */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** One of these must be an audience (`aud`) of the token. */
  readonly audience?: string | readonly string[];
  /** One of these must be its issuer (`iss`). */
  readonly issuer?: string | readonly string[];
  /** How far clocks may differ, in seconds. Default 0. */
  readonly clockTolerance?: number;
  /** How long ago a token may have been issued (`iat`), in seconds, whatever `exp` says. */
  readonly maxAge?: number;
}

/** {@link JwtVerifyOptions} as they hold. */
export interface VerifySettings {
  readonly algorithms: ReadonlySet<JwtAlgorithm>;
  readonly audience?: [string, ...string[]];
  readonly issuer?: [string, ...string[]];
  readonly clockTolerance: number;
  readonly maxAge?: number;
}

/**
 * @param defaults the algorithms where none are set
 * @param possible those that the keys can be used with
 * @throws ConfigurationError for what would leave tokens unchecked, or could never be fulfilled.
 */
export function verifySettings(
  options: JwtVerifyOptions,
  defaults: readonly JwtAlgorithm[],
  possible: ReadonlySet<JwtAlgorithm>,
): VerifySettings {
  for (const [name, value] of Object.entries(options)) {
    if (!names.has(name)) throw new ConfigurationError(`jwtAuth knows no verifyOptions.${name}`);
    if (value === undefined)
      throw new ConfigurationError(`verifyOptions.${name} of jwtAuth is undefined: it would not be checked`);
  }
  const { algorithms = defaults, audience, issuer, clockTolerance = 0, maxAge } = options;
  if (!Array.isArray(algorithms) || algorithms.length === 0) {
    throw new ConfigurationError('verifyOptions.algorithms of jwtAuth must be a list of at least one');
  }
  for (const algorithm of algorithms) checkAlgorithm(algorithm, possible);
  return {
    algorithms: new Set(algorithms),
    clockTolerance: seconds(clockTolerance, 'clockTolerance'),
    ...(audience === undefined ? {} : { audience: texts(audience, 'audience') }),
    ...(issuer === undefined ? {} : { issuer: texts(issuer, 'issuer') }),
    ...(maxAge === undefined ? {} : { maxAge: seconds(maxAge, 'maxAge') }),
  };
}

const names: ReadonlySet<string> = new Set(['algorithms', 'audience', 'issuer', 'clockTolerance', 'maxAge']);

function checkAlgorithm(algorithm: unknown, possible: ReadonlySet<JwtAlgorithm>): void {
  if (!isAlgorithm(algorithm))
    throw new ConfigurationError(`jwtAuth accepts no tokens with the algorithm ${String(algorithm)}`);
  if (!possible.has(algorithm)) {
    throw new ConfigurationError(
      `verifyOptions.algorithms of jwtAuth names ${algorithm}, which does not fit the key; it may be ${[...possible].join(', ')}`,
    );
  }
}

function texts(value: unknown, name: string): [string, ...string[]] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [first, ...rest] = given;
  if (isText(first) && rest.every(isText)) return [first, ...rest];
  throw new ConfigurationError(`verifyOptions.${name} of jwtAuth must be a text, or a list of texts`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function seconds(value: number, name: string): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new ConfigurationError(`verifyOptions.${name} of jwtAuth must be a number of seconds`);
}
