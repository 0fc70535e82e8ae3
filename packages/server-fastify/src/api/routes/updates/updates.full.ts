import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppWithUpdates } from '../../../testing/app-with-updates.ts';

describe('updates', () => {
  let app: AppWithUpdates;
  beforeEach(async () => {
    app = await AppWithUpdates.create();
  });
  afterEach(() => app.remove());

  it('installs without running any script and without blocking the event loop', async () => {
    const mark = join(app.directory, 'a-script-ran');
    const { promise: heldUntil, resolve: release } = Promise.withResolvers<void>();
    const scripts = { postinstall: `touch ${mark}` };
    app.registry.publish({ name: '@halyard/core', version: '1.2.0', scripts, heldUntil });
    await app.serve();
    const installing = app.ask('/updates/@halyard/core', { method: 'POST' });
    // Among those for other packages, in any order.
    await expect.poll(() => app.registry.requests).toContain('/@halyard/core/-/archive.tgz');
    expect(await app.ask('/healthz')).toMatchObject({ status: 200 });
    release();
    const reply = await installing;
    const updated = [{ name: '@halyard/core', from: '1.0.0', to: '1.2.0' }];
    expect(reply).toMatchObject({ status: 200, body: { success: true, data: { updated, restartRequired: true } } });
    expect(existsSync(mark)).toBe(false);
    expect(await app.installedVersion()).toBe('1.2.0');
    expect(await app.ask('/updates')).toMatchObject({ body: { data: { hasUpdates: false } } });
  });

  it('reports a failed update and restores the files of the app', async () => {
    const before = await readFile(join(app.directory, 'package.json'), 'utf8');
    app.registry.publish({ name: '@halyard/core', version: '1.2.0', isBroken: true });
    await app.serve();
    const reply = await app.ask('/updates', { method: 'POST' });
    expect(reply).toMatchObject({ status: 500, code: 'UPDATE_FAILED', body: { success: false } });
    expect(await readFile(join(app.directory, 'package.json'), 'utf8')).toBe(before);
    expect(await app.installedVersion()).toBe('1.0.0');
  });

  it('runs one installation at a time', async () => {
    app.registry.publish({ name: '@halyard/core', version: '1.2.0' });
    await app.serve();
    const replies = await Promise.all([1, 2, 3].map(() => app.ask('/updates', { method: 'POST' })));
    expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409']);
  });
});
