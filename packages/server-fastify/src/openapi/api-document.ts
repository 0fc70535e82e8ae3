import type { EndpointDescription, ListedEndpoint } from '../define/endpoint.ts';
import { Components } from './components.ts';
import { describeOperation, failureSchema } from './operation.ts';

/** The part of a document that describes the app's own routes. */
export interface AppDocument {
  readonly paths?: Readonly<Record<string, object | undefined>>;
  readonly components?: { readonly schemas?: object };
}

/** @param reservedNames schema names that Halyard's routes use. */
export type DescribeAppRoutes = (reservedNames: ReadonlySet<string>) => AppDocument | undefined;

export interface ApiDocumentOptions {
  readonly version: string;
  /** The prefix of every path. */
  readonly prefix: string;
  /** Describes the app's own routes. Default: none. */
  readonly describeAppRoutes?: DescribeAppRoutes;
}

/** The OpenAPI 3.1 document of the endpoints. */
export function apiDocument(
  listed: readonly ListedEndpoint[],
  { describeAppRoutes, prefix, version }: ApiDocumentOptions,
): object {
  const endpoints = listed.filter(isDescribed);
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = `${prefix}${endpoint.url}`.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, components) };
  }
  const schemas = { ...components.schemas, Failure: failureSchema };
  const app = describeAppRoutes?.(new Set(Object.keys(schemas)));
  for (const [path, operations] of Object.entries(app?.paths ?? {})) paths[path] = { ...operations, ...paths[path] };
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Halyard',
      version,
      description:
        'Agents and durable workflows over HTTP and Server-Sent Events. Every failure is `{"success":false,"error":string}` with a stable code in the header `x-error-code`. The WebSocket `/ws`, which OpenAPI cannot describe, confirms the connection and echoes the JSON that it receives. The MCP servers of the app are at `/mcp/<id>`; their messages are JSON-RPC.',
    },
    tags: tags.map((name) => ({ name })),
    paths,
    components: { schemas: { ...app?.components?.schemas, ...schemas } },
  };
}

/** Exchanges use other protocols, which OpenAPI cannot describe. */
function isDescribed(endpoint: ListedEndpoint): endpoint is EndpointDescription {
  return endpoint.kind !== 'exchange';
}
