import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPackageRegistry, type PackageRegistry } from '../../testing/package-registry.ts';
import { json, serve, type Served } from '../../testing/serve.ts';

describe('updates', () => {
  let directory: string;
  let registry: PackageRegistry;
  let server: Served | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'halyard-app-'));
    registry = await openPackageRegistry();
    await writeFile(join(directory, '.npmrc'), `cache=${join(directory, '.cache')}\nfetch-retries=0\n`);
    await writeFile(join(directory, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
    await writeFile(
      join(directory, 'package.json'),
      JSON.stringify({ name: 'app', dependencies: { '@halyard/core': '^1.0.0', other: '*' } }),
    );
    registry.publish({ name: 'other', version: '1.0.0' });
    await install('@halyard/core', '1.0.0');
    await install('@halyard/contracts', '1.0.0');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server?.close();
    await registry.close();
    await rm(directory, { recursive: true, force: true });
  });

  const install = async (name: string, version: string): Promise<void> => {
    const at = join(directory, 'node_modules', name);
    await mkdir(at, { recursive: true });
    await writeFile(join(at, 'package.json'), JSON.stringify({ name, version }));
  };
  const open = async (options: { allowInProduction?: boolean; registry?: string } = {}): Promise<Served> => {
    server = await serve([], { updates: { directory, registry: registry.url, ...options } });
    return server;
  };
  const ask = async (
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number; code: string | null; body: unknown }> => {
    const reply = await fetch(`${server?.origin ?? ''}${path}`, init);
    return { status: reply.status, code: reply.headers.get('x-error-code'), body: await reply.json() };
  };

  it('lists newer versions of Halyard packages among the direct dependencies, and asks the registry once an hour', async () => {
    registry.publish({ name: '@halyard/core', version: '1.2.0' });
    registry.publish({ name: '@halyard/contracts', version: '2.0.0' });
    await open();
    const update = { name: '@halyard/core', installed: '1.0.0', latest: '1.2.0', type: 'minor' };
    const data = { hasUpdates: true, updates: [update], count: 1, message: '1 package has a newer version' };
    expect(await ask('/updates')).toMatchObject({ status: 200, body: { success: true, data } });
    await ask('/updates');
    expect(registry.requests).toEqual(['/@halyard/core/latest']);
  });

  it('skips a package that the registry does not have', async () => {
    await open();
    const data = { hasUpdates: false, updates: [], count: 0, message: 'Everything is up to date' };
    expect(await ask('/updates')).toMatchObject({ status: 200, body: { data } });
    const nothing = { updated: [], restartRequired: false };
    expect(await ask('/updates', { method: 'POST' })).toMatchObject({ status: 200, body: { data: nothing } });
  });

  it('reports an unreachable registry in the message', async () => {
    await open({ registry: 'http://127.0.0.1:1/' });
    const data = { hasUpdates: false, updates: [], count: 0, message: expect.stringContaining('cannot be reached') };
    expect(await ask('/updates')).toMatchObject({ status: 200, body: { data } });
  });

  it('installs without running any script and without blocking the event loop', async () => {
    const mark = join(directory, 'a-script-ran');
    registry.publish({ name: '@halyard/core', version: '1.2.0', scripts: { postinstall: `touch ${mark}` } });
    await open();
    const order: string[] = [];
    const installing = ask('/updates/@halyard/core', { method: 'POST' }).finally(() => order.push('installed'));
    await vi.waitUntil(() => registry.requests.length > 1, { timeout: 20_000, interval: 5 });
    await ask('/healthz').finally(() => order.push('alive'));
    const reply = await installing;
    expect(order).toEqual(['alive', 'installed']);
    const updated = [{ name: '@halyard/core', from: '1.0.0', to: '1.2.0' }];
    expect(reply).toMatchObject({ status: 200, body: { success: true, data: { updated, restartRequired: true } } });
    expect(existsSync(mark)).toBe(false);
    expect(await installed()).toBe('1.2.0');
    expect(await ask('/updates')).toMatchObject({ body: { data: { hasUpdates: false } } });
  }, 60_000);

  it('accepts a name whose slash is encoded', async () => {
    registry.publish({ name: '@halyard/core', version: '1.0.0' });
    await open();
    const reply = await ask('/updates/@halyard%2Fcore', { method: 'POST' });
    expect(reply).toMatchObject({ status: 200, body: { data: { updated: [], restartRequired: false } } });
  });

  it('accepts only Halyard packages among the direct dependencies', async () => {
    await open();
    for (const name of ['@halyard/contracts', 'other', '@halyard%2Fnothing', '@else/core'])
      expect(await ask(`/updates/${name}`, { method: 'POST' })).toMatchObject({
        status: 404,
        code: 'PACKAGE_NOT_FOUND',
      });
    for (const name of ['@halyard%2F..%2Fcore', '@halyard%2Fcore@1', 'a%20b'])
      expect(await ask(`/updates/${name}`, { method: 'POST' })).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
  });

  it('reports a failed update and restores the files of the app', async () => {
    const before = await readFile(join(directory, 'package.json'), 'utf8');
    registry.publish({ name: '@halyard/core', version: '1.2.0', isBroken: true });
    await open();
    const reply = await ask('/updates', { method: 'POST' });
    expect(reply).toMatchObject({ status: 500, code: 'UPDATE_FAILED', body: { success: false } });
    expect(await readFile(join(directory, 'package.json'), 'utf8')).toBe(before);
    expect(await installed()).toBe('1.0.0');
  }, 60_000);

  it('runs one installation at a time', async () => {
    registry.publish({ name: '@halyard/core', version: '1.2.0' });
    await open();
    const replies = await Promise.all([1, 2, 3].map(() => ask('/updates', { method: 'POST' })));
    expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409']);
  }, 60_000);

  it('changes nothing in production unless that is allowed', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    await open();
    expect(await ask('/updates', { method: 'POST' })).toMatchObject({ status: 403, code: 'NOT_IN_PRODUCTION' });
    const keys = { publicKey: 'pk_12345678', secretKey: 'sk_12345678' };
    expect(await ask('/setup-observability', json(keys))).toMatchObject({ status: 403, code: 'NOT_IN_PRODUCTION' });
    expect(existsSync(join(directory, '.env'))).toBe(false);
    await server?.close();
    await open({ allowInProduction: true });
    expect(await ask('/setup-observability', json(keys))).toMatchObject({
      status: 200,
      body: { data: { path: '.env' } },
    });
  });

  it('writes the keys of the service to .env', async () => {
    await writeFile(join(directory, '.env'), 'A=1\nSERVICE_PUBLIC_KEY=old\n');
    await open();
    const reply = await ask('/setup-observability', json({ publicKey: 'pk_12345678', secretKey: 'sk_12345678' }));
    expect(reply.status).toBe(200);
    expect(await readFile(join(directory, '.env'), 'utf8')).toBe(
      'A=1\nSERVICE_PUBLIC_KEY=pk_12345678\nSERVICE_SECRET_KEY=sk_12345678\n',
    );
    for (const publicKey of ['short', 'has a blank', 'a\nINJECTED=1', 'x'.repeat(201)])
      expect(await ask('/setup-observability', json({ publicKey, secretKey: 'sk_12345678' }))).toMatchObject({
        status: 400,
      });
  });

  async function installed(): Promise<unknown> {
    const manifest = await readFile(join(directory, 'node_modules/@halyard/core/package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: unknown }).version;
  }
});
