import { fileURLToPath } from 'node:url';
import { createServer } from '@halyard/server-fastify';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, it } from 'vitest';

const schema = fileURLToPath(new URL('../../../packages/console/app/api/schema.ts', import.meta.url));

/** After a change of the API: `pnpm test tests/client/src/console-types.test.ts -u`. */
it('keeps the types of the console as the API document describes them', async () => {
  const server = await createServer({ logger: false, enableSwaggerUI: false, console: false });
  const document = (await server.app.inject('/doc')).json<OpenAPI3>();
  await server.close();

  const types = astToString(await openapiTypescript(document));

  await expect(`// Generated from \`/doc\`: see tests/client/src/console-types.test.ts.\n${types}`).toMatchFileSnapshot(
    schema,
  );
});
