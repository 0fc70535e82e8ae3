import type { NamedToken } from './auth-provider-harness.ts';
import { brokenTokens } from './broken-tokens.ts';
import { claimTokens } from './claim-tokens.ts';
import { foreignKeyTokens } from './foreign-key-tokens.ts';
import { unsignedTokens } from './unsigned-tokens.ts';

/** Valid claims and keys of the tokens, so that only their fault can be the reason of a refusal. */
export interface HostileTokenOptions {
  /** The audience that the provider accepts. Adds tokens for other audiences. */
  readonly audience?: string | undefined;
  /** The issuer that the provider accepts. Adds tokens of other issuers. */
  readonly issuer?: string | undefined;
  /** A public key that the provider accepts, in PEM. Adds tokens that misuse it as a secret. */
  readonly publicKey?: string | undefined;
}

/** The options with the claims of a valid token. */
export interface HostileContext {
  readonly secret: string;
  readonly publicKey: string | undefined;
  readonly expected: HostileTokenOptions;
  /** Claims of a token that would be accepted if it were signed correctly. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * More than 200 JSON Web Tokens that a provider with this HMAC secret, or another key, must refuse.
 * Each names the user `admin`. Tokens with wrong claims are signed with the secret. Tokens with
 * surrounding spaces are left out, because HTTP removes these spaces.
 */
export function hostileTokens(secret: string, options: HostileTokenOptions = {}): readonly NamedToken[] {
  const context: HostileContext = {
    secret,
    publicKey: options.publicKey,
    expected: options,
    claims: {
      id: 'admin',
      sub: 'admin',
      role: 'admin',
      exp: farAway,
      ...(options.audience === undefined ? {} : { aud: options.audience }),
      ...(options.issuer === undefined ? {} : { iss: options.issuer }),
    },
  };
  return [...unsignedTokens(context), ...foreignKeyTokens(context), ...claimTokens(context), ...brokenTokens(context)];
}

/** In the year 2100, in seconds. */
const farAway = 4_102_444_800;
