import { writeFileSync } from 'node:fs';
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
  /** The directories of its embedded databases. */
  readonly dataDirs: readonly string[];
}

/**
 * Writes every block to its own file. Line 1 of the file is the line after the fence.
 *
 * @param folder of `createSampleFolder`.
 * @param wanted the info string of the blocks.
 */
export function writeSamples(documents: readonly Document[], folder: string, wanted = 'ts'): readonly Sample[] {
  return documents.flatMap((document) =>
    readBlocks(document)
      .blocks.filter(({ language }) => language === wanted)
      .map(({ line, lines }): Sample => {
        const file = join(folder, `${document.path.replaceAll(/[^A-Za-z\d]+/g, '-')}-${line}.ts`);
        // `export {}` makes a sample without imports a module.
        const code = [...lines, 'export {};', ''].join('\n');
        writeFileSync(file, code);
        return {
          place: `${document.path}:${line}`,
          document: document.path,
          line,
          file,
          dataDirs: Array.from(code.matchAll(/\bdataDir: '([^']+)'/g), ([, name = '']) => name),
          listens: code.includes('.listen(') && !code.includes('server.close('),
        };
      }),
  );
}
