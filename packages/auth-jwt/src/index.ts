export { jwtAuth, type JwtAuthOptions, type JwtClaims } from './jwt-auth.ts';
export type { JwksOptions } from './jwk-set.ts';
export type { JwtAlgorithm } from './jwt-algorithm.ts';
export type { JwtVerifyOptions } from './verify-settings.ts';
