import type { EndpointDescription, ListedEndpoint } from '../define/endpoint.ts';
import { Components } from './components.ts';
import { describeOperation, failureSchema } from './operation.ts';

/** What a document says of routes that are not ours. */
export interface OthersDocument {
  readonly paths?: Readonly<Record<string, object | undefined>>;
  readonly components?: { readonly schemas?: object };
}

/** @param taken names of schemas that ours have. */
export type DescribeOthers = (taken: ReadonlySet<string>) => OthersDocument | undefined;

export interface ApiDocumentOptions {
  readonly version: string;
  /** What comes before every path. */
  readonly prefix: string;
  /** Routes beside the endpoints. Default: none. */
  readonly others?: DescribeOthers;
}

/** The OpenAPI 3.1 document of these endpoints. */
export function apiDocument(
  listed: readonly ListedEndpoint[],
  { others, prefix, version }: ApiDocumentOptions,
): object {
  const endpoints = listed.filter(isDescribed);
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = `${prefix}${endpoint.url}`.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, components) };
  }
  const schemas = { ...components.schemas, Failure: failureSchema };
  const rest = others?.(new Set(Object.keys(schemas)));
  for (const [path, operations] of Object.entries(rest?.paths ?? {})) paths[path] = { ...operations, ...paths[path] };
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Halyard',
      version,
      description:
        'Agents and durable workflows over HTTP and Server-Sent Events. Every failure answers with `{"success":false,"error":string}` and a stable code in the header `x-error-code`. The WebSocket `/ws`, which OpenAPI has no words for, tells that a connection works and gives back the JSON that it gets. MCP servers of the app, whose messages are JSON-RPC, are at `/mcp/<id>`.',
    },
    tags: tags.map((name) => ({ name })),
    paths,
    components: { schemas: { ...rest?.components?.schemas, ...schemas } },
  };
}

/** What speaks a protocol of its own has its own document. */
function isDescribed(endpoint: ListedEndpoint): endpoint is EndpointDescription {
  return endpoint.kind !== 'exchange';
}
