import { createRequire } from 'node:module';

/** The version of this package. */
export const version: string = readVersion();

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('@halyard/server-fastify/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}
