import type { FastifyInstance } from 'fastify';
import type { Site } from '../../api/services.ts';
import { forwardedAddress } from '../forwarded-address.ts';
import { sendConsoleKey } from './send-console-key.ts';

/** Serves Swagger UI at `/ui` with scripts and styles from this server only. */
export async function addExplorer(scope: FastifyInstance, site: Site): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  // The plugin reads an app-wide document at start. `transformSpecification` replaces it by ours,
  // which is complete later.
  await scope.register(swagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} } },
  });
  await scope.register(async (pages) => {
    pages.addHook('onSend', async (request, _reply, payload) =>
      withAssets(payload, site.addressFor(forwardedAddress(request)).base, request.query),
    );
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
        return JSON.parse(site.apiDocument(root || '/').text) as Record<string, unknown>;
      },
    });
  });
}

/**
 * The page names its scripts and styles without the prefix of the server and of a proxy. A browser
 * that opens `/ui?key=…` must get them, too.
 */
function withAssets(payload: unknown, base: string, query: unknown): unknown {
  if (typeof payload !== 'string') return payload;
  const { key } = query as { readonly key?: unknown };
  const suffix = typeof key === 'string' ? `?key=${encodeURIComponent(key)}` : '';
  return payload.replace(/"(\/ui\/static\/[\w.-]+)"/g, (_match, path: string) => `"${base}${path}${suffix}"`);
}
