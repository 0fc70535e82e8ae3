import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { PackedPackage } from './pack-packages.ts';
import { readJson } from './read-json.ts';

/** A package registry on 127.0.0.1 that contains only the packed packages. */
export interface Registry extends AsyncDisposable {
  /**
   * With this line in `.npmrc`, `npm install @halyard/core` installs the packed package; other
   * scopes use the usual registry.
   */
  readonly npmrc: string;
  /** The same as the name and the value of an environment variable. */
  readonly environment: readonly [string, string];
}

/**
 * Serves the two kinds of requests that package managers send: the document of a package, and its
 * tarball.
 */
export async function openRegistry(packages: readonly PackedPackage[]): Promise<Registry> {
  let origin = '';
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    answer(path).then(
      (body) => response.writeHead(body === undefined ? 404 : 200).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });

  async function answer(path: string): Promise<string | Buffer | undefined> {
    const tarball = packages.find(({ name }) => path === `/${name}.tgz`)?.tarball;
    if (tarball !== undefined) return readFile(tarball);
    const found = packages.find(({ name }) => path === `/${name}`);
    return found && JSON.stringify(await packageDocument(found, origin));
  }

  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  origin = `http://127.0.0.1:${port}`;
  return {
    npmrc: `@halyard:registry=${origin}/\n`,
    environment: ['npm_config_@halyard:registry', `${origin}/`],
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function packageDocument({ name, tarball, contents }: PackedPackage, origin: string): Promise<object> {
  const manifest = await readJson(join(contents, 'package.json'));
  const version = String(manifest['version']);
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64')}`;
  // Package managers can refuse versions that were published a short time ago.
  const published = '2026-01-01T00:00:00.000Z';
  return {
    name,
    'dist-tags': { latest: version },
    time: { created: published, modified: published, [version]: published },
    versions: { [version]: { ...manifest, dist: { tarball: `${origin}/${name}.tgz`, integrity } } },
  };
}
