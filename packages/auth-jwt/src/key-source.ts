import type { KeyObject } from 'node:crypto';
import type { JwtAlgorithm } from './jwt-algorithm.ts';
import type { TokenHeader } from './token-header.ts';

/** The keys that tokens are verified with. They come from the app, never from a token. */
export interface KeySource {
  /** The algorithms that are accepted where the app names none. */
  readonly defaults: readonly JwtAlgorithm[];
  /** Those that it may name. */
  readonly possible: ReadonlySet<JwtAlgorithm>;
  /** The keys that a token may have been signed for; none when no key fits its algorithm. */
  find(header: TokenHeader): Promise<readonly KeyObject[]> | readonly KeyObject[];
}
