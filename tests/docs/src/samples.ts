import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, readBlocks } from './documents.ts';

/** A TypeScript block of a document, written to a file. */
export interface Sample {
  /** `docs/agents.md:5`: the line of the fence. */
  readonly place: string;
  readonly document: string;
  readonly line: number;
  readonly file: string;
  /** Whether the sample starts a server and runs until it is stopped. */
  readonly listens: boolean;
}

export interface SampleOptions {
  /** The info string of the blocks. */
  readonly language?: string;
  /** Inside this package, so that imports resolve to its dependencies. */
  readonly folder?: string;
}

/** Writes every block to its own file. Line 1 of the file is the line after the fence. */
export function writeSamples(
  documents: readonly Document[],
  { folder = '.samples', language: wanted = 'ts' }: SampleOptions = {},
): readonly Sample[] {
  const directory = join(import.meta.dirname, '..', folder);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  return documents.flatMap((document) =>
    readBlocks(document)
      .blocks.filter(({ language }) => language === wanted)
      .map(({ line, lines }): Sample => {
        const file = join(directory, `${document.path.replaceAll(/[^A-Za-z\d]+/g, '-')}-${line}.ts`);
        // `export {}` makes a sample without imports a module.
        const code = [...lines, 'export {};', ''].join('\n');
        writeFileSync(file, code);
        return {
          place: `${document.path}:${line}`,
          document: document.path,
          line,
          file,
          listens: code.includes('.listen(') && !code.includes('server.close('),
        };
      }),
  );
}
