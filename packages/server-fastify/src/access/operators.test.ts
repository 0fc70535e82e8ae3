import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { defineRoute } from '../api/define/define-route.ts';
import { endpoint, serve, type Served } from '../testing/serve.ts';
import type { AuthOptions } from './auth-options.ts';

const key = 'the key of the console';
const provider = { type: 'names', verifyToken: (token: string) => ({ id: token }) };
const who = {
  nobody: {},
  'a token': { authorization: 'Bearer ada' },
  'a token and the key': { authorization: 'Bearer ada', 'x-console-access-key': key },
  'the key': { 'x-console-access-key': key },
  'a wrong key': { 'x-console-access-key': 'wrong' },
  'the dev bypass': { 'x-service-dev': 'true' },
  'the dev bypass of a page elsewhere': { 'x-service-dev': 'true', 'sec-fetch-site': 'cross-site' },
} as const;
type Who = keyof typeof who;

const asks = (['user', 'console', 'public'] as const).map((tier) =>
  defineRoute({
    ...endpoint,
    method: 'GET',
    url: `/asks/${tier}`,
    operationId: `asks-${tier}`,
    tier,
    data: Type.Boolean(),
    handler: ({ caller }) => caller.isOperator === true,
  }),
);

let server: Served | undefined;
afterEach(() => server?.close());

async function ask(auth: AuthOptions | undefined, path: string, headers: object): Promise<unknown> {
  server = await serve(asks, { ...(auth !== undefined && { auth }) });
  const reply = await fetch(server.origin + path, { headers: { ...headers } });
  const { data } = (await reply.json()) as { data?: boolean };
  return reply.ok ? data : reply.status;
}

type Row = Readonly<Record<Who, boolean | 401>>;
const open: Row = {
  nobody: false,
  'a token': false,
  'a token and the key': true,
  'the key': true,
  'a wrong key': false,
  'the dev bypass': true,
  'the dev bypass of a page elsewhere': false,
};
const user: Row = { ...open, nobody: 401, 'a token and the key': false, 'the key': 401, 'a wrong key': 401 };
const table = {
  user: { ...user, 'the dev bypass of a page elsewhere': 401 },
  console: { ...open, nobody: 401, 'a token': 401, 'a wrong key': 401, 'the dev bypass of a page elsewhere': 401 },
  public: open,
} as const satisfies Record<string, Row>;

const rows = Object.entries(table).flatMap(([tier, row]) =>
  Object.entries(row).map(([name, expected]) => [tier, name as Who, expected] as const),
);

describe('a caller is an operator', () => {
  it.each(rows)('on a %s route, with %s: %j', async (tier, name, expected) => {
    expect(await ask({ provider, consoleKey: key }, `/asks/${tier}`, who[name])).toBe(expected);
  });

  it.each(Object.entries(open) as [Who, boolean][])(
    'on an open route in legacy mode, with %s: %j',
    async (name, is) => {
      expect(await ask({ mode: 'legacy', provider, consoleKey: key }, '/asks/user', who[name])).toBe(is);
    },
  );

  it('without access control', async () => {
    expect(await ask(undefined, '/asks/user', {})).toBe(true);
  });
});

it('counts wrong keys that are sent to a public route', async () => {
  server = await serve(asks, { auth: { provider, consoleKey: key, rejectedPerMinute: 1 } });
  const { origin } = server;
  const status = async (headers: object): Promise<number> =>
    (await fetch(`${origin}/asks/public`, { headers: { ...headers } })).status;
  expect([await status(who['a wrong key']), await status(who['a wrong key'])]).toEqual([200, 429]);
  expect([await status({}), await status(who['the key'])]).toEqual([200, 200]);
});

it('counts wrong keys that are sent beside a valid token', async () => {
  server = await serve(asks, { auth: { provider, consoleKey: key, rejectedPerMinute: 1 } });
  const { origin } = server;
  const send = async (sent: object): Promise<number> => {
    const headers = { authorization: 'Bearer ada', ...sent };
    return (await fetch(`${origin}/workflows/w/executions/none/retry`, { method: 'POST', headers })).status;
  };
  expect([await send(who['a wrong key']), await send(who['a wrong key'])]).toEqual([404, 429]);
  expect([await send({}), await send(who['the key'])]).toEqual([404, 404]);
});

it('takes a `key` in the query of a public route for the app’s own', async () => {
  const auth = { provider, consoleKey: key, rejectedPerMinute: 0 };
  expect(await ask(auth, `/asks/public?key=${encodeURIComponent(key)}`, {})).toBe(false);
});
