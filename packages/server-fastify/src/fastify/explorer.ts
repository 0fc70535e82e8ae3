import type { FastifyInstance } from 'fastify';
import type { Site } from '../define/services.ts';

/** Serves Swagger UI at `/ui`: its scripts and styles come from this server, and nothing from elsewhere. Loaded only where it is served. */
export async function addExplorer(scope: FastifyInstance, site: Site): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  // The plugin asks for an app-wide document once, at start: it gets ours through `transformSpecification` instead.
  await scope.register(swagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} } },
  });
  await scope.register(swaggerUi, {
    routePrefix: '/ui',
    validatorUrl: false,
    theme: { title: 'Halyard API' },
    logo: null as never,
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true, displayRequestDuration: true, layout: 'BaseLayout' },
    staticCSP: {
      'default-src': "'self'",
      'script-src': "'self'",
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'object-src': "'none'",
      'base-uri': "'self'",
      'frame-ancestors': "'self'",
    },
    transformSpecificationClone: false,
    transformSpecification: () => JSON.parse(site.apiDocument()) as Record<string, unknown>,
  });
}
