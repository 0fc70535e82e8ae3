import { Type } from '@sinclair/typebox';
import { definePage } from '../../define/define-page.ts';
import type { EndpointDescription } from '../../define/endpoint.ts';
import { anyObject } from '../common-schemas.ts';
import { landingPage, landingPagePolicy } from './landing-page.ts';

const landing = definePage({
  method: 'GET',
  url: '/',
  tier: 'console',
  operationId: 'getLandingPage',
  tag: 'Documents',
  summary: 'A page for people: links, agents, workflows and a first request',
  contentType: 'text/html; charset=utf-8',
  headers: {
    'content-security-policy': landingPagePolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  content: Type.String(),
  handler: ({ caller, forwarded }, services) => ({
    body: landingPage(caller, services, services.site.addressFor(forwarded)),
  }),
});

const apiDocument = definePage({
  method: 'GET',
  url: '/doc',
  tier: 'console',
  operationId: 'getApiDocument',
  tag: 'Documents',
  summary: 'This document: OpenAPI 3.1',
  contentType: 'application/json; charset=utf-8',
  isFixed: true,
  requestHeaders: Type.Object({
    'if-none-match': Type.Optional(Type.String({ description: 'The `etag` of the document that the client has.' })),
  }),
  // Caches of a client may keep it, and ask whether it has changed: it depends on who asks.
  headers: { 'cache-control': 'private, no-cache' },
  content: Type.Object({
    openapi: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String(), description: Type.String() }),
    security: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: Type.Array(Type.String()) }), {
        description: 'Empty on a server without access control; else each operation states its own.',
      }),
    ),
    servers: Type.Array(Type.Object({ url: Type.String(), description: Type.String() })),
    tags: Type.Array(Type.Object({ name: Type.String(), description: Type.Optional(Type.String()) })),
    paths: anyObject({ description: 'Operations by path and method.' }),
    components: anyObject({ description: 'The named schemas, and the credentials.' }),
  }),
  handler: ({ forwarded }, { site }) => ({ body: site.apiDocument(site.addressFor(forwarded).documented) }),
});

export const documentPages = [landing, apiDocument];

/**
 * Describes the console, which a plugin serves. Its files contain no data, so everyone may read
 * them: its requests need the credential.
 */
export const consolePage: EndpointDescription = {
  kind: 'page',
  method: 'GET',
  url: '/console',
  tier: 'public',
  operationId: 'getConsole',
  tag: 'Documents',
  summary: 'The console: inspect, try and approve in the browser',
  contentType: 'text/html; charset=utf-8',
  content: Type.String(),
  alternatives: {},
  headers: {},
};

/**
 * Describes the API explorer, which a plugin serves, for the OpenAPI document and for access
 * control.
 */
export const explorerPage: EndpointDescription = {
  kind: 'page',
  method: 'GET',
  url: '/ui',
  tier: 'console',
  operationId: 'getExplorer',
  tag: 'Documents',
  summary: 'Try the API in the browser',
  contentType: 'text/html; charset=utf-8',
  content: Type.String(),
  alternatives: {},
  headers: {},
};
