import { Type } from '@sinclair/typebox';
import type { EndpointDescription } from '../define/endpoint.ts';

/** What the document says of the explorer, whose own routes serve it. */
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
