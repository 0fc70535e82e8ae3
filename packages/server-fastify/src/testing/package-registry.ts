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
  /** The archive is sent after this. */
  readonly heldUntil?: Promise<void>;
}

export interface PackageRegistry {
  readonly url: string;
  readonly requests: string[];
  publish(published: PublishedPackage): void;
  close(): Promise<void>;
}

/** A local npm registry with the endpoints that `npm install` needs. */
export async function openPackageRegistry(): Promise<PackageRegistry> {
  const versions = new Map<string, PublishedPackage>();
  // Made by a process, so not before a package manager wants to install it.
  const archives = new WeakMap<PublishedPackage, Buffer>();
  const archiveFor = (published: PublishedPackage): Buffer => {
    const archive = archives.get(published) ?? archiveOf(published);
    archives.set(published, archive);
    return archive;
  };
  const requests: string[] = [];
  let url = '';

  const manifestOf = (published: PublishedPackage): object => {
    const { isBroken, name, scripts, version } = published;
    const checked = isBroken === true ? 'something else' : archiveFor(published);
    return {
      name,
      version,
      scripts,
      hasInstallScript: scripts !== undefined,
      dist: {
        tarball: `${url}/${name}/-/archive.tgz`,
        integrity: `sha512-${createHash('sha512').update(checked).digest('base64')}`,
      },
    };
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    const name = /^\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
    const published = versions.get(name);
    if (published === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    } else if (path.endsWith('.tgz'))
      void Promise.resolve(published.heldUntil).then(() => response.end(archiveFor(published)));
    else {
      const { version } = published;
      // A package manager reads the whole description, the server only the latest version.
      const described = path.endsWith('/latest')
        ? { name, version }
        : { name, 'dist-tags': { latest: version }, versions: { [version]: manifestOf(published) } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(described));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    publish: (published) => void versions.set(published.name, published),
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
