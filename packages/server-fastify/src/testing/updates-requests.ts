import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPackageRegistry, type PackageRegistry } from './package-registry.ts';
import { json } from './serve.ts';

/** An app in a temporary directory, with one outdated package. */
export interface OutdatedApp {
  readonly directory: string;
  readonly registry: PackageRegistry;
  /** Installs the old version again. */
  outdate(): Promise<void>;
  /** Creates a link in place of `.env`. */
  linkEnv(): Promise<void>;
  remove(): Promise<void>;
}

export async function openOutdatedApp(): Promise<OutdatedApp> {
  const directory = await mkdtemp(join(tmpdir(), 'halyard-app-'));
  const registry = await openPackageRegistry();
  registry.publish({ name: '@halyard/core', version: '1.2.0' });
  const outdate = async (): Promise<void> => {
    await rm(join(directory, 'node_modules'), { recursive: true, force: true });
    const at = join(directory, 'node_modules/@halyard/core');
    await mkdir(at, { recursive: true });
    await writeFile(join(at, 'package.json'), '{"name":"@halyard/core","version":"1.0.0"}');
    await writeFile(join(directory, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
    await writeFile(join(directory, 'package.json'), '{"name":"app","dependencies":{"@halyard/core":"^1.0.0"}}');
  };
  await writeFile(join(directory, '.npmrc'), `cache=${join(directory, '.cache')}\nfetch-retries=0\n`);
  await outdate();
  return {
    directory,
    registry,
    outdate,
    linkEnv: async () => {
      await rm(join(directory, '.env'), { force: true });
      await symlink(join(directory, 'package.json'), join(directory, '.env'));
    },
    remove: async () => {
      await registry.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const serviceKeys = { publicKey: 'pk_12345678', secretKey: 'sk_12345678' };

export const post: RequestInit = { method: 'POST' };

/** Invalid requests to change the app's files. */
export const refusedUpdates: readonly {
  readonly path: string;
  readonly status: number;
  readonly init?: RequestInit;
}[] = [
  { path: '/updates/.hidden', status: 400, init: post },
  { path: '/updates/nothing', status: 404, init: post },
  { path: '/setup-observability', status: 400, init: json({ ...serviceKeys, publicKey: 'short' }) },
  { path: '/setup-observability', status: 413, init: json({ ...serviceKeys, more: 'x'.repeat(2_000) }) },
  {
    path: '/setup-observability',
    status: 415,
    init: { ...json(serviceKeys), headers: { 'content-type': 'text/plain' } },
  },
  { path: `/updates?${'x'.repeat(8_192)}`, status: 414 },
  { path: `/updates?${'x'.repeat(8_192)}`, status: 414, init: post },
  { path: `/updates/nothing?${'x'.repeat(8_192)}`, status: 414, init: post },
  { path: `/setup-observability?${'x'.repeat(8_192)}`, status: 414, init: json(serviceKeys) },
];
