import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { createServerWithInternals } from '../create-server.ts';
import type { ServerOptions } from '../server-options.ts';
import { unreachableLimits } from '../testing/serve.ts';

type Document = Readonly<Record<'paths' | 'components', Readonly<Record<string, object>>>>;

const servers: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function documentWith(
  add: (app: FastifyInstance) => void,
  logger: ServerOptions['logger'] = 'silent',
): Promise<Document> {
  const server = await createServerWithInternals(
    { logger, signals: false, enableSwaggerUI: false, limits: unreachableLimits },
    {},
  );
  servers.push(server);
  add(server.app);
  const origin = await server.listen({ port: 0 });
  return (await fetch(`${origin}/doc`)).json() as Promise<Document>;
}

it('describes the routes that the app adds, with their own and shared schemas', async () => {
  const document = await documentWith((app) => {
    app.addSchema({ $id: 'Order', type: 'object', properties: { paid: { type: 'boolean', const: true } } });
    app.addSchema({ $id: 'Usage', type: 'object', properties: { trips: { type: 'number' } } });
    app.post(
      '/orders/:id',
      {
        schema: {
          summary: 'Pay',
          body: Type.Object({ euros: Type.Number() }),
          response: { 200: { $ref: 'Order#' }, 409: { $ref: 'Usage#' } },
        },
      },
      () => ({ paid: true }),
    );
  });
  expect(document.paths['/orders/{id}']).toMatchObject({
    post: {
      summary: 'Pay',
      parameters: [{ name: 'id', in: 'path', required: true }],
      requestBody: { content: { 'application/json': { schema: { required: ['euros'] } } } },
      responses: {
        200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
        409: { content: { 'application/json': { schema: { $ref: '#/components/schemas/def-1' } } } },
      },
    },
  });
  expect(document.components['schemas']).toMatchObject({
    Order: { properties: { paid: { const: true } } },
    Usage: { properties: { promptTokens: {} } },
    'def-1': { properties: { trips: {} } },
  });
  expect(await new Validator().validate(document as Record<string, unknown>)).toEqual({ valid: true });
});

it('describes a route without a schema', async () => {
  const { paths } = await documentWith((app) => app.get('/hello', () => 'hi'));
  expect(paths['/hello']).toEqual({ get: { responses: { 200: { description: 'Default Response' } } } });
});

it('omits hidden routes, HEAD, and methods that OpenAPI cannot describe', async () => {
  const bare = await documentWith(() => {});
  const { paths } = await documentWith((app) => {
    app.get('/secret', { schema: { hide: true } }, () => 'hi');
    app.head('/only', () => '');
    app.all('/any', () => '');
    app.addHttpMethod('MKCOL').route({ method: 'MKCOL', url: '/folder', handler: () => '' });
  });
  const { '/any': any, ...others } = paths;
  expect(Object.keys(others)).toEqual(Object.keys(bare.paths));
  expect(Object.keys(any ?? {}).toSorted()).toEqual(['delete', 'get', 'options', 'patch', 'post', 'put', 'trace']);
});

it('finds routes of plugins, under their prefixes and with their own shared schemas', async () => {
  const { components, paths } = await documentWith((app) => {
    app.register(
      async (scope) => {
        scope.addSchema({ $id: 'Inner', type: 'string' });
        scope.get('/list', { schema: { response: { 200: { type: 'array', items: { $ref: 'Inner#' } } } } }, () => []);
      },
      { prefix: '/plugin' },
    );
  });
  expect(paths['/plugin/list']).toMatchObject({
    get: {
      responses: {
        200: { content: { 'application/json': { schema: { items: { $ref: '#/components/schemas/Inner' } } } } },
      },
    },
  });
  expect(components['schemas']).toHaveProperty('Inner');
});

it('converts schemas of other libraries to JSON Schema, and omits those that it cannot express', async () => {
  const schema = { type: 'object', properties: { euros: { type: 'number' } } };
  const standard = { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) };
  const foreign = { '~standard': { ...standard, jsonSchema: { input: () => schema } } };
  const { paths } = await documentWith((app) => {
    app.setValidatorCompiler(() => () => true);
    app.setSerializerCompiler(() => JSON.stringify);
    app.post('/orders', { schema: { body: foreign, response: { 200: foreign } } }, () => ({ euros: 5 }));
    app.post('/mute', { schema: { body: { '~standard': standard } } }, () => 'ok');
  });
  const content = { 'application/json': { schema } };
  expect(paths['/orders']).toMatchObject({ post: { requestBody: { content }, responses: { 200: { content } } } });
  expect(paths['/mute']).toEqual({ post: { responses: { 200: { description: 'Default Response' } } } });
});

it('describes a route without its schemas if they cannot be described, and logs why', async () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) };
  const bodies = { lost: { properties: null }, text: 'x', reference: { properties: { $ref: { type: 'string' } } } };
  const cyclic: Record<string, unknown> = { type: 'object' };
  cyclic['properties'] = { cyclic };
  const document = await documentWith(
    (app) => {
      app.setValidatorCompiler(() => () => true);
      for (const [name, body] of Object.entries({ ...bodies, cyclic }))
        app.post(`/${name}`, { schema: { body } }, () => 'ok');
      app.get('/query', { schema: { querystring: { $ref: 'nowhere#' } } }, () => 'ok');
      app.post('/fine', { schema: { body: { type: 'object', properties: { a: { type: 'string' } } } } }, () => 'ok');
    },
    { level: 'warn', stream },
  );
  expect(document.paths['/fine']).toMatchObject({ post: { requestBody: { content: { 'application/json': {} } } } });
  const odd = [...Object.keys(bodies), 'cyclic', 'query'];
  for (const name of odd)
    expect(Object.values(document.paths[`/${name}`] ?? {})).toEqual([
      { responses: { 200: { description: 'Default Response' } } },
    ]);
  expect(lines.map((line) => JSON.parse(line).part)).toEqual(
    odd.map((name) => `the route ${name === 'query' ? 'GET' : 'POST'} /${name}`),
  );
  expect(await new Validator().validate(document as Record<string, unknown>)).toEqual({ valid: true });
});
