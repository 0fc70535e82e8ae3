import { afterEach, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';

const consoleKey = 'the key of the console';
/** `grace:admin` has a role. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [id = '', ...roles] = token.split(':');
    return { id, roles, tenantId: 'acme', role: 'admin', app_metadata: { roles: ['admin'] } };
  },
};
const everything = { level: 'owner', agents: null, workflows: null, tenantId: null };

let server: Served;
afterEach(() => server.close());

async function start(hasAuth = true): Promise<void> {
  const consoleRoles = {
    admin: 'owner',
    desk: { level: 'operator', workflows: ['refund'], tenant: 'own' },
  } as const;
  server = await serve([], hasAuth ? { auth: { provider, consoleKey, consoleRoles } } : {});
}

async function identify(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const reply = await fetch(`${server.origin}/api/identity`, { headers });
  return reply.ok ? ((await reply.json()) as { data: unknown }).data : reply.status;
}
const as = (token: string) => ({ authorization: `Bearer ${token}` });

it('says who a token is, and what its roles open in the console', async () => {
  await start();
  const user = { userId: 'ada', roles: [], tenantId: 'acme', console: [] };
  // Claims that no mapping has made to `roles` are none.
  expect(await identify(as('ada'))).toEqual(user);
  expect(await identify(as('ada:toString'))).toEqual({ ...user, roles: ['toString'] });
  expect(await identify(as('grace:admin:desk'))).toEqual({
    userId: 'grace',
    roles: ['admin', 'desk'],
    tenantId: 'acme',
    console: [everything, { level: 'operator', agents: [], workflows: ['refund'], tenantId: 'acme' }],
  });
  expect(await identify({})).toBe(401);
});

it('says that the console key, and a server without access control, open everything', async () => {
  await start();
  const nobody = { userId: null, roles: [], tenantId: null, console: [everything] };
  expect(await identify({ 'x-console-access-key': consoleKey })).toEqual(nobody);
  await server.close();
  await start(false);
  expect(await identify({})).toEqual(nobody);
});
