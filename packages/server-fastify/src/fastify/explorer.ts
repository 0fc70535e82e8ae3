import type { FastifyInstance } from 'fastify';
import type { Site } from '../services/services.ts';

/** Serves Swagger UI at `/ui` with scripts and styles from this server only. */
export async function addExplorer(scope: FastifyInstance, site: Site): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  // The plugin reads an app-wide document at start. `transformSpecification` replaces it by ours, which is complete later.
  await scope.register(swagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} } },
  });
  await scope.register(swaggerUi, {
    routePrefix: '/ui',
    validatorUrl: false,
    theme: { title: 'Halyard API' },
    logo: null as never,
    uiConfig: {
      deepLinking: true,
      docExpansion: 'list',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      layout: 'BaseLayout',
    },
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
