import { fileURLToPath } from 'node:url';
import type { HalyardServer } from '@halyard/server-fastify';
import { build } from 'esbuild';

const bundles = new Map<string, Promise<string>>();

/** Serves a script of `page/` at these paths, in a page of its own. */
export async function servePage(server: HalyardServer, script: string, paths: readonly string[]): Promise<void> {
  const bundle = bundles.get(script) ?? bundleOf(script);
  bundles.set(script, bundle);
  const code = await bundle;
  server.app.get(`/${script}.js`, (_, reply) => reply.type('text/javascript').send(code));
  const page = `<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="/${script}.js"></script>`;
  for (const path of paths) server.app.get(path, (_, reply) => reply.type('text/html').send(page));
}

async function bundleOf(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../page/${script}`, import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    conditions: ['@halyard/source'],
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
