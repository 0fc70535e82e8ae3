import type { AuthProvider } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of a provider. */
export interface AuthProviderHarness {
  readonly provider: AuthProvider;
  /** Tokens that it accepts, of two or more people: what each is, and the `id`, else `sub`, of its user. */
  readonly validTokens: readonly { readonly token: string; readonly subject: string }[];
  /** Tokens that it must refuse, each by what is wrong with it. */
  readonly refusedTokens: readonly NamedToken[];
}

export interface NamedToken {
  /** What is wrong with it. */
  readonly name: string;
  readonly token: string;
}

export type AuthProviderCase = ConformanceCase<AuthProviderHarness>;
