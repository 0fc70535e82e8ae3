import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPgVectorStore } from '@halyard/memory-pgvector';
import { expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { startApp } from './start-app.ts';

/** The code of an app that handles the error of its start, and has nothing else to do then. */
function appWith({ setup = '', options }: { readonly setup?: string; readonly options: string }): string {
  return `
    import { createMemory } from '@halyard/core';
    import { keywordEmbedding } from '@halyard/core/testing';
    import { createPgVectorStore } from '@halyard/memory-pgvector';
    import { createPostgresStorage } from '@halyard/memory-postgres';
    import { createServer } from '@halyard/server-fastify';
    const embedding = keywordEmbedding([]);
    const connectionString = 'postgres://127.0.0.1:1/shop?sslrootcert=/nowhere/ca.pem';
    try {
      ${setup}
      const server = await createServer({ port: 0, ...${options} });
      await server.listen();
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  `;
}

it.each([
  { part: 'storage', options: '{ storage: createPostgresStorage({ connectionString }) }' },
  {
    part: 'vector store',
    setup: 'const vectors = createPgVectorStore({ connectionString, dimensions: 3 });',
    options: '{ memory: createMemory({ embedding, vectors }) }',
  },
  {
    part: 'storage, which others share,',
    setup: `
      const storage = createPostgresStorage({ connectionString });
      const vectors = createPgVectorStore({ storage, dimensions: 3 });
    `,
    options: '{ storage, memory: createMemory({ storage, embedding, vectors }) }',
  },
])('refuses to start when the $part cannot be opened, and the process ends', async ({ setup = '', options }) => {
  expect(await startApp(appWith({ setup, options }))).toMatchObject({
    code: 1,
    stderr:
      "The database cannot be opened: ENOENT: no such file or directory, open '/nowhere/ca.pem'. Check the files that `sslrootcert`, `sslcert` and `sslkey` in `connectionString` name\n",
  });
});

it('refuses to start when its vectors have other dimensions than the stored ones', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-start-'));
  await copyEmbeddedTemplate(dataDir);
  const store = createPgVectorStore({ dataDir, dimensions: 3 });
  await store.opened?.();
  await store.close();
  const setup = `const vectors = createPgVectorStore({ dataDir: '${dataDir}', dimensions: 4 });`;
  const ended = await startApp(appWith({ setup, options: '{ memory: createMemory({ embedding, vectors }) }' }));
  rmSync(dataDir, { recursive: true });
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The table "halyard".message_vectors contains embeddings of 3 dimensions, but "dimensions" is 4\. Use /,
    ) as unknown,
  });
});
