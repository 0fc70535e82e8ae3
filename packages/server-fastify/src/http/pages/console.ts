import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../api/routes/documents/html.ts';
import type { Site } from '../../api/services.ts';
import { sendFailure } from '../endpoints/send-failure.ts';
import { invalidRequest } from '../errors/to-failure.ts';
import { forwardedAddress } from '../forwarded-address.ts';
import { acceptsHtml, noticeHeaders, noticePage } from './notice-page.ts';

/** Allows nothing but the console's own files, and requests to this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** How often a page that waits for the build of the console reloads itself. */
const reloadSeconds = 2;

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The folder of the console; undefined if the package is not installed. */
export async function findConsole(): Promise<string | undefined> {
  try {
    return (await import('@halyard/console')).consoleFolder;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

// The lines of the requests of pages would hide the others in the log, which the console shows.
const quiet = { logLevel: 'warn' } as const;
const hidden = { ...quiet, schema: { hide: true } };

/**
 * Serves the console at `/console`. Each address below it that is no file is a page of the console,
 * which its script shows. Names of assets contain a hash of their content, so browsers keep them.
 *
 * In a clone of the sources, the console may be built while the server runs. Until then, its page
 * says so.
 */
export async function addConsole(
  scope: FastifyInstance,
  folder: string,
  site: Pick<Site, 'addressFor'>,
): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static');
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await readBuilt(join(folder, 'index.html'));
    if (page === undefined) return sendUnbuilt(reply);
    const { base } = site.addressFor(forwardedAddress(request));
    return reply
      .headers(headers)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page.replace('<base href="/" />', () => `<base href="${base}/console/" />`));
  };

  await scope.register(fastifyStatic, {
    ...quiet,
    root: join(folder, 'assets'),
    suppressWarning: true,
    prefix: '/console/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    decorateReply: false,
    setHeaders: (reply) => {
      void reply.header('x-content-type-options', 'nosniff');
    },
  });
  scope.get('/console/icon.svg', hidden, async (_request, reply) => {
    const icon = await readBuilt(join(folder, 'icon.svg'));
    return icon === undefined ? sendUnbuilt(reply) : reply.headers(headers).type('image/svg+xml').send(icon);
  });
  scope.get('/console', hidden, sendPage);
  scope.get('/console/*', hidden, sendPage);
}

/** Says at `/console` how to install it. */
export function addMissingConsole(scope: FastifyInstance): void {
  const send = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!acceptsHtml(request.headers.accept)) {
      const message = 'The console is not installed: npm install @halyard/console';
      return sendFailure(reply, invalidRequest('ROUTE_NOT_FOUND', message, 404));
    }
    const content = html`<p>Install it beside your app, and start the app again:</p>
      <pre><code>npm install @halyard/console</code></pre>`;
    return reply
      .code(404)
      .header('x-error-code', 'ROUTE_NOT_FOUND')
      .headers(noticeHeaders)
      .send(noticePage('The console is not installed', content));
  };
  scope.get('/console', hidden, send);
  scope.get('/console/*', hidden, send);
}

async function readBuilt(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sendUnbuilt(reply: FastifyReply): FastifyReply {
  const content = html`<p>
      <code>pnpm dev</code> builds it while the server runs; this page reloads itself until it is there. With another
      command, build it yourself:
    </p>
    <pre><code>pnpm exec turbo run build --filter=@halyard/console</code></pre>`;
  return reply.headers(noticeHeaders).send(noticePage('The console is not built yet', content, { reloadSeconds }));
}
