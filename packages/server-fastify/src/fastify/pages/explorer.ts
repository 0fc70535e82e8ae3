import type { FastifyInstance } from 'fastify';
import type { Site } from '../../services/services.ts';
import { forwardedAddress } from '../forwarded-address.ts';
import { sendConsoleKey } from './send-console-key.ts';

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
  await scope.register(async (pages) => {
    pages.addHook('onSend', async (request, _reply, payload) => withKeyedAssets(request.query, payload));
    await pages.register(swaggerUi, {
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
        // The plugin declares the wrong type.
        requestInterceptor: sendConsoleKey as never,
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
      transformSpecification: (_document, request) => {
        // The page calls the server that it comes from.
        const { root } = site.addressFor(forwardedAddress(request));
        return JSON.parse(site.apiDocument(root || '/')) as Record<string, unknown>;
      },
    });
  });
}

/** A browser that opens `/ui?key=…` must get the scripts and styles of the page, too. */
function withKeyedAssets(query: unknown, payload: unknown): unknown {
  const { key } = query as { readonly key?: unknown };
  if (typeof key !== 'string' || typeof payload !== 'string') return payload;
  return payload.replace(/(\/ui\/static\/[\w.-]+)"/g, `$1?key=${encodeURIComponent(key)}"`);
}
