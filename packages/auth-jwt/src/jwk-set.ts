import { type Clock, ConfigurationError, type Logger } from '@halyard/contracts';
import { createLocalJWKSet, type CryptoKey, errors, type JWK, type LocalJWKSet } from 'jose';
import { fetchJson, unavailable } from './fetch-json.ts';
import type { JwksLocation } from './jwks-location.ts';
import { type JwtAlgorithm, keySetAlgorithms } from './jwt-algorithm.ts';
import type { KeySource } from './key-source.ts';
import type { TokenHeader } from './token-header.ts';

/** How keys are fetched and cached. All times are in milliseconds. */
export interface JwksOptions {
  /** How long fetched keys are used before they are fetched again. Default 10 minutes. */
  readonly cacheMs?: number | undefined;
  /** The minimum time between two fetches, however many tokens name unknown keys. Default 30 s. */
  readonly cooldownMs?: number | undefined;
  /** How long keys remain in use while their server is unreachable. Default 24 hours. */
  readonly staleMs?: number | undefined;
  /** The time limit of one fetch, with the discovery of the key set. Default 3 s. */
  readonly timeoutMs?: number | undefined;
}

/**
 * The keys of an identity provider: fetched on first use, and again when they are old or a token
 * names an unknown key.
 */
export class JwkSet implements KeySource {
  readonly defaults: readonly JwtAlgorithm[] = [...keySetAlgorithms];
  readonly possible: ReadonlySet<JwtAlgorithm> = keySetAlgorithms;
  readonly #location: JwksLocation;
  readonly #limits: Required<JwksOptions>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #keys = createLocalJWKSet({ keys: [] });
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  /** @throws ConfigurationError for invalid times. */
  constructor(
    location: JwksLocation,
    options: JwksOptions,
    services: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#location = location;
    this.#limits = toLimits(options);
    this.#clock = services.clock;
    this.#logger = services.logger;
  }

  async find(header: TokenHeader): Promise<readonly CryptoKey[]> {
    if (this.#age() >= this.#limits.cacheMs) await this.#refresh();
    const found = await this.#matching(header);
    if (found.length > 0 || header.kid === undefined) return found;

    await this.#refresh();
    return this.#matching(header);
  }

  #age(): number {
    return this.#clock.now() - this.#fetchedAt;
  }

  /**
   * A token without a `kid` is accepted only if exactly one key fits: trying all keys would let a
   * client cause work.
   */
  async #matching({ alg, kid }: TokenHeader): Promise<readonly CryptoKey[]> {
    if (this.#age() >= this.#limits.staleMs) return [];
    try {
      return [await this.#keys(kid === undefined ? { alg } : { alg, kid })];
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return [];
      const keys: CryptoKey[] = [];
      for await (const key of error) keys.push(key);
      return kid === undefined && keys.length > 1 ? [] : keys;
    }
  }

  /** Shares one fetch between concurrent callers, and does nothing during the cooldown. */
  async #refresh(): Promise<void> {
    if (this.#fetching === undefined && this.#clock.now() - this.#triedAt < this.#limits.cooldownMs) return;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    await this.#fetching;
  }

  async #fetch(): Promise<void> {
    this.#triedAt = this.#clock.now();
    const signal = AbortSignal.timeout(this.#limits.timeoutMs);
    try {
      this.#keys = toKeys(await fetchJson(await this.#location.find(signal), signal));
      this.#fetchedAt = this.#clock.now();
    } catch (error) {
      this.#logger.warn({ err: error }, `could not fetch the keys at ${this.#location.origin}`);
    }
  }
}

/** Leaves out entries that cannot be keys, so that the other keys of the set can be used. */
function toKeys({ keys }: Readonly<Record<string, unknown>>): LocalJWKSet {
  if (!Array.isArray(keys)) throw unavailable('answered with something that is not a key set');
  const given: readonly unknown[] = keys;
  return createLocalJWKSet({ keys: given.filter(mayBeKey) });
}

function mayBeKey(value: unknown): value is JWK {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !('kid' in value) || value.kid === undefined || typeof value.kid === 'string';
}

function toLimits(options: JwksOptions): Required<JwksOptions> {
  const limits = { cacheMs: 600_000, cooldownMs: 30_000, staleMs: 86_400_000, timeoutMs: 3_000, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value < 0)
      throw new ConfigurationError(`jwks.${name} of jwtAuth must be a number of milliseconds`);
  }
  return limits;
}
