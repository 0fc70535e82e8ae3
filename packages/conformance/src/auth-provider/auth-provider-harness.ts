import type { AuthProvider } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs from a provider. */
export interface AuthProviderHarness {
  readonly provider: AuthProvider;
  /** Accepted tokens of two or more users: each with the `id`, or else the `sub`, of its user. */
  readonly validTokens: readonly { readonly token: string; readonly subject: string }[];
  /** Tokens that the provider must refuse, each named by what is wrong with it. */
  readonly refusedTokens: readonly NamedToken[];
}

export interface NamedToken {
  /** What is wrong with it. */
  readonly name: string;
  readonly token: string;
}

export type AuthProviderCase = ConformanceCase<AuthProviderHarness>;
