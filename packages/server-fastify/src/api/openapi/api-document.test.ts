import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { definePage } from '../define/define-page.ts';
import { defineRoute } from '../define/define-route.ts';
import { defineStream } from '../define/define-stream.ts';
import { endpoints } from '../routes/index.ts';
import { apiDocument } from './api-document.ts';

const common = { tier: 'public', tag: 'Ships', summary: 'About ships' } as const;
const Sail = Type.Object({ area: Type.Number() }, { $id: 'Sail' });
const Ship = Type.Object({ id: Type.String(), main: Sail, spare: Type.Optional(Sail) }, { $id: 'Ship' });

const document = apiDocument(
  [
    defineRoute({
      ...common,
      method: 'POST',
      url: '/ships/:id/refit',
      operationId: 'refit',
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({ limit: Type.Integer({ default: 5, description: 'At most' }), all: Type.Boolean() }),
      body: Type.Object({
        name: Type.String(),
        speed: Type.Number({ default: 1 }),
        at: Type.Tuple([Type.Number(), Type.Number()]),
      }),
      status: 201,
      failures: [409],
      data: Ship,
      handler: () => ({ id: '1', main: { area: 1 } }),
    }),
    defineStream({
      ...common,
      method: 'GET',
      url: '/ships/:id/log',
      operationId: 'log',
      event: Type.Union([Ship, Type.Object({ type: Type.Literal('end') })]),
      encode: String,
      encodeFailure: String,
      handler: async () => undefined,
    }),
    definePage({
      ...common,
      method: 'GET',
      url: '/chart',
      operationId: 'chart',
      contentType: 'text/html; charset=utf-8',
      content: Type.String(),
      alternatives: { 503: 'In fog' },
      handler: () => ({ body: '' }),
    }),
  ],
  { version: '1.2.3', prefix: '/v1' },
);

describe('the document', () => {
  it('contains versions, tags and paths with their prefix', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, tags: [{ name: 'Ships' }] });
    expect(Object.keys((document as { paths: object }).paths)).toEqual([
      '/v1/ships/{id}/refit',
      '/v1/ships/{id}/log',
      '/v1/chart',
    ]);
  });

  it('describes requests; fields with a default are optional', () => {
    expect(document).toHaveProperty(
      ['paths', '/v1/ships/{id}/refit', 'post'],
      expect.objectContaining({ operationId: 'refit' }),
    );
    const operation = (document as { paths: Record<string, { post: Record<string, unknown> }> }).paths[
      '/v1/ships/{id}/refit'
    ]?.post;
    expect(operation).toMatchObject({
      parameters: [
        { name: 'id', in: 'path', required: true },
        { name: 'limit', in: 'query', required: false, description: 'At most' },
        { name: 'all', in: 'query', required: true },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { required: ['name', 'at'] } } } },
    });
    expect(operation).toHaveProperty([
      'requestBody',
      'content',
      'application/json',
      'schema',
      'properties',
      'at',
      'prefixItems',
    ]);
    expect(Object.keys(operation?.['responses'] ?? {})).toEqual(['201', '400', '409', '413', '415', '503', 'default']);
  });

  it('contains each named schema once', () => {
    const reference = { $ref: '#/components/schemas/Ship' };
    expect(document).toHaveProperty(
      [
        'paths',
        '/v1/ships/{id}/refit',
        'post',
        'responses',
        '201',
        'content',
        'application/json',
        'schema',
        'properties',
        'data',
      ],
      reference,
    );
    expect(document).toHaveProperty(
      ['paths', '/v1/ships/{id}/log', 'get', 'responses', '200', 'content', 'text/event-stream', 'schema', 'anyOf', 0],
      reference,
    );
    expect(document).toHaveProperty(['components', 'schemas', 'Ship', 'properties'], {
      id: { type: 'string' },
      main: { $ref: '#/components/schemas/Sail' },
      spare: { $ref: '#/components/schemas/Sail' },
    });
  });

  it('lists all variants of a conditional schema, for client generators', () => {
    const { components } = JSON.parse(JSON.stringify(apiDocument(endpoints, { version: '0', prefix: '' })));
    expect(components.schemas.AgentInput.anyOf[1].items).toEqual({
      anyOf: [{ $ref: '#/components/schemas/UiMessage' }, { $ref: '#/components/schemas/ModelMessage' }],
    });
    const takes = new Ajv2020({ strict: false }).addSchema({ components }, 'api').compile({
      $ref: 'api#/components/schemas/AgentInput',
    });
    expect(takes([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])).toBe(true);
    expect(takes([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }])).toBe(true);
    expect(takes([{ role: 'user', content: [{ type: 'text' }] }])).toBe(false);
    expect(takes([{ role: 'unknown', content: 'hi' }])).toBe(false);
  });

  it('describes pages without the envelope', () => {
    expect(document).toHaveProperty(
      ['paths', '/v1/chart', 'get', 'responses', '503', 'content', 'text/html', 'schema', 'type'],
      'string',
    );
  });

  it('is valid OpenAPI 3.1', async () => {
    const whole = JSON.parse(JSON.stringify(apiDocument([...endpoints], { version: '1.0.0', prefix: '' }))) as Record<
      string,
      unknown
    >;
    expect(await new Validator().validate(whole)).toEqual({ valid: true });
  });

  it('has every endpoint of the API, each with a unique operation id', () => {
    expect(new Set(endpoints.map(({ operationId }) => operationId)).size).toBe(endpoints.length);
    const { paths } = JSON.parse(JSON.stringify(apiDocument(endpoints, { version: '0', prefix: '' })));
    for (const { method, url } of endpoints.filter(({ kind }) => kind !== 'exchange'))
      expect(paths).toHaveProperty([url.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase()]);
  });
});

