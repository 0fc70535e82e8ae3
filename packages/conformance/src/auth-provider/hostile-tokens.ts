import type { NamedToken } from './auth-provider-harness.ts';
import { brokenTokens } from './broken-tokens.ts';
import { claimTokens } from './claim-tokens.ts';
import { foreignKeyTokens } from './foreign-key-tokens.ts';
import { unsignedTokens } from './unsigned-tokens.ts';

/** What the tokens say beside what is wrong with them: as a provider wants it. */
export interface HostileTokenOptions {
  /** The audience that the provider accepts; with one, there are also tokens for others. */
  readonly audience?: string;
  /** The issuer that it accepts; with one, there are also tokens of others. */
  readonly issuer?: string;
  /** A public key that the provider accepts, in PEM: attackers know it, and use it as a secret. */
  readonly publicKey?: string;
}

/** The options, and what they make of a token that would be right. */
export interface HostileContext {
  readonly secret: string;
  readonly publicKey: string | undefined;
  readonly expected: HostileTokenOptions;
  /** Claims of a token that would be accepted if it were signed. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * More than two hundred JSON Web Tokens that a provider with this HMAC secret, or another key, must refuse. Each speaks for `admin`.
 * Those that are wrong in what they say are signed with the secret. Not among them are those that become right on their way: HTTP takes blanks off the ends of a header.
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
