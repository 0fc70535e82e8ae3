import { compileSchema, type Schema } from '@halyard/core';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { DescribeAppRoutes } from '../openapi/api-document.ts';

/** The methods that OpenAPI can describe, except HEAD, which repeats GET. */
const describable: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

type AppRoute = Pick<RouteOptions, 'config' | 'schema' | 'url'> & { readonly method: string };

/**
 * Collects the routes that the app adds from here on, and lets `@fastify/swagger` describe them once the app is ready. Skips routes
 * with `schema.hide`.
 *
 * Loading the plugin takes 30 ms, so it is loaded only if there are routes to describe. Its own hook would run too late then, so it
 * gets the routes in a second app that serves nothing.
 */
export function followAppRoutes(app: FastifyInstance): DescribeAppRoutes {
  const routes = new Map<string, AppRoute>();
  const scopes = new Set([app]);
  let describe: DescribeAppRoutes | undefined;
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
    if (routes.size > 0) describe = await describer([...routes.values()], [...scopes]);
  });
  return (reservedNames) => describe?.(reservedNames);
}

function isHidden({ schema }: Pick<RouteOptions, 'schema'>): boolean {
  return isObject(schema) && 'hide' in schema && schema.hide === true;
}

/** Apps with a validator of their own may use zod schemas or similar. Omits schemas that JSON Schema cannot express. */
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

async function describer(routes: readonly AppRoute[], scopes: readonly FastifyInstance[]): Promise<DescribeAppRoutes> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = Fastify();
  let reserved: ReadonlySet<string> = new Set();
  // This app serves nothing, so schemas need not compile. The real app may use other compilers.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: '', version: '' } },
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === 'string' && /^[\w.-]+$/.test($id) && !reserved.has($id) ? $id : `def-${index}`,
    },
  });
  const shared = Object.assign({}, ...scopes.map((scope) => scope.getSchemas())) as Record<string, unknown>;
  for (const schema of Object.values(shared)) app.addSchema(schema);
  for (const route of routes) app.route({ ...route, exposeHeadRoute: false, handler: () => {} });
  await app.ready();
  return (names) => {
    reserved = names;
    return app.swagger();
  };
}