it('says that an open server requires nothing, and leaves that to each operation otherwise', () => {
  expect(document).toMatchObject({ security: [] });
  const access = { requirementOf: () => 'user' as const, limitsRejections: true };
  expect(apiDocument(endpoints, { version: '1', prefix: '', access })).not.toHaveProperty('security');
});

it('states the format of each time in a query', () => {
  const api = apiDocument(endpoints, { version: '1', prefix: '' }) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
  };
  const times = Object.values(api.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters = [] }) => parameters)
    .filter(
      ({ description = '', in: place }) =>
        place === 'query' && description.includes('ISO 8601 timestamp, UTC without an offset'),
    );
  expect(times).toHaveLength(20);
  for (const { schema } of times) expect(schema).toMatchObject({ type: 'string', format: 'date-time' });
});

describe('the schema of a stream', () => {
  const api = JSON.parse(JSON.stringify(apiDocument(endpoints, { version: '1', prefix: '' }))) as StreamDocument;
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...api }, 'api');
  const streams = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, responses }]) => {
      const { schema } = responses['200']?.content?.['text/event-stream'] ?? {};
      const parts = ['paths', path, method, 'responses', '200', 'content', 'text/event-stream', 'schema'];
      const at = parts.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/');
      return schema === undefined ? [] : [{ operationId, schema: `api#/${at}` }];
    }),
  );

  it('is stated for each stream', () => {
    const ids = endpoints.filter(({ kind }) => kind === 'stream').map(({ operationId }) => operationId);
    expect(streams.map(({ operationId }) => operationId)).toEqual(ids);
  });

  it.each(streams)('accepts the text of the whole stream: $operationId', ({ schema }) => {
    const accepts = ajv.compile({ $ref: schema });
    expect(accepts('data: {"type":"start"}\n\n')).toBe(true);
    expect(accepts('')).toBe(true);
  });

  it.each(streams)('describes the fields of one event: $operationId', ({ schema }) => {
    const accepts = ajv.compile({ $ref: schema });
    expect(accepts({})).toBe(false);
    expect(accepts({ type: 'error' })).toBe(false);
  });
});

interface StreamDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, StreamOperation>>>>;
}

interface StreamOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: object }>> }>>;
}

interface Parameter {
  readonly in: string;
  readonly description?: string;
  readonly schema: object;
}
