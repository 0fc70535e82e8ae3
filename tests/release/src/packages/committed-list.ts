import { readFile, writeFile } from 'node:fs/promises';

export interface CommittedListOptions {
  /** Writes the list instead of comparing it. */
  readonly isUpdate: boolean;
}

/** Compares lines with those of a file of the repository, so that a change of them is reviewed. */
export async function compareWithCommitted(
  path: string,
  lines: readonly string[],
  { isUpdate }: CommittedListOptions,
): Promise<void> {
  if (isUpdate) return writeFile(path, `${lines.join('\n')}\n`);

  const committed = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const changes = [
    ...committed.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
    ...lines.filter((line) => !committed.includes(line)).map((line) => `+ ${line}`),
  ];
  if (changes.length === 0) return;
  throw new Error(
    `${path} differs. After reviewing this, \`pnpm --filter @halyard/test-release lists\` updates it:\n${changes.join('\n')}`,
  );
}
