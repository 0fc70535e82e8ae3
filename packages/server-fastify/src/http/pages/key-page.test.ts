import { jwtAuth } from '@halyard/auth-jwt';
import { silentLogger } from '@halyard/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serve, type Served } from '../../testing/serve.ts';

let server: Served | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

const secret = 'a secret that is long enough for tests';
const browser = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

async function open(
  options: Parameters<typeof serve>[1] = {},
): Promise<(path: string, headers?: object) => Promise<Response>> {
  const auth = { provider: jwtAuth({ secret, logger: silentLogger }), consoleKey: 'the-key' };
  server = await serve([], { auth, enableSwaggerUI: true, ...options });
  const { origin } = server;
  return (path, headers = {}) => fetch(origin + path, { headers: { ...headers } });
}

describe.each(['/', '/ui', '/doc'])('%s', (path) => {
  it('asks a person in a browser for the console key', async () => {
    const get = await open();
    const response = await get(path, browser);
    expect(response.status).toBe(401);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining(path === '/ui' ? "script-src 'self'" : "form-action 'self'"),
      'cache-control': 'no-store',
      'x-error-code': 'UNAUTHENTICATED',
    });
    const page = await response.text();
    expect(page).toContain('<input id="key" name="key" type="password"');
    expect(page).toContain('href="console"');
    expect(page).not.toContain('does not accept');

    const opened = await get(`${path}?key=the-key`, browser);
    expect(opened.status).toBe(200);
  });

  it('sends the envelope to API clients', async () => {
    const get = await open();
    for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }]) {
      const response = await get(path, headers);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ success: false, error: 'Console access required' });
    }
  });
});

it('says that a key is wrong, and never repeats it', async () => {
  const get = await open();
  const response = await get('/?key=%3Cb%3Ewrong', browser);
  expect(response.status).toBe(401);
  const page = await response.text();
  expect(page).toContain('The server does not accept this key.');
  expect(page).not.toContain('wrong<');
  expect(page).not.toContain('&lt;b&gt;');
});

it('names the console below the prefix, and leaves the bypass of development out in production', async () => {
  const get = await open({ prefix: '/halyard' });
  expect(await (await get('/halyard', browser)).text()).toContain('href="halyard/console"');
  expect(await (await get('/halyard/doc', browser)).text()).toContain('href="console"');
  vi.stubEnv('NODE_ENV', 'production');
  expect(await (await get('/halyard/doc', browser)).text()).not.toContain('without a key');
});

it('leaves other routes and refusals as they are', async () => {
  const get = await open();
  for (const path of ['/agents', '/approvals', '/nowhere'])
    expect((await get(path, browser)).headers.get('content-type')).toContain('application/json');
});
