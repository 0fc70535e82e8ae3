import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sample } from './samples.ts';

const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');

/** Type-checks all samples as one program. Returns one line per error: `docs/agents.md:12: error TS2322: …`. */
export async function checkTypes(samples: readonly Sample[]): Promise<readonly string[]> {
  const [first] = samples;
  if (first === undefined) return [];
  const project = join(dirname(first.file), 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ ...config, files: samples.map(({ file }) => basename(file)) }, undefined, 2));

  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [tsc, '-p', project, '--pretty', 'false'], (error, stdout, stderr) =>
      resolve(error === null ? '' : `${stdout}${stderr}` || error.message),
    );
  });
  return output
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => inDocument(text, samples));
}

const config = {
  extends: '../../../tsconfig.base.json',
  compilerOptions: {
    noEmit: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    composite: false,
    incremental: false,
    declaration: false,
    isolatedDeclarations: false,
  },
};

/** Replaces the sample's file and line in a compiler error by those of the document. */
function inDocument(text: string, samples: readonly Sample[]): string {
  const [, path, line, rest] = /^(.+\.ts)\((\d+),\d+\): (.*)$/.exec(text) ?? [];
  const sample = samples.find(({ file }) => basename(file) === basename(path ?? ''));
  return sample === undefined ? text : `${sample.document}:${sample.line + Number(line)}: ${rest}`;
}
