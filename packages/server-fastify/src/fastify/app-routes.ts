import { compileSchema, type Schema } from '@halyard/core';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { DescribeOthers } from '../openapi/api-document.ts';

/** The methods that OpenAPI has words for, but HEAD: it says nothing that GET does not. */
const describable: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

type AppRoute = Pick<RouteOptions, 'config' | 'schema' | 'url'> & { readonly method: string };

/**
 * Follows which routes an app adds from here on, and has `@fastify/swagger` describe them once the app is ready. Routes with
 * `schema.hide` are left out.
 *
 * The plugin costs 30 ms of a start, so that it is loaded only where there is something to describe; by then it is too late for its
 * own hook, and it is given the routes in an app that serves nothing.
 */
export function followAppRoutes(app: FastifyInstance): DescribeOthers {
  const routes = new Map<string, AppRoute>();
  const scopes = new Set([app]);
  let describe: DescribeOthers | undefined;
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
  return (taken) => describe?.(taken);
}

function isHidden({ schema }: Pick<RouteOptions, 'schema'>): boolean {
  return isObject(schema) && 'hide' in schema && schema.hide === true;
}

/** Apps with a validator of their own may write schemas with zod and the like. One that cannot be told as JSON Schema is left out. */
function toJsonSchemas(schemas: object): object {
  const told = Object.entries(schemas).map(([part, schema]: [string, unknown]): [string, unknown] => {
    if (!isObject(schema)) return [part, schema];
    if ('~standard' in schema) return [part, toJsonSchema(schema, part)];
    return [part, part === 'response' ? toJsonSchemas(schema) : schema];
  });
  return Object.fromEntries(told.filter(([, schema]) => schema !== undefined));
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

async function describer(routes: readonly AppRoute[], scopes: readonly FastifyInstance[]): Promise<DescribeOthers> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = Fastify();
  let taken: ReadonlySet<string> = new Set();
  // Nothing is served here: no schema need compile, whatever the real app compiles it with.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: '', version: '' } },
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === 'string' && /^[\w.-]+$/.test($id) && !taken.has($id) ? $id : `def-${index}`,
    },
  });
  const shared = Object.assign({}, ...scopes.map((scope) => scope.getSchemas())) as Record<string, unknown>;
  for (const schema of Object.values(shared)) app.addSchema(schema);
  for (const route of routes) app.route({ ...route, exposeHeadRoute: false, handler: () => {} });
  await app.ready();
  return (names) => {
    taken = names;
    return app.swagger();
  };
}
