import type { Schema } from '@halyard/core';
import { compileSchema } from '@halyard/core/server';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { AppDocument, DescribeAppRoutes } from '../api/openapi/api-document.ts';
import type { ReportUndescribed } from '../api/openapi/app-schemas.ts';

/** The methods that OpenAPI can describe, except HEAD, which repeats GET. */
const describable: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** By their ids. */
type SharedSchemas = Readonly<Record<string, unknown>>;

type AppRoute = Pick<RouteOptions, 'config' | 'schema' | 'url'> & { readonly method: string };

/**
 * Collects the routes that the app adds from here on, and lets `@fastify/swagger` describe them
 * once the app is ready. Skips routes with `schema.hide`.
 *
 * The plugin gets the routes in a second app that serves nothing. In the app itself, it would take
 * the name `swagger` from an app that registers the plugin, and a route that it cannot describe
 * would fail the start. Such a route is reported, and described without its schemas.
 */
export function followAppRoutes(app: FastifyInstance, report: ReportUndescribed): DescribeAppRoutes {
  const routes = new Map<string, AppRoute>();
  const scopes = new Set([app]);
  let described: AppDocument | undefined;
  app.addHook('onRoute', function (route) {
    scopes.add(this);
    for (const method of [route.method].flat()) {
      if (!describable.has(method) || isHidden(route)) continue;
      const { config, schema, url } = route;
      routes.set(`${method} ${url}`, {
        method,
        url,
        ...(isObject(schema) && { schema: toJsonSchemas(schema) }),
        ...(config && { config }),
      });
    }
  });
  app.addHook('onReady', async () => {
    if (routes.size === 0) return;
    const shared = Object.assign({}, ...[...scopes].map((scope) => scope.getSchemas())) as SharedSchemas;
    described = await describeAll([...routes.values()], shared, report);
  });
  return (reservedNames) => described && withOtherNames(described, reservedNames);
}

function isHidden({ schema }: Pick<RouteOptions, 'schema'>): boolean {
  return isObject(schema) && 'hide' in schema && schema.hide === true;
}

/**
 * Apps with a validator of their own may use zod schemas or similar. Omits schemas that JSON Schema
 * cannot express.
 */
function toJsonSchemas(schemas: object): object {
  const converted = Object.entries(schemas).map(([part, schema]: [string, unknown]): [string, unknown] => {
    if (!isObject(schema)) return [part, schema];
    if ('~standard' in schema) return [part, toJsonSchema(schema, part)];
    return [part, part === 'response' ? toJsonSchemas(schema) : schema];
  });
  return Object.fromEntries(converted.filter(([, schema]) => schema !== undefined));
}

function toJsonSchema(schema: Schema, name: string): object | undefined {
  try {
    return compileSchema(schema, name).jsonSchema;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

async function describeAll(
  routes: readonly AppRoute[],
  shared: SharedSchemas,
  report: ReportUndescribed,
): Promise<AppDocument> {
  try {
    return await describe(routes, shared);
  } catch {
    const checked = await Promise.all(routes.map((route) => withoutFault(route, shared, report)));
    // If a shared schema has the fault, no route kept its schemas.
    return describe(checked, checked.some(({ schema }) => schema !== undefined) ? shared : {});
  }
}

/** The route, without its schemas if they cannot be described. */
async function withoutFault(route: AppRoute, shared: SharedSchemas, report: ReportUndescribed): Promise<AppRoute> {
  try {
    await describe([route], shared);
    return route;
  } catch (error) {
    report(`the route ${route.method} ${route.url}`, error instanceof Error ? error.message : String(error));
    const { schema: _, ...bare } = route;
    return bare;
  }
}

async function describe(routes: readonly AppRoute[], shared: SharedSchemas): Promise<AppDocument> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = Fastify();
  // This app serves nothing, so schemas need not compile. The real app may use other compilers.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: '', version: '' } },
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === 'string' && /^[\w.-]+$/.test($id) ? $id : `def-${index}`,
    },
  });
  for (const schema of Object.values(shared)) app.addSchema(schema);
  for (const route of routes) app.route({ ...route, exposeHeadRoute: false, handler: () => {} });
  await app.ready();
  return JSON.parse(JSON.stringify(app.swagger())) as AppDocument;
}

/** The document with other names for the schemas whose names are reserved. */
function withOtherNames(document: AppDocument, reserved: ReadonlySet<string>): AppDocument {
  const described: Readonly<Record<string, unknown>> = { ...document.components?.schemas };
  const names = Object.keys(described);
  const taken = new Set([...names, ...reserved]);
  const renamed = new Map<string, string>();
  for (const name of names) {
    if (!reserved.has(name)) continue;
    let free = 1;
    while (taken.has(`def-${free}`)) free += 1;
    taken.add(`def-${free}`);
    renamed.set(name, `def-${free}`);
  }
  if (renamed.size === 0) return document;
  const schemas = Object.entries(described).map(([name, schema]) => [renamed.get(name) ?? name, schema] as const);
  const changed = { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
  const prefix = '#/components/schemas/';
  return JSON.parse(JSON.stringify(changed), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(prefix)) return value;
    const [name = '', ...inside] = value.slice(prefix.length).split('/');
    return prefix + [renamed.get(name) ?? name, ...inside].join('/');
  }) as AppDocument;
}
