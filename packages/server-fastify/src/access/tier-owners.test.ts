import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Served } from '../testing/serve.ts';
import { workflows } from '../testing/workflows.ts';
import type { AuthOptions } from './auth-options.ts';

const key = 'the key of the console';
/** `ada` and `bob` are users; `service` is a valid token without a user id. */
const provider = {
  type: 'names',
  verifyToken: (token: string) =>
    ({ ada: { id: 'ada' }, bob: { sub: 'bob' }, service: { role: 'service' } })[token] ?? null,
};
const open = 'GET /workflows/:id/executions/:executionId/stream';

const settings = {
  policy: { provider, consoleKey: key, publicRoutes: [open], rejectedPerMinute: false },
  legacy: { mode: 'legacy', provider, consoleKey: key, rejectedPerMinute: false },
  none: undefined,
} satisfies Record<string, AuthOptions | undefined>;
type Mode = keyof typeof settings;

/** A route of each tier that returns Ada's execution. */
const routes = {
  user: '/workflows/approval/executions/of-ada',
  console: '/workflows/approval/executions/of-ada/state',
  public: '/workflows/approval/executions/of-ada/stream',
};
type Tier = keyof typeof routes;

/**
 * Whose data a request may access: that of its own user or of anyone; or the request is refused.
 */
type Whose = 'their own' | 'anyone’s' | 'refused';

const dev = { 'x-service-dev': 'true' };
const consoleKey = { 'x-console-access-key': key };
const credentials = {
  nothing: {},
  'a token': {},
  'a token and the console key': consoleKey,
  'a token and the dev bypass': dev,
  'the console key': consoleKey,
  'the dev bypass': dev,
} as const;
type Credentials = keyof typeof credentials;

const table: Readonly<Record<Mode, Readonly<Record<Tier, Readonly<Record<Credentials, Whose>>>>>> = {
  policy: {
    user: {
      nothing: 'refused',
      'a token': 'their own',
      'a token and the console key': 'their own',
      'a token and the dev bypass': 'their own',
      'the console key': 'refused',
      'the dev bypass': 'anyone’s',
    },
    console: {
      nothing: 'refused',
      'a token': 'refused',
      'a token and the console key': 'anyone’s',
      'a token and the dev bypass': 'anyone’s',
      'the console key': 'anyone’s',
      'the dev bypass': 'anyone’s',
    },
    public: everybody('anyone’s'),
  },
  // These routes are in neither list, so they are open.
  legacy: { user: everybody('anyone’s'), console: everybody('anyone’s'), public: everybody('anyone’s') },
  none: { user: everybody('anyone’s'), console: everybody('anyone’s'), public: everybody('anyone’s') },
};

function everybody(whose: Whose): Readonly<Record<Credentials, Whose>> {
  return {
    nothing: whose,
    'a token': whose,
    'a token and the console key': whose,
    'a token and the dev bypass': whose,
    'the console key': whose,
    'the dev bypass': whose,
  };
}

describe.each(['policy', 'legacy', 'none'] as const)('with access control: %s', (mode) => {
  let server: Served;
  beforeAll(async () => {
    const auth = settings[mode];
    server = await serve([], { workflows, ...(auth !== undefined && { auth }) });
    const body = JSON.stringify({ input: { total: 1 }, options: { executionId: 'of-ada', userId: 'ada' } });
    const headers = { authorization: 'Bearer ada', 'content-type': 'application/json' };
    const started = await fetch(`${server.origin}/workflows/approval/execute`, { method: 'POST', headers, body });
    expect(started.status).toBe(200);
  });
  afterAll(() => server.close());

  async function statusFor(path: string, headers: object): Promise<number> {
    const reply = await fetch(`${server.origin}${path}`, { headers: { ...headers } });
    await reply.text();
    return reply.status;
  }

  async function whose(tier: Tier, brought: Credentials): Promise<string> {
    const as = (name: string) => ({
      ...credentials[brought],
      ...(brought.startsWith('a token') && { authorization: `Bearer ${name}` }),
    });
    const statuses = [await statusFor(routes[tier], as('ada')), await statusFor(routes[tier], as('bob'))];
    return { '200,404': 'their own', '200,200': 'anyone’s', '401,401': 'refused' }[statuses.join()] ?? statuses.join();
  }

  it.each(
    (['user', 'console', 'public'] as const).flatMap((tier) =>
      Object.entries(table[mode][tier]).map(([brought, expected]) => [tier, brought as Credentials, expected] as const),
    ),
  )('a %s route reaches, by %s: %s', async (tier, brought, expected) => {
    expect(await whose(tier, brought)).toBe(expected);
  });

  it('refuses a token without a user id where a user is required', async () => {
    const expected = mode === 'policy' ? 401 : 200;
    expect(await statusFor(routes.user, { authorization: 'Bearer service' })).toBe(expected);
  });
});
