import type { AuthProvider } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** A provider under test. */
export interface AuthProviderHarness {
  readonly provider: AuthProvider;
  /** Accepted tokens of two or more users: each with the `id`, or else the `sub`, of its user. */
  readonly validTokens: readonly { readonly token: string; readonly subject: string }[];
  /** Tokens that the provider must refuse, each named by its fault. */
  readonly refusedTokens: readonly NamedToken[];
}

export interface NamedToken {
  /** The fault of the token. */
  readonly name: string;
  readonly token: string;
}

export type AuthProviderCase = ConformanceCase<AuthProviderHarness>;
