import { checkOptionNames, ConfigurationError, type OptionNames } from '@halyard/contracts';
import type { JwtAlgorithm } from './jwt-algorithm.ts';

/** Requirements for a token besides a valid signature. */
export interface JwtVerifyOptions {
  /**
   * Default: `HS256` for secrets, the default of its kind for a public key (`RS256`, `ES256`, …),
   * all that fit the keys of a key set.
   */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined;
  /** One of these must be an audience (`aud`) of the token. */
  readonly audience?: string | readonly string[] | undefined;
  /** One of these must be the issuer (`iss`) of the token. */
  readonly issuer?: string | readonly string[] | undefined;
  /** How far the clocks may differ, in seconds. Default 0. */
  readonly clockTolerance?: number | undefined;
  /** The maximum age of a token since it was issued (`iat`), in seconds, independent of `exp`. */
  readonly maxAge?: number | undefined;
}

/** {@link JwtVerifyOptions} with their defaults applied. */
export interface VerifySettings {
  readonly algorithms: ReadonlySet<JwtAlgorithm>;
  readonly audience?: [string, ...string[]] | undefined;
  readonly issuer?: [string, ...string[]] | undefined;
  readonly clockTolerance: number;
  readonly maxAge?: number | undefined;
}

/**
 * @param defaults the algorithms when none are set
 * @param possible the algorithms that fit the keys
 * @throws ConfigurationError for options that would leave tokens unchecked or could never be
 * fulfilled.
 */
export function verifySettings(
  options: JwtVerifyOptions,
  defaults: readonly JwtAlgorithm[],
  possible: ReadonlySet<unknown>,
): VerifySettings {
  checkOptionNames('`verifyOptions` of jwtAuth', options, optionNames);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined)
      throw new ConfigurationError(`verifyOptions.${name} of jwtAuth is undefined: tokens would not be checked for it`);
  }
  const { algorithms = defaults, audience, issuer, clockTolerance = 0, maxAge } = options;
  if (!Array.isArray(algorithms) || algorithms.length === 0) {
    throw new ConfigurationError('verifyOptions.algorithms of jwtAuth must be a non-empty array');
  }
  for (const algorithm of algorithms) {
    if (!possible.has(algorithm))
      throw new ConfigurationError(
        `verifyOptions.algorithms of jwtAuth has ${String(algorithm)}, which does not fit the key; use ${[...possible].join(', ')}`,
      );
  }
  return {
    algorithms: new Set(algorithms),
    clockTolerance: seconds(clockTolerance, 'clockTolerance'),
    ...(audience === undefined ? {} : { audience: texts(audience, 'audience') }),
    ...(issuer === undefined ? {} : { issuer: texts(issuer, 'issuer') }),
    ...(maxAge === undefined ? {} : { maxAge: seconds(maxAge, 'maxAge') }),
  };
}

const optionNames: OptionNames<JwtVerifyOptions> = {
  algorithms: true,
  audience: true,
  clockTolerance: true,
  issuer: true,
  maxAge: true,
};

function texts(value: unknown, name: string): [string, ...string[]] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [first, ...rest] = given;
  if (isText(first) && rest.every(isText)) return [first, ...rest];
  throw new ConfigurationError(`verifyOptions.${name} of jwtAuth must be a non-empty string, or an array of them`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function seconds(value: number, name: string): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new ConfigurationError(`verifyOptions.${name} of jwtAuth must be a number of seconds`);
}
