import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@halyard/test-docs/documents';
import type { Manifest } from './manifests.ts';

/**
 * The compiler's report about objects of Kubernetes. Unlike the schemas, which allow any further
 * field, the types name every field: a misspelt one in a literal is an error.
 */
export async function typeErrors(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'halyard-manifests-'));
  try {
    // Imports resolve to the dependencies of this package.
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'), 'dir');
    const lines = manifests.map(({ apiVersion, kind, ...fields }) => {
      const type = `import('kubernetes-models/${apiVersion}').I${kind}`;
      return `export const ${kind}: ${type} = ${JSON.stringify({ apiVersion, kind, ...fields })};`;
    });
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { stdout } = await promisify(execFile)(tsc, ['-p', folder, '--pretty', 'false']).catch((error: unknown) => {
      if (error instanceof Error && 'stdout' in error && error.stdout !== '') return { stdout: String(error.stdout) };
      throw error;
    });
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const config = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    types: [],
  },
  files: ['manifests.ts'],
};
