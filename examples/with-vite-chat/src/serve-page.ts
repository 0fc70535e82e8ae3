import fastifyStatic from '@fastify/static';
import type { HalyardServer } from '@halyard/server-fastify';

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // Pictures of other hosts are not loaded: a model could send what it knows to a host of its
    // choice, in the URL of a picture.
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Serves the page that Vite has built into a folder at `/`. */
export async function servePage({ app }: Pick<HalyardServer, 'app'>, folder: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    setHeaders: (reply) => void reply.headers(headers),
  });
}
