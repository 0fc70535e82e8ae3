export { customAuth, type CustomAuthOptions } from './custom-auth.ts';
export type { VerifiedCacheOptions } from './verified-cache.ts';
