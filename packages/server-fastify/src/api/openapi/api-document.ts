import { type Requirement, requiresNothing } from '../../access/policy.ts';
import type { EndpointDescription, ListedEndpoint } from '../define/endpoint.ts';
import { AppSchemas, type ReportUndescribed } from './app-schemas.ts';
import { ComponentNames } from './component-names.ts';
import { Components } from './components.ts';
import { describeOperation, failureSchema, type OperationAccess, toSecurity } from './operation.ts';
import { type RegisteredParts, registeredOperations } from './registered-operations.ts';

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
  readonly describeAppRoutes?: DescribeAppRoutes | undefined;
  /** The workflows and tools that are described with their own schemas. Default: none. */
  readonly registered?: RegisteredParts | undefined;
  /** The access control of the server. Default: none, so that every route is open. */
  readonly access?: DocumentedAccess | undefined;
  /** Whether the server limits the requests of each caller. */
  readonly limitsRates?: boolean | undefined;
  /** Receives the parts of the app that the document cannot describe exactly. Default: nobody. */
  readonly report?: ReportUndescribed | undefined;
}

/** The access control that the document describes. */
export interface DocumentedAccess {
  /**
   * The credential that a route requires. @param url the pattern of the route, such as
   * `/agents/:id`, with the prefix of the server.
   */
  readonly requirementOf: (method: string, url: string) => Requirement;
  /** Whether an address that sends rejected credentials gets 429 after some time. */
  readonly limitsRejections: boolean;
}

/** The OpenAPI 3.1 document of the endpoints. */
export function apiDocument(
  listed: readonly ListedEndpoint[],
  {
    access,
    describeAppRoutes,
    limitsRates = false,
    prefix,
    registered,
    report = () => {},
    version,
  }: ApiDocumentOptions,
): object {
  const endpoints = listed.filter(isDescribed);
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  const tags = new Map<string, string | undefined>(endpoints.map(({ tag }) => [tag, undefined]));
  const add = (endpoint: EndpointDescription, path: string): void => {
    const operation = describeOperation(endpoint, components, accessOf(endpoint.method, `${prefix}${endpoint.url}`));
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  };
  const accessOf = (method: string, url: string): OperationAccess => {
    const requirement = access?.requirementOf(method, url);
    const isProtected = requirement !== undefined && !requiresNothing(requirement);
    return { requirement, isLimited: limitsRates || (isProtected && access?.limitsRejections === true) };
  };
  for (const endpoint of endpoints) add(endpoint, toPath(prefix, endpoint.url));
  const names = new ComponentNames([...Object.keys(components.schemas), 'Failure']);
  const appSchemas = new AppSchemas(names, report);
  if (registered !== undefined) {
    const operations = registeredOperations(endpoints, registered, { names, schemas: appSchemas });
    for (const { endpoint, parameter, tagDescription, value } of operations) {
      add(endpoint, toPath(prefix, endpoint.url).replace(`{${parameter}}`, value));
      if (!tags.has(endpoint.tag)) tags.set(endpoint.tag, tagDescription);
    }
  }
  const schemas = { ...components.schemas, ...Object.fromEntries(appSchemas.components), Failure: failureSchema };
  const app = describeAppRoutes?.(new Set(Object.keys(schemas)));
  for (const [path, operations] of Object.entries(app?.paths ?? {})) {
    const secured = Object.entries(operations ?? {}).map(([method, operation]: [string, unknown]) => [
      method,
      { ...toSecurity(accessOf(method.toUpperCase(), toPattern(path)).requirement), ...(operation as object) },
    ]);
    paths[path] = { ...(Object.fromEntries(secured) as Record<string, object>), ...paths[path] };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Halyard',
      version,
      description:
        'Agents and durable workflows over HTTP and Server-Sent Events. Every failure is `{"success":false,"error":string}` with a stable code in the header `x-error-code`. The WebSocket `/ws`, which OpenAPI cannot describe, confirms the connection and echoes the JSON that it receives. The MCP servers of the app are at `/mcp/<id>`; their messages are JSON-RPC.',
    },
    // Nothing is required of an open server's callers, which is not the same as nothing said.
    ...(access === undefined && { security: [] }),
    ...toServers('/'),
    tags: Array.from(tags, ([name, description]) => ({ name, ...(description !== undefined && { description }) })),
    paths,
    components: {
      schemas: { ...app?.components?.schemas, ...schemas },
      ...(access !== undefined && { securitySchemes }),
    },
  };
}

/**
 * The part of the document that says where the server is. @param url absolute, or a path on the
 * host of the document.
 */
export function toServers(url: string): object {
  return { servers: [{ url, description: 'This server' }] };
}

const securitySchemes = {
  userToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of the user, for routes that run something or read data.',
  },
  streamTicket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description: 'A ticket for one stream, for a browser that cannot send the token of its user.',
  },
  consoleKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-console-access-key',
    description: 'The console key, for routes that manage the server.',
  },
};

function toPath(prefix: string, url: string): string {
  return `${prefix}${url}`.replaceAll(/:(\w+)/g, '{$1}');
}

/** `/orders/{id}` → `/orders/:id`. */
function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Exchanges use other protocols, which OpenAPI cannot describe. */
function isDescribed(endpoint: ListedEndpoint): endpoint is EndpointDescription {
  return endpoint.kind !== 'exchange';
}
