import type { KeyObject } from 'node:crypto';
import {
  checkOptionNames,
  type Clock,
  ConfigurationError,
  isProduction,
  type Logger,
  type OptionNames,
} from '@halyard/contracts';
import { fetchJwks, type VerifyingKey } from './fetch-jwks.ts';
import { type JwtAlgorithm, publicKeyAlgorithms } from './jwt-algorithm.ts';
import type { KeySource } from './key-source.ts';
import type { TokenHeader } from './token-header.ts';

/** How keys are fetched and cached. All times are in milliseconds. */
export interface JwksOptions {
  /** How long fetched keys are used before they are fetched again. Default 10 minutes. */
  readonly cacheMs?: number;
  /** The minimum time between two fetches, however many tokens name unknown keys. Default 30 s. */
  readonly cooldownMs?: number;
  /** How long keys remain in use while their server is unreachable. Default 24 hours. */
  readonly staleMs?: number;
  /** The time limit of one fetch. Default 3 s. */
  readonly timeoutMs?: number;
}

/** The keys of an identity provider: fetched on first use, and again when they are old or a token names an unknown key. */
export class JwkSet implements KeySource {
  readonly defaults: readonly JwtAlgorithm[] = ['RS256', 'ES256'];
  readonly possible: ReadonlySet<JwtAlgorithm> = publicKeyAlgorithms;
  readonly #uri: URL;
  readonly #limits: Required<JwksOptions>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #keys: readonly VerifyingKey[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  /** @throws ConfigurationError for an address that is not safe to fetch keys from, and for invalid times. */
  constructor(uri: string | URL, options: JwksOptions, services: { readonly clock: Clock; readonly logger: Logger }) {
    this.#uri = checkUri(uri, services.logger);
    this.#limits = limitsOf(options);
    this.#clock = services.clock;
    this.#logger = services.logger;
  }

  async find(header: TokenHeader): Promise<readonly KeyObject[]> {
    if (this.#age() >= this.#limits.cacheMs) await this.#refresh();
    const found = this.#matching(header);
    if (found.length > 0 || header.kid === undefined) return found;

    await this.#refresh();
    return this.#matching(header);
  }

  #age(): number {
    return this.#clock.now() - this.#fetchedAt;
  }

  /** A token without a `kid` is accepted only if exactly one key fits: trying all keys would let a client cause work. */
  #matching({ alg, kid }: TokenHeader): readonly KeyObject[] {
    if (this.#age() >= this.#limits.staleMs) return [];
    const fitting = this.#keys.filter((key) => key.algorithms.includes(alg));
    if (kid !== undefined) return fitting.filter((key) => key.kid === kid).map(({ key }) => key);
    return fitting.length === 1 ? fitting.map(({ key }) => key) : [];
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
    try {
      this.#keys = await fetchJwks(this.#uri, this.#limits.timeoutMs);
      this.#fetchedAt = this.#clock.now();
    } catch (error) {
      this.#logger.warn({ err: error }, `could not fetch the keys at ${this.#uri.origin}`);
    }
  }
}

function checkUri(uri: string | URL, logger: Logger): URL {
  const url = URL.parse(String(uri));
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ConfigurationError('The jwksUri of jwtAuth must be an https address without user name and password');
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return url;
  const fault = 'The jwksUri of jwtAuth is not https: a man in the middle could replace the keys';
  if (isProduction()) throw new ConfigurationError(fault);
  logger.warn({}, `${fault}. Production refuses it`);
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}

function limitsOf(options: JwksOptions): Required<JwksOptions> {
  checkOptionNames('`jwks` of jwtAuth', options, optionNames);
  const limits = { cacheMs: 600_000, cooldownMs: 30_000, staleMs: 86_400_000, timeoutMs: 3_000, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value < 0)
      throw new ConfigurationError(`jwks.${name} of jwtAuth must be a number of milliseconds`);
  }
  return limits;
}

const optionNames: OptionNames<JwksOptions> = { cacheMs: true, cooldownMs: true, staleMs: true, timeoutMs: true };
