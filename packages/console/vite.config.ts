import { readFile, readdir, writeFile } from 'node:fs/promises';
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** `npx pnpm@12 --filter @halyard/console dev` shows the data of this server. */
const server = process.env['HALYARD_URL'] ?? 'http://127.0.0.1:3141';

export default defineConfig(({ command }) => ({
  root: 'app',
  // The build has relative addresses: the server decides at which path the page is served, by the
  // `<base>` of the page. In development it is the usual path, so that all other paths are the
  // API's.
  base: command === 'serve' ? '/console' : './',
  // The client is built from its sources.
  resolve: { conditions: ['@halyard/source', ...defaultClientConditions] },
  plugins: [react(), developmentBase(), compressAssets()],
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    // The notices of what the page contains, which its licences require.
    license: { fileName: 'licenses.md' },
    // Fonts and pictures stay files, because the content security policy of the page forbids
    // `data:` for most of them.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      '^/(?!console(?:[/?]|$))': {
        target: server,
        ws: true,
        configure: (proxy) => {
          proxy.on('error', explainRefusedConnection);
        },
      },
    },
  },
}));

/** Does what the server does with the built page: it sets the `href` of the `<base>`. */
function developmentBase(): Plugin {
  return {
    name: 'development-base',
    apply: 'serve',
    transformIndexHtml: (page) => page.replace('<base href="/" />', '<base href="/console/" />'),
  };
}

/**
 * Tells the developer and the page that no server runs. Vite logs the stack of the error
 * afterwards.
 */
function explainRefusedConnection(
  error: Error & { readonly code?: unknown },
  _request: IncomingMessage,
  response: ServerResponse | Socket,
): void {
  if (error.code !== 'ECONNREFUSED') return;
  const message = `No server answers at ${server}. Start one, such as npx pnpm@12 dev, or set HALYARD_URL.`;
  error.stack = message;
  if (!(response instanceof ServerResponse) || response.headersSent) return;
  response
    .writeHead(502, { 'content-type': 'application/json' })
    .end(JSON.stringify({ success: false, error: message }));
}

/**
 * Writes each script and style compressed too, so that servers do not compress them for each
 * reader.
 */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets');
      const names = (await readdir(folder)).filter((name) => /\.(js|css)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const content = await readFile(join(folder, name));
          const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
          await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, { params }));
          await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
        }),
      );
    },
  };
}
