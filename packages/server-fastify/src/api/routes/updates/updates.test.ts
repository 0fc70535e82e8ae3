import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppWithUpdates } from '../../../testing/app-with-updates.ts';
import { json } from '../../../testing/serve.ts';

describe('updates', () => {
  let app: AppWithUpdates;
  beforeEach(async () => {
    app = await AppWithUpdates.create();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await app.remove();
  });

  it('lists newer versions of Halyard packages among the direct dependencies, and asks the registry once an hour', async () => {
    app.registry.publish({ name: '@halyard/core', version: '1.2.0' });
    app.registry.publish({ name: '@halyard/contracts', version: '2.0.0' });
    await app.serve();
    const update = { name: '@halyard/core', installed: '1.0.0', latest: '1.2.0', type: 'minor' };
    const data = { hasUpdates: true, updates: [update], count: 1, message: '1 package has a newer version' };
    expect(await app.ask('/updates')).toMatchObject({ status: 200, body: { success: true, data } });
    await app.ask('/updates');
    expect(app.registry.requests).toEqual(['/@halyard/core/latest']);
  });

  it('skips a package that the registry does not have', async () => {
    await app.serve();
    const data = { hasUpdates: false, updates: [], count: 0, message: 'Everything is up to date' };
    expect(await app.ask('/updates')).toMatchObject({ status: 200, body: { data } });
    const nothing = { updated: [], restartRequired: false };
    expect(await app.ask('/updates', { method: 'POST' })).toMatchObject({ status: 200, body: { data: nothing } });
  });

  it('reports an unreachable registry in the message', async () => {
    await app.serve({ registry: 'http://127.0.0.1:1/' });
    const data = { hasUpdates: false, updates: [], count: 0, message: expect.stringContaining('cannot be reached') };
    expect(await app.ask('/updates')).toMatchObject({ status: 200, body: { data } });
  });

  it('accepts a name whose slash is encoded', async () => {
    app.registry.publish({ name: '@halyard/core', version: '1.0.0' });
    await app.serve();
    const reply = await app.ask('/updates/@halyard%2Fcore', { method: 'POST' });
    expect(reply).toMatchObject({ status: 200, body: { data: { updated: [], restartRequired: false } } });
  });

  it('accepts only Halyard packages among the direct dependencies', async () => {
    await app.serve();
    for (const name of ['@halyard/contracts', 'other', '@halyard%2Fnothing', '@else/core'])
      expect(await app.ask(`/updates/${name}`, { method: 'POST' })).toMatchObject({
        status: 404,
        code: 'PACKAGE_NOT_FOUND',
      });
    for (const name of ['@halyard%2F..%2Fcore', '@halyard%2Fcore@1', 'a%20b'])
      expect(await app.ask(`/updates/${name}`, { method: 'POST' })).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
      });
  });

  it('changes nothing in production unless that is allowed', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    await app.serve();
    expect(await app.ask('/updates', { method: 'POST' })).toMatchObject({ status: 403, code: 'NOT_IN_PRODUCTION' });
    const keys = { publicKey: 'pk_12345678', secretKey: 'sk_12345678' };
    expect(await app.ask('/setup-observability', json(keys))).toMatchObject({ status: 403, code: 'NOT_IN_PRODUCTION' });
    expect(existsSync(join(app.directory, '.env'))).toBe(false);
    await app.serve({ allowInProduction: true });
    expect(await app.ask('/setup-observability', json(keys))).toMatchObject({
      status: 200,
      body: { data: { path: '.env' } },
    });
  });

  it('writes the keys of the service to .env', async () => {
    await writeFile(join(app.directory, '.env'), 'A=1\nSERVICE_PUBLIC_KEY=old\n');
    await app.serve();
    const reply = await app.ask('/setup-observability', json({ publicKey: 'pk_12345678', secretKey: 'sk_12345678' }));
    expect(reply.status).toBe(200);
    expect(await readFile(join(app.directory, '.env'), 'utf8')).toBe(
      'A=1\nSERVICE_PUBLIC_KEY=pk_12345678\nSERVICE_SECRET_KEY=sk_12345678\n',
    );
    for (const publicKey of ['short', 'has a blank', 'a\nINJECTED=1', 'x'.repeat(201)])
      expect(await app.ask('/setup-observability', json({ publicKey, secretKey: 'sk_12345678' }))).toMatchObject({
        status: 400,
      });
  });
});
