import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpdatesOptions } from '../runtime/updates/updates.ts';
import { openPackageRegistry, type PackageRegistry } from './package-registry.ts';
import { serve, type Served } from './serve.ts';

/**
 * An app with version 1.0.0 of `@halyard/core` and `@halyard/contracts`, in a temporary directory,
 * and its registry.
 */
export class AppWithUpdates {
  readonly directory: string;
  readonly registry: PackageRegistry;
  #server: Served | undefined;

  private constructor(directory: string, registry: PackageRegistry) {
    this.directory = directory;
    this.registry = registry;
  }

  static async create(): Promise<AppWithUpdates> {
    const directory = await mkdtemp(join(tmpdir(), 'halyard-app-'));
    const registry = await openPackageRegistry();
    const dependencies = { '@halyard/core': '^1.0.0', other: '*' };
    await writeFile(join(directory, '.npmrc'), `cache=${join(directory, '.cache')}\nfetch-retries=0\n`);
    await writeFile(join(directory, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
    await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'app', dependencies }));
    registry.publish({ name: 'other', version: '1.0.0' });
    for (const name of ['@halyard/core', '@halyard/contracts']) {
      const at = join(directory, 'node_modules', name);
      await mkdir(at, { recursive: true });
      await writeFile(join(at, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
    }
    return new AppWithUpdates(directory, registry);
  }

  /** Starts a server for the app, in place of the last one. */
  async serve(options: UpdatesOptions = {}): Promise<void> {
    await this.#server?.close();
    this.#server = await serve([], {
      updates: { directory: this.directory, registry: this.registry.url, ...options },
    });
  }

  async ask(path: string, init?: RequestInit): Promise<{ status: number; code: string | null; body: unknown }> {
    const reply = await fetch(`${this.#server?.origin ?? ''}${path}`, init);
    return { status: reply.status, code: reply.headers.get('x-error-code'), body: await reply.json() };
  }

  async installedVersion(): Promise<unknown> {
    const manifest = await readFile(join(this.directory, 'node_modules/@halyard/core/package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: unknown }).version;
  }

  async remove(): Promise<void> {
    await this.#server?.close();
    await this.registry.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
