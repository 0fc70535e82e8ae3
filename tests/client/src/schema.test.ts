import { fileURLToPath } from 'node:url';
import { createServer } from '@halyard/server-fastify';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, it } from 'vitest';

const schema = fileURLToPath(new URL('../../../packages/client/src/schema.ts', import.meta.url));

/** After a change of the API: `pnpm test tests/client/src/schema.test.ts -u`. */
it('keeps the types of the client and the console as the API document describes them', async () => {
  const server = await createServer({ logger: false, enableSwaggerUI: false, console: false });
  const document = (await server.app.inject('/doc')).json<OpenAPI3>();
  await server.close();

  const types = astToString(await openapiTypescript(document));

  await expect(`// Generated from \`/doc\`: see tests/client/src/schema.test.ts.\n${types}`).toMatchFileSnapshot(
    schema,
  );
});
