import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, readBlocks } from './documents.ts';

/** A block of TypeScript in a document, as a file that runs. */
export interface Sample {
  /** `docs/agents.md:5`: the line of the fence. */
  readonly place: string;
  readonly document: string;
  readonly line: number;
  readonly file: string;
  /** It starts a server and runs until it is told to stop. */
  readonly listens: boolean;
}

/** Inside this package, so that imports resolve as in any package that depends on the same things. */
const directory = join(import.meta.dirname, '../.samples');

/** Writes every `ts` block into a file of its own, so that its line 1 is the line below the fence. */
export function writeSamples(documents: readonly Document[]): readonly Sample[] {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  return documents.flatMap((document) =>
    readBlocks(document)
      .blocks.filter(({ language }) => language === 'ts')
      .map(({ line, lines }): Sample => {
        const file = join(directory, `${document.path.replaceAll(/[^A-Za-z\d]+/g, '-')}-${line}.ts`);
        // A sample without an import or export is a module all the same.
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
