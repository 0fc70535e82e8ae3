/**
 * Why a token was refused, for the log:
 *
 * - `malformed`: it is not a signed token
 * - `header`: it has a `typ` of another purpose, a key of its own or an extension
 * - `algorithm`: its algorithm is not accepted
 * - `key`: no key, or more than one, fits its algorithm and key id
 * - `signature`: no key has signed it
 * - `expired`, `not yet active`: by `exp`, `iat` with `maxAge`, or `nbf`
 * - `audience`, `issuer`: `aud` or `iss` is missing or another
 * - `claims`: a time or the subject is not valid
 * - `user`: `mapUser` returned no user
 */
export type Refusal =
  | 'algorithm'
  | 'audience'
  | 'claims'
  | 'expired'
  | 'header'
  | 'issuer'
  | 'key'
  | 'malformed'
  | 'not yet active'
  | 'signature'
  | 'user';
