import { Type } from '@sinclair/typebox';
import { definePage } from '../define/define-page.ts';
import { landingPage, landingPagePolicy } from '../pages/landing-page.ts';
import { anyObject } from '../schemas/any-object.ts';

const landing = definePage({
  method: 'GET',
  url: '/',
  tier: 'console',
  operationId: 'getLandingPage',
  tag: 'Documents',
  summary: 'A page that says what this server serves',
  contentType: 'text/html; charset=utf-8',
  headers: {
    'content-security-policy': landingPagePolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  content: Type.String(),
  handler: (_call, { registry, site }) => ({ body: landingPage(registry, site) }),
});

const apiDocument = definePage({
  method: 'GET',
  url: '/doc',
  tier: 'console',
  operationId: 'getApiDocument',
  tag: 'Documents',
  summary: 'This document: OpenAPI 3.1',
  contentType: 'application/json; charset=utf-8',
  content: Type.Object({
    openapi: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String(), description: Type.String() }),
    tags: Type.Array(Type.Object({ name: Type.String() })),
    paths: anyObject({ description: 'Operations by path and method.' }),
    components: anyObject({ description: 'The schemas that have a name.' }),
  }),
  handler: (_call, { site }) => ({ body: site.apiDocument() }),
});

export const documentPages = [landing, apiDocument];
