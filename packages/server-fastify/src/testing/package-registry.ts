import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A package version that the test registry serves. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  /** The archive does not match its checksum. */
  readonly isBroken?: boolean;
}

export interface PackageRegistry {
  readonly url: string;
  readonly requests: string[];
  publish(published: PublishedPackage): void;
  close(): Promise<void>;
}

/** A local npm registry with the endpoints that `npm install` needs. */
export async function openPackageRegistry(): Promise<PackageRegistry> {
  const versions = new Map<string, PublishedPackage & { readonly archive: Buffer }>();
  const requests: string[] = [];
  let url = '';

  const manifestOf = ({
    archive,
    isBroken,
    name,
    scripts,
    version,
  }: PublishedPackage & { archive: Buffer }): object => ({
    name,
    version,
    scripts,
    hasInstallScript: scripts !== undefined,
    dist: {
      tarball: `${url}/${name}/-/archive.tgz`,
      integrity: `sha512-${createHash('sha512')
        .update(isBroken === true ? 'something else' : archive)
        .digest('base64')}`,
    },
  });
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    const name = /^\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
    const published = versions.get(name);
    if (published === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    } else if (path.endsWith('.tgz')) response.end(published.archive);
    else {
      const manifest = manifestOf(published);
      const { version } = published;
      const packument = { name, 'dist-tags': { latest: version }, versions: { [version]: manifest } };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(path.endsWith('/latest') ? manifest : packument));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    publish: (published) => void versions.set(published.name, { ...published, archive: archiveOf(published) }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        // It may be closed already.
        server.close(() => resolve());
      }),
  };
}

function archiveOf({ name, scripts, version }: PublishedPackage): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-package-'));
  try {
    mkdirSync(join(directory, 'package'));
    writeFileSync(join(directory, 'package', 'package.json'), JSON.stringify({ name, version, scripts }));
    spawnSync('tar', ['-czf', 'archive.tgz', 'package'], { cwd: directory });
    return readFileSync(join(directory, 'archive.tgz'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
