import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { HalyardServer } from '@halyard/server-fastify';
import { type BuildContext, context } from 'esbuild';

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

/**
 * Serves each page at its name: `chat` at `/chat`, from `page/chat.html`, `chat.css` and
 * `chat.tsx`. Each request bundles script and style again, so a reload shows the latest changes.
 */
export async function servePages({ app }: HalyardServer, names: readonly string[]): Promise<void> {
  const hidden = { schema: { hide: true } };
  for (const name of names) {
    const bundle = await bundleOf(name);
    app.addHook('onClose', () => bundle.dispose());
    const build = async (extension: string): Promise<string> => {
      const { outputFiles } = await bundle.rebuild();
      return outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
    };

    app.get(`/${name}`, hidden, async (_request, reply) =>
      reply
        .headers(headers)
        .type('text/html; charset=utf-8')
        .send(await readFile(`${folder}${name}.html`, 'utf8')),
    );
    app.get(`/${name}/${name}.css`, hidden, async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(await build('.css')),
    );
    app.get(`/${name}/${name}.js`, hidden, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(await build('.js')),
    );
  }
}

function bundleOf(name: string): Promise<BuildContext<{ write: false }>> {
  return context({
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
