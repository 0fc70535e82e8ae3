import type { KeyObject } from 'node:crypto';
import { type Clock, ConfigurationError, type Logger } from '@halyard/contracts';
import { fetchJwks, type VerifyingKey } from './fetch-jwks.ts';
import { type JwtAlgorithm, publicKeyAlgorithms } from './jwt-algorithm.ts';
import type { KeySource } from './key-source.ts';
import { isProduction } from './production.ts';
import type { TokenHeader } from './token-header.ts';

/** How keys are fetched and kept, in milliseconds. */
export interface JwksOptions {
  /** How long keys are used before they are fetched again. Default 10 minutes. */
  readonly cacheMs?: number;
  /** The least time between two fetches, however many tokens name keys that nobody knows. Default 30 s. */
  readonly cooldownMs?: number;
  /** How long keys are used at most while their server cannot be reached. Default 24 hours. */
  readonly staleMs?: number;
  /** How long a fetch may take. Default 3 s. */
  readonly timeoutMs?: number;
}

/** The keys of an identity provider, fetched when first needed, and again when they are old or a token names another one. */
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

  /** @throws ConfigurationError for an address that keys cannot be fetched from safely, and limits that are none. */
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

  /** A token without a `kid` may only mean the one key there is: trying all of them would be work for whoever sends tokens. */
  #matching({ alg, kid }: TokenHeader): readonly KeyObject[] {
    if (this.#age() >= this.#limits.staleMs) return [];
    const fitting = this.#keys.filter((key) => key.algorithms.includes(alg));
    if (kid !== undefined) return fitting.filter((key) => key.kid === kid).map(({ key }) => key);
    return fitting.length === 1 ? fitting.map(({ key }) => key) : [];
  }

  /** One fetch for all that wait for it, and none so soon after another. */
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
      this.#logger.warn({ err: error }, `The keys at ${this.#uri.origin} could not be fetched`);
    }
  }
}

function checkUri(uri: string | URL, logger: Logger): URL {
  const url = URL.parse(String(uri));
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ConfigurationError('The jwksUri of jwtAuth must be an https address without a user');
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return url;
  const fault = 'The jwksUri of jwtAuth is not https: whoever is between could sign any token';
  if (isProduction()) throw new ConfigurationError(fault);
  logger.warn({}, `${fault}. In production it is refused`);
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}

function limitsOf(options: JwksOptions): Required<JwksOptions> {
  const limits = { cacheMs: 600_000, cooldownMs: 30_000, staleMs: 86_400_000, timeoutMs: 3_000, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value < 0)
      throw new ConfigurationError(`jwks.${name} of jwtAuth must be a number of milliseconds`);
  }
  return limits;
}
