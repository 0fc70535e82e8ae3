import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const bundle = (code: string) =>
  build({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@halyard/source'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });

it('has at most 12 KB, and no module of Node or of the server', async () => {
  const { metafile, outputFiles } = await bundle("export * from '@halyard/client'");

  expect(gzipSync(outputFiles[0]?.contents ?? '').byteLength).toBeLessThan(12_000);
  // With `platform: 'browser'`, an import of Node's modules fails. What is imported without
  // bundling would be listed here.
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const packages = Object.keys(metafile.inputs).filter((path) => !path.includes('packages/client/src'));
  expect(packages.filter((path) => !/\/node_modules\/(openapi-fetch|eventsource-parser)\//.test(path))).toEqual([
    '<stdin>',
  ]);
});

it('contains nothing of the server whose types it has', async () => {
  const code = `
    import { createClient } from '@halyard/client';
    import type { HalyardServer } from '@halyard/server-fastify';
    export const client = createClient<HalyardServer>();`;
  const { metafile } = await bundle(code);
  expect(Object.keys(metafile.inputs).filter((path) => /server-fastify|packages\/core/.test(path))).toEqual([]);
});
