import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { HalyardServer } from '@halyard/server-fastify';
import { build, type BuildResult } from 'esbuild';

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // Pictures of other hosts are not loaded: a model could send what it knows to a host of its
    // choice, in the URL of a picture.
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const folder = fileURLToPath(new URL('../page/', import.meta.url));

/** Servers of one process share the script and the style of a page. */
const bundles = new Map<string, Promise<BuildResult<{ write: false }>>>();

/**
 * Serves each page at its name: `chat` at `/chat`, from `page/chat.html`, `chat.css` and
 * `chat.tsx`. In development, each request of a page bundles its script and style again, so a
 * reload shows the latest changes.
 */
export async function servePages({ app }: HalyardServer, names: readonly string[]): Promise<void> {
  const isDevelopment = (process.env['NODE_ENV'] ?? 'development') === 'development';
  const hidden = { schema: { hide: true } };
  for (const name of names) {
    const read = async (extension: string): Promise<string> => {
      const bundle = bundles.get(name) ?? bundleOf(name);
      bundles.set(name, bundle);
      const { outputFiles } = await bundle;
      return outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
    };

    app.get(`/${name}`, hidden, async (_request, reply) => {
      if (isDevelopment) bundles.delete(name);
      return reply
        .headers(headers)
        .type('text/html; charset=utf-8')
        .send(await readFile(`${folder}${name}.html`, 'utf8'));
    });
    app.get(`/${name}/${name}.css`, hidden, async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(await read('.css')),
    );
    app.get(`/${name}/${name}.js`, hidden, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(await read('.js')),
    );
  }
}

function bundleOf(name: string): Promise<BuildResult<{ write: false }>> {
  return build({
    entryPoints: [`${folder}${name}.tsx`, `${folder}${name}.css`],
    outdir: folder,
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
}
