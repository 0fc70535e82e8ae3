import { hostileTokens } from '@halyard/conformance';
import { expect, it } from 'vitest';
import { jwtAuth } from './jwt-auth.ts';
import { pemOf, request, rsaKeys, secret } from './testing/sample-keys.ts';

it('refuses hostile tokens quickly', async () => {
  const issued = { audience: 'https://api.example.com', issuer: 'https://id.example.com' };
  const tokens = hostileTokens(secret, { ...issued, publicKey: pemOf(rsaKeys.publicKey) });
  const provider = jwtAuth({ secret });
  const before = process.cpuUsage();
  for (const { token } of tokens) await provider.verifyToken(token, request);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
});
