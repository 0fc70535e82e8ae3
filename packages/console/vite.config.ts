import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** During `pnpm --filter @halyard/console dev`, requests to the API go to this server. */
const server = process.env['HALYARD_URL'] ?? 'http://127.0.0.1:3141';

export default defineConfig({
  root: 'app',
  // Relative addresses: the server decides at which path the page is served, by the `<base>` of the page.
  base: './',
  plugins: [react(), compressAssets()],
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    // The notices of what the page contains, which its licences require.
    license: { fileName: 'licenses.md' },
    // Fonts and pictures stay files, because the content security policy of the page forbids `data:` for most of them.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      ['/agents', '/workflows', '/tools', '/api', '/observability', '/ws', '/mcp', '/doc', '/readyz', '/updates'].map(
        (path) => [path, { target: server, ws: path === '/ws' }],
      ),
    ),
  },
});

/** Writes each script and style compressed too, so that servers do not compress them for each reader. */
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
