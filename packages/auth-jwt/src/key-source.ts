import type { KeyObject } from 'node:crypto';
import type { CryptoKey } from 'jose';
import type { JwtAlgorithm } from './jwt-algorithm.ts';
import type { TokenHeader } from './token-header.ts';

/** The keys that verify tokens. They come from the app's options, never from a token. */
export interface KeySource {
  /** The algorithms that are accepted unless the app sets others. */
  readonly defaults: readonly JwtAlgorithm[];
  /** The algorithms that the app may set. */
  readonly possible: ReadonlySet<JwtAlgorithm>;
  /**
   * The keys that may have signed a token; empty when none fits its algorithm. Keys of a key set
   * are fetched.
   */
  find(header: TokenHeader): Promise<readonly CryptoKey[]> | readonly KeyObject[];
}
