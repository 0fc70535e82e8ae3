import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { carried, consoleKey, provider, tokenOf } from '../../../../packages/server-fastify/src/testing/credentials.ts';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

let server: HalyardServer;
beforeAll(async () => {
  server = await createServer({
    limits: unreachableLimits,
    logger: 'silent',
    signals: false,
    auth: {
      rejectedPerMinute: false,
      provider,
      consoleKey,
      consoleRoles: { admin: 'owner', local: { level: 'owner', tenant: 'own' } },
    },
  });
  await server.app.ready();
});
afterAll(() => server.close());

const statusOf = async (token: string, url = '/audit'): Promise<number> =>
  (await server.app.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;
const admin = { id: 'olga', roles: ['admin'] };

it('opens the console to a token with the role', async () => {
  expect(await statusOf(tokenOf(admin))).toBe(200);
  expect(await statusOf(tokenOf({ ...admin, roles: ['clerk'] }))).toBe(401);
});

it.each<readonly [string, string]>([
  ['that has expired', tokenOf({ ...admin, exp: 1 })],
  ['without an algorithm', tokenOf(admin, 'none')],
  ['of another algorithm', tokenOf(admin, 'HS512')],
  ['signed with another secret', tokenOf(admin, 'HS256', 'another secret, of 32 bytes and more')],
  [
    'with the signature of another',
    `${tokenOf(admin).split('.').slice(0, 2).join('.')}.${signatureOf(carried['token of ada']?.headers?.['authorization'])}`,
  ],
  [
    'with the role in a claim that nothing maps',
    tokenOf({ id: 'eve', app_metadata: { roles: ['admin'] }, role: 'admin' }),
  ],
  ['with a role that is a text', tokenOf({ id: 'eve', roles: 'admin' })],
  ['with roles that are an object', tokenOf({ id: 'eve', roles: { 0: 'admin', length: 1 } })],
  ['with a list in the list', tokenOf({ id: 'eve', roles: [['admin']] })],
  ['with a role of every object', tokenOf({ id: 'eve', roles: ['constructor', '__proto__'] })],
  ['without a user', tokenOf({ roles: ['admin'] })],
  ['with a user that is none', tokenOf({ id: '..', roles: ['admin'] })],
  ['with the role of a tenant, and none', tokenOf({ id: 'eve', roles: ['local'] })],
  ['with the role of a tenant, and several', tokenOf({ id: 'eve', roles: ['local'], tenantId: ['acme', 'globex'] })],
])('does not open the console to a token %s', async (_, token) => {
  for (const url of ['/audit', '/workflows/executions', '/approvals'])
    expect([url, await statusOf(token, url)]).toEqual([url, 401]);
});

it('takes no role from the query, a cookie or another header', async () => {
  const headers = { cookie: `token=${tokenOf(admin)}`, 'x-roles': 'admin', 'x-user-roles': 'admin' };
  const url = `/audit?token=${tokenOf(admin)}&roles=admin`;
  expect((await server.app.inject({ url, headers })).statusCode).toBe(401);
});

function signatureOf(authorization = ''): string {
  return authorization.split('.').at(-1) ?? '';
}
