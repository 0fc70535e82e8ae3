import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Site } from '../../api/services.ts';
import { forwardedAddress } from '../forwarded-address.ts';

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

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * The folder with the built console; undefined if the package is not installed, or not built, as in
 * a fresh clone of its sources.
 */
export async function findConsole(): Promise<string | undefined> {
  try {
    const { consoleFolder } = await import('@halyard/console');
    await access(join(consoleFolder, 'index.html'));
    return consoleFolder;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Serves the console at `/console`. Each address below it that is no file is a page of the console,
 * which its script shows. Names of assets contain a hash of their content, so browsers keep them.
 */
export async function addConsole(scope: FastifyInstance, folder: string, site: Site): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static');
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const pageFor = (request: FastifyRequest): string => {
    const { base } = site.addressFor(forwardedAddress(request));
    return page.replace('<base href="/" />', () => `<base href="${base}/console/" />`);
  };
  // The lines of their requests would hide the others in the log, which the console shows.
  const quiet = { logLevel: 'warn' } as const;
  const hidden = { ...quiet, schema: { hide: true } };
  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.headers(headers).header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(pageFor(request));

  await scope.register(fastifyStatic, {
    ...quiet,
    root: join(folder, 'assets'),
    prefix: '/console/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    decorateReply: false,
    setHeaders: (reply) => {
      void reply.header('x-content-type-options', 'nosniff');
    },
  });
  const icon = await readFile(join(folder, 'icon.svg'));
  scope.get('/console/icon.svg', hidden, (_request, reply) => reply.headers(headers).type('image/svg+xml').send(icon));
  scope.get('/console', hidden, sendPage);
  scope.get('/console/*', hidden, sendPage);
}
