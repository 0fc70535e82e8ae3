import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { Services } from '../services.ts';
import { defineChannel } from './define-channel.ts';
import { defineExchange } from './define-exchange.ts';
import { definePage } from './define-page.ts';
import { defineRoute } from './define-route.ts';
import { defineStream } from './define-stream.ts';

const services = {} as Services;
const endpoint = {
  method: 'GET',
  url: '/things/:id',
  tier: 'user',
  operationId: 'getThing',
  tag: 'Things',
  summary: 'Get a thing',
  params: Type.Object({ id: Type.String() }),
} as const;
const call = { params: { id: 'a' } } as Parameters<ReturnType<typeof defineRoute>['handler']>[0];

it('defines a route with its fields, its handler, and the status 200 unless it sets one', () => {
  const definition = { ...endpoint, data: Type.String(), extra: Type.Object({}), failures: [404] };
  const handler = ({ params }: { readonly params: { readonly id: string } }) => ({ data: params.id, extra: {} });
  const route = defineRoute({ ...definition, handler });

  expect(route).toStrictEqual({ ...definition, kind: 'route', status: 200, handler });
  expect(route.handler(call, services)).toEqual({ data: 'a', extra: {} });
  expect(defineRoute({ ...definition, status: 201, handler }).status).toBe(201);
});

it('defines a stream with its fields, and without headers and a terminator unless it sets them', async () => {
  const definition = {
    ...endpoint,
    event: Type.String(),
    encode: (event: string) => `<${event}>`,
    encodeFailure: (error: string) => `!${error}`,
    handler: () => Promise.resolve(undefined),
  };
  const stream = defineStream(definition);

  expect(stream).toStrictEqual({ ...definition, kind: 'stream', headers: {}, terminator: '' });
  expect(stream.encode('a')).toBe('<a>');
  expect(defineStream({ ...definition, headers: { 'x-a': 'b' }, terminator: 'data: [DONE]\n\n' })).toStrictEqual({
    ...definition,
    kind: 'stream',
    headers: { 'x-a': 'b' },
    terminator: 'data: [DONE]\n\n',
  });
});

it('defines a page with its fields, and without alternatives and headers unless it sets them', () => {
  const definition = {
    ...endpoint,
    contentType: 'text/plain',
    content: Type.String(),
    handler: () => ({ body: 'a' }),
  };

  expect(definePage(definition)).toStrictEqual({ ...definition, kind: 'page', alternatives: {}, headers: {} });
  const set = { ...definition, alternatives: { 503: 'Not ready' }, headers: { 'x-a': 'b' } };
  expect(definePage(set)).toStrictEqual({ ...set, kind: 'page' });
});

it('defines an exchange with its fields', () => {
  const definition = { ...endpoint, handler: () => Promise.resolve(new Response()) };
  expect(defineExchange(definition)).toStrictEqual({ ...definition, kind: 'exchange' });
});

it('defines a channel with its fields', () => {
  const definition = { url: '/ws/things', tier: 'console', query: Type.Object({}), open: () => {} } as const;
  expect(defineChannel(definition)).toStrictEqual(definition);
});
