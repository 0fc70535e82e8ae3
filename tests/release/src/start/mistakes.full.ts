import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { type EndedApp, startApp } from './start-app.ts';

const serve = `
  import { createServer } from '@halyard/server-fastify';
  const server = await createServer();
  await server.listen();
`;

/** The code of an app whose storage has these options. */
function serveWith(storage: string): string {
  return `
    import { createServer } from '@halyard/server-fastify';
    import { createPostgresStorage } from '@halyard/memory-postgres';
    const server = await createServer({ port: 0, storage: createPostgresStorage(${storage}) });
    await server.listen();
  `;
}

/** Code that makes a package look as if it was not installed. */
function without(name: string): string {
  return `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (specifier, context, next) => next(specifier === '${name}' ? 'not-installed' : specifier, context),
    });
  `;
}

it.each<{ readonly mistake: string; readonly app: string; readonly env?: NodeJS.ProcessEnv; readonly says: string }>([
  {
    mistake: 'a variable PORT that is not a port',
    app: serve,
    env: { PORT: '3000a' },
    says: 'The environment variable PORT must be a whole number from 0 to 65535, not "3000a"',
  },
  {
    mistake: 'a variable HOST that is not an address of the machine',
    app: serve,
    env: { HOST: '192.0.2.1', PORT: '0' },
    says: '"192.0.2.1" is not an address of this machine. Set the option `host` or the environment variable HOST to one, such as 127.0.0.1, or 0.0.0.0 for all addresses',
  },
  {
    mistake: 'an embedded database without its package',
    app: `${without('@electric-sql/pglite')} ${serveWith("{ dataDir: '/nowhere/halyard' }")}`,
    says: 'A database in a directory (`dataDir`) needs the package @electric-sql/pglite: npm install @electric-sql/pglite',
  },
  {
    mistake: 'a database on a server without its driver',
    app: `${without('pg')} ${serveWith("{ connectionString: 'postgres://127.0.0.1/shop' }")}`,
    says: 'A database on a server (`connectionString`) needs the package pg: npm install pg',
  },
  {
    mistake: 'a directory that cannot be written',
    app: serveWith("{ dataDir: '/dev/null/halyard' }"),
    says: "The embedded database cannot write to /dev/null/halyard: ENOTDIR: not a directory, mkdir '/dev/null/halyard'. Choose a `dataDir` that this user can write to",
  },
])('ends the process with a sentence for $mistake', async ({ app, env, says }) => {
  expect(reported(await startApp(app, env))).toEqual({ code: 1, sentence: says, noise: [] });
});

it('ends the process with a sentence for a port in use', async () => {
  const other = createNetServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const ended = await startApp(serve, { PORT: String(port) });
  other.close();
  expect(reported(ended)).toMatchObject({
    code: 1,
    sentence: `Port ${port} on 127.0.0.1 is in use. Stop the process that listens there, or choose another port with the option \`port\` or the environment variable PORT`,
    noise: [],
  });
});

/**
 * The output for a person: the sentence, and parts that should not be there: source lines, fields,
 * frames of Node.
 */
function reported({ code, stderr }: EndedApp): { code: number | null; sentence: string | undefined; noise: string[] } {
  return {
    code,
    sentence: /^ConfigurationError: (.*)$/m.exec(stderr)?.[1],
    noise: stderr.match(/throw new|isHalyardError|\[cause\]|\(node:/g) ?? [],
  };
}

/** Files of PGlite with the version of another PostgreSQL. */
it('ends the process with a sentence for a directory of another version', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-start-'));
  await copyEmbeddedTemplate(dataDir);
  const storage = createPostgresStorage({ dataDir });
  await storage.opened?.();
  const used = await startApp(serveWith(JSON.stringify({ dataDir })));
  await storage.close();
  writeFileSync(join(dataDir, 'database/PG_VERSION'), '12\n');
  const old = await startApp(serveWith(JSON.stringify({ dataDir })));
  rmSync(dataDir, { recursive: true });

  expect(reported(used)).toEqual({
    code: 1,
    sentence: `The embedded database in ${dataDir} is in use by process ${process.pid}: stop it, choose another dataDir, or use a PostgreSQL server (connectionString)`,
    noise: [],
  });
  expect(reported(old)).toEqual({ code: 1, sentence: expect.stringContaining('cannot be opened: '), noise: [] });
});
