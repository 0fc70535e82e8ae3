import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './documents.ts';

const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');

/** A block of a document that was written to a file. */
export interface SampleFile {
  readonly document: string;
  readonly line: number;
  readonly file: string;
}

export interface CheckOptions {
  /**
   * Contains the files, and the configuration of the compiler. Default: the folder of the first
   * file.
   */
  readonly folder?: string;
  /** Some of the files run in a browser. */
  readonly browser?: boolean;
}

/**
 * Type-checks all samples as one program. Returns one line per error:
 * `docs/agents.md:12: error TS2322: …`.
 */
export async function checkTypes(
  samples: readonly SampleFile[],
  { browser = false, folder = dirname(samples[0]?.file ?? '') }: CheckOptions = {},
): Promise<readonly string[]> {
  if (samples.length === 0) return [];
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = { ...config.compilerOptions, ...(browser && browserOptions) };
  const files = samples.map(({ file }) => relative(folder, file));
  writeFileSync(project, JSON.stringify({ ...config, compilerOptions, files }, undefined, 2));

  const output = await new Promise<string>((done) => {
    execFile(process.execPath, [tsc, '-p', project, '--pretty', 'false'], { cwd: folder }, (error, stdout, stderr) =>
      done(error === null ? '' : `${stdout}${stderr}` || error.message),
    );
  });
  return output
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => inDocument(text, samples, folder));
}

const config = {
  extends: join(root, 'tsconfig.base.json'),
  compilerOptions: {
    noEmit: true,
    // The folder is outside of the checkout.
    typeRoots: [join(root, 'node_modules/@types')],
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    composite: false,
    incremental: false,
    declaration: false,
    isolatedDeclarations: false,
  },
};

/** The libraries of tsconfig.base.json, and those of a browser. */
const browserOptions = {
  jsx: 'react-jsx',
  lib: ['es2024', 'es2025.collection', 'es2025.iterator', 'esnext.disposable', 'dom', 'dom.iterable'],
};

/** Replaces the sample's file and line in a compiler error by those of the document. */
function inDocument(text: string, samples: readonly SampleFile[], folder: string): string {
  const [, path = '', line, rest] = /^(.+\.tsx?)\((\d+),\d+\): (.*)$/.exec(text) ?? [];
  const sample = samples.find(({ file }) => file === resolve(folder, path));
  return sample === undefined ? text : `${sample.document}:${sample.line + Number(line)}: ${rest}`;
}
