import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Group, Part } from './groups.ts';

export interface Score {
  readonly name: string;
  readonly noticed: number;
  readonly unnoticed: number;
  readonly percent: number;
  readonly targetPercent: number;
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** Where the results of a part are stored. Stryker reads them in the next run and repeats only what has changed since. */
export function resultFile(group: Group, part: Part): string {
  return fileURLToPath(new URL(`../.results/${group.name}-${part.name}.json`, import.meta.url));
}

/** The share of the changes that a test noticed, by failing or by not ending. Changes that no test reaches count as unnoticed. */
export function scoreOf(group: Group): Score {
  const statuses = group.parts
    .map((part) => resultFile(group, part))
    .filter((file) => existsSync(file))
    .flatMap((file) => Object.values((JSON.parse(readFileSync(file, 'utf8')) as Report).files))
    .flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const noticed = statuses.filter((status) => ['Killed', 'Timeout'].includes(status)).length;
  const unnoticed = statuses.filter((status) => ['Survived', 'NoCoverage'].includes(status)).length;
  const percent = (100 * noticed) / (noticed + unnoticed);
  return { name: group.name, noticed, unnoticed, percent, targetPercent: group.targetPercent };
}

export function scoreTable(scores: readonly Score[]): string {
  const rows = scores.map(
    ({ name, noticed, percent, unnoticed }) =>
      `| ${name} | ${noticed + unnoticed} | ${noticed} | ${percent.toFixed(1)} % |`,
  );
  return ['| group | changes | noticed | score |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
