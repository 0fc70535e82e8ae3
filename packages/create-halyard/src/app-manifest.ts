import type { Choices } from './choices.ts';
import { testScript, tokenScript } from './parts.ts';
import { versions } from './versions.ts';

/** The `package.json` of an app. Halyard's packages have exactly the given version. */
export function appManifest({ name, provider, storage, auth }: Choices, halyardVersion: string): string {
  const hasJwt = auth === 'jwt';
  const pinned = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      names.toSorted().map((dependency) => [dependency, versionForDependency(dependency, halyardVersion)]),
    );
  const dev = 'node --watch --env-file-if-exists=.env src/main.ts';
  const manifest = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      dev: storage === 'postgres' ? `docker compose up --detach --wait && ${dev}` : dev,
      // A later file overrides an earlier one, and none of them the environment. No shell sets
      // variables on all systems.
      start: 'node --env-file-if-exists=.env --env-file=production.env src/main.ts',
      test: testScript,
      typecheck: 'tsc',
      ...(hasJwt && { token: tokenScript }),
    },
    dependencies: pinned([
      '@halyard/console',
      '@halyard/core',
      '@halyard/server-fastify',
      '@sinclair/typebox',
      'ai',
      ...(provider === 'demo' ? [] : [`@ai-sdk/${provider}`]),
      ...(hasJwt ? ['@halyard/auth-jwt'] : []),
      ...(storage === 'none' ? ['@halyard/memory-in-memory'] : ['@halyard/memory-postgres', 'pg']),
      ...(storage === 'embedded' ? ['@electric-sql/pglite'] : []),
    ]),
    devDependencies: pinned([
      '@types/node',
      'pino-pretty',
      'typescript',
      ...(hasJwt ? ['@types/jsonwebtoken', 'jsonwebtoken'] : []),
      ...(storage === 'none' ? [] : ['@halyard/memory-in-memory']),
    ]),
    engines: { node: '>=22.18' },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The version of a dependency of an app. */
export function versionForDependency(dependency: string, halyardVersion: string): string {
  if (dependency.startsWith('@halyard/')) return halyardVersion;
  const known: Readonly<Record<string, string>> = versions;
  return known[dependency] ?? 'latest';
}
